"""Compiled loops: no validation, no randomness; callers pass checked arrays of the stated dtype.

Compiled code is cached beside the package or, failing that, in the user's cache folder. Where neither can be written,
it is compiled anew in every process.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile

import numba
from numba.core.caching import FunctionCache


def _probe() -> None:
    """Stand for any function of this package."""


def _cache_somewhere() -> None:
    """Give the compiler a folder that lasts as long as the process, if it has no other."""
    try:
        FunctionCache(_probe)
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="classex-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        numba.config.CACHE_DIR = folder


_cache_somewhere()
