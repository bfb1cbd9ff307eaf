"""What an import loads. Which module may import which is checked by ``lint-imports`` (see ``pyproject.toml``)."""

from __future__ import annotations

import subprocess
import sys

import pytest

import classex as cx

HEAVY = {"cvxpy", "dask", "distributed", "h5py", "joblib", "matplotlib", "pandas", "sklearn", "torch", "tqdm"}


def loaded(code: str) -> set[str]:
    """Top-level packages in a fresh Python after the code."""
    show = "import sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    found = loaded("import classex")
    assert "classex" in found
    assert not found & (HEAVY | {"numba", "scipy"})


def test_the_default_from_ranks_loads_nothing_heavy():
    """Solvers, figures, frames and other people's estimators load when a call needs them."""
    found = loaded("import classex as cx; cx.extrapolate(cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4), n_classes=[9])")
    assert "scipy" in found
    assert not found & HEAVY


def test_the_exercises_load_nothing_heavy():
    assert not loaded("from classex_book import check, mark_notebook, quiz") & (HEAVY | {"numba", "scipy"})


def test_a_name_that_moved_says_where_it_is():
    with pytest.raises(AttributeError, match=r"moved to classex\.forecast\.CurvePrior"):
        cx.methods.CurvePrior  # noqa: B018
    assert not hasattr(cx.methods, "Nothing")
