"""Fixtures shared by the tests."""

from __future__ import annotations

import gc
import json
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest

import classex
import classex_book


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collect without what only costs time: tracing how the tests are read, and the search for garbage among them.

    The package is imported under the tracer first, so that no line of it is missed.
    """
    controller = getattr(session.config.pluginmanager.getplugin("_cov"), "cov_controller", None)
    if controller is not None:
        for package in (classex, classex_book):
            for module in walk_packages(package.__path__, f"{package.__name__}."):
                if not module.name.endswith("__main__"):
                    import_module(module.name)
        controller.pause()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        if controller is not None:
            controller.resume()


@pytest.fixture(scope="session")
def reference():
    """Values of the authors' R code on a small case."""
    return json.loads((Path(__file__).parent / "data" / "r_classex_small_case.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def reference_scores():
    """Score matrix of that case."""
    i = np.arange(1, 13)
    return np.sin(1.3 * i[:, np.newaxis] + 2.1 * i) + 0.9 * np.eye(12)
