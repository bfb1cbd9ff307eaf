"""A plugin, ``-p tests.without_compiler``: numba and cvxpy do not exist, and tests that need them are skipped."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder

import pytest

# methods whose fits have constraints: tests that run over all methods have them as parameters
CONSTRAINED = "regression", "pseudolikelihood"
HIDDEN = {"compiler": "numba", "solver": "cvxpy"}


class Hidden(MetaPathFinder):
    """Finds none of the packages in `HIDDEN`."""

    def find_spec(self, fullname, path=None, target=None):  # noqa: ARG002
        if fullname.partition(".")[0] in HIDDEN.values():
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def hide():
    """Hide them from all that is imported later; not at import, since tests are also looked for in this file."""
    sys.meta_path.insert(0, Hidden())


def pytest_configure():
    hide()


def pytest_collection_modifyitems(items):
    for item in items:
        if any(name in item.name.partition("[")[2].lower() for name in CONSTRAINED):
            item.add_marker("solver")
        for marker, package in HIDDEN.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=f"needs {package}"))
