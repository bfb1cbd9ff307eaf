"""Loops for large inputs: no validation, no randomness; callers pass checked arrays of the stated dtype.

A few loops are compiled by Numba, once a call compares more than a million cells (points times classes). On fewer
cells, or where Numba does not exist, as in a browser, each has a twin in NumPy with the same result: exact counts, and
scores within the same error. Compiled code is cached beside the package or, failing that, in the user's cache folder.
Where neither can be written, it is compiled anew in every process.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from typing import Any

__all__ = ["FEW", "Loop", "compiled_products", "loop", "njit", "numba_for"]

#: comparisons up to which NumPy serves and nothing is compiled
FEW = 2**20


def numba_for(cells: float) -> Any:
    """Return the module numba if so many comparisons are worth it, and it exists; else None."""
    return _numba() if cells > FEW else None


@cache
def _numba() -> Any:
    """Return the module, with a folder for compiled code that lasts as long as the process if it has no other."""
    try:
        import numba
        from numba.core.caching import FunctionCache
    except ImportError:
        return None
    try:
        FunctionCache(numba_for)
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="classex-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        numba.config.CACHE_DIR = folder
    return numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator: every compiled loop is cached, and lets go of Python's lock."""
    return _numba().njit(cache=True, nogil=True, **options)  # type: ignore[no-any-return]


def compiled_products() -> Any:
    """Return the loops that have no twin, whose module imports numba."""
    return import_module("classex._loops.products")


class Loop:
    """A loop and its twin in NumPy, which takes the same arguments; called with the number of `cells` of the problem.

    Attributes
    ----------
    twin : callable
        The NumPy form, for few cells and where there is no compiler.
    """

    def __init__(self, function: Callable[..., Any], twin: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self.twin, self._options = function, twin, options

    @cached_property
    def compiled(self) -> Any:
        """The loop as numba compiles it."""
        return njit(**self._options)(self._function)

    def __call__(self, *arguments: Any, cells: float) -> None:
        """Run the cheaper of the two."""
        (self.compiled if numba_for(cells) else self.twin)(*arguments)


def loop(twin: Callable[..., Any], **options: Any) -> Callable[[Callable[..., Any]], Loop]:
    """Decorate a loop that fills arrays; `options` are numba's."""
    return lambda function: Loop(function, twin, options)
