"""Without the optional libraries the core works, and everything else says in one line what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from classex._optional import needed_for

ROOT = Path(__file__).parents[1]

# a Python that finds none of the libraries in extras, as after a plain `pip install classex`
BARE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {"dask", "distributed", "h5py", "himalaya", "matplotlib", "pandas", "psutil", "sklearn"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())

def said(function):
    try:
        function()
    except ImportError as error:
        print(error)
    else:
        print("nothing")
"""
WORK = """
import numpy as np
import classex as cx
from classex import cli
from classex.models import GaussianClasses
from classex_book.data import CLASSIFIERS, embed_words, load_voxelwise, load_words
from classex_book.encoding import fit_encoding

trial = GaussianClasses(n_features=3).sample(12, n_repeats=2, rng=0)
result = cx.extrapolate(trial.scores, trial.labels, n_classes=100)
print(result.n_classes, round(float(cx.information_bound(0.5, n_classes=12)), 3) > 0)
said(lambda: result.plot())
said(lambda: result.to_frame())
said(lambda: CLASSIFIERS["naive Bayes"].make())
said(lambda: embed_words(load_words(9)))
said(lambda: load_voxelwise("S01_responses.hdf"))
said(lambda: fit_encoding(np.eye(30), np.eye(30)))
np.savez(sys.argv[1], scores=trial.scores, labels=trial.labels)
print(cli.main(["extrapolate", sys.argv[1], "--to", "100", "--plot", sys.argv[1] + ".png"]))
print(cli.main(["mark", sys.argv[1]]))
"""


def test_the_core_works_alone_and_the_rest_says_what_to_install(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", BARE + WORK, str(tmp_path / "scores.npz")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.stdout.splitlines() == [
        "[100.] True",
        "a figure needs matplotlib, which is not installed: pip install 'classex[plot]'",
        "to_frame needs pandas, which is not installed: pip install 'pandas'",
        "this classifier needs scikit-learn, which is not installed: pip install 'classex[sklearn]'",
        "embed_words needs scikit-learn, which is not installed: pip install 'classex[sklearn]'",
        "load_voxelwise needs h5py, which is not installed: pip install 'classex[course]'",
        "a ridge fit needs scikit-learn, which is not installed: pip install 'classex[sklearn]'",
        "2",
        "2",
    ]
    assert done.stderr == (
        "classex extrapolate: --plot needs matplotlib, which is not installed: pip install 'classex[plot]'\n"
        "classex mark: running notebooks needs psutil, which is not installed: pip install 'classex[course]'\n"
    )


def test_a_library_that_fails_to_load_keeps_its_own_error():
    with pytest.raises(ModuleNotFoundError, match="No module named 'colours'"), needed_for("a figure"):
        raise ModuleNotFoundError("No module named 'colours'", name="colours")
    with pytest.raises(ImportError, match="broken"), needed_for("a figure"):
        raise ImportError("broken", name="matplotlib")


# neither the folder of the package nor the user's can be written: the compiler finds no place for what it compiled
NO_CACHE = """
from numba.core import caching
impl, place = (getattr(caching, name, None) or getattr(caching, "_" + name)
               for name in ("CacheImpl", "UserProvidedCacheLocator"))
impl._locator_classes = [place]

import importlib
import pkgutil
from classex import _loops, cli

names = [f"classex._loops.{found.name}" for found in pkgutil.iter_modules(_loops.__path__)]
modules = [importlib.import_module(name) for name in names]
found = [getattr(value, "compiled", value) for module in modules for value in vars(module).values()]
print(sum(hasattr(value, "py_func") for value in found) > 4)
cli.main(["--help"])
"""


@pytest.mark.compiler
def test_where_compiled_code_cannot_be_kept_it_is_compiled_again():
    done = subprocess.run(
        [sys.executable, "-c", NO_CACHE],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "NUMBA_CACHE_DIR": ""},
    )
    assert done.stdout.startswith("True\nusage: classex")
    assert not done.stderr
