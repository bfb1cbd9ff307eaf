"""Progress bars of long computations, shown on request on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["progress_bars", "track"]

T = TypeVar("T")

_shown: ContextVar[bool] = ContextVar("shown", default=False)


@contextmanager
def progress_bars() -> Iterator[None]:
    """Show progress bars on standard error inside this context, if standard error is a terminal."""
    token = _shown.set(sys.stderr.isatty())
    try:
        yield
    finally:
        _shown.reset(token)


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Iterate over items, with a progress bar inside `progress_bars`."""
    if not _shown.get():
        return items
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=what, total=total, leave=False, file=sys.stderr)
    return bar
