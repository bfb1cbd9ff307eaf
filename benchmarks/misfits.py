"""Studies compare methods on data that break their assumptions: there a lack of fit is no news."""

from __future__ import annotations

import warnings
from contextlib import ContextDecorator
from types import TracebackType

from classex.exceptions import LackOfFitWarning

__all__ = ["misfits_expected"]


class _MisfitsExpected(ContextDecorator):
    def _recreate_cm(self) -> _MisfitsExpected:
        return _MisfitsExpected()  # one for every call of a decorated function

    def __enter__(self) -> None:
        self._caught = warnings.catch_warnings(action="ignore", category=LackOfFitWarning)
        self._caught.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._caught.__exit__(kind, error, at)


def misfits_expected() -> _MisfitsExpected:
    """Pass over `LackOfFitWarning`: a context, or a decorator of what fits in other processes."""
    return _MisfitsExpected()  # holds nothing that cannot be sent to a process, as a generator would
