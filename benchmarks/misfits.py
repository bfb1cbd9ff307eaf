"""Studies compare methods on data that break their assumptions: there a lack of fit is no news."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from classex.exceptions import LackOfFitWarning

__all__ = ["misfits_expected"]


@contextmanager
def misfits_expected() -> Iterator[None]:
    """Pass over `LackOfFitWarning`: a context, or a decorator of what fits in other processes."""
    with warnings.catch_warnings(action="ignore", category=LackOfFitWarning):
        yield
