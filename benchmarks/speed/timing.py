"""Seconds of functions that take turns, so that a busy moment meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measured number, and what is required of it."""

    quantity: str
    value: float
    unit: str = ""
    required: str = ""


def least_seconds(
    *functions: Callable[[], Any], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Least seconds of each function over the repeats; `time.process_time` counts those of all threads together."""
    least = [float("inf")] * len(functions)
    for _ in range(repeats):
        for place, function in enumerate(functions):
            start = clock()
            function()
            least[place] = min(least[place], clock() - start)
    return least
