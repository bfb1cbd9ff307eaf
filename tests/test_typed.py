"""What a type checker sees of the package from a user's script: the real type of every public name, never Any."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import classex as cx
from classex._types import MethodName
from tests.test_contributing import examples

ROOT = Path(__file__).parents[1]
UNTYPED = ("numba", "scipy", "sklearn", "cvxpy", "joblib", "tqdm", "dask", "distributed", "threadpoolctl", "h5py")
PACKAGES = ("curves", "distributions", "methods", "growth", "retrieval", "ranks", "forecast", "attempts")
PACKAGES += ("information", "advantage", "plots", "open_set", "bayes")
NAMES = [f"cx.{name}" for name in cx.__all__]
NAMES += [f"cx.{package}.{name}" for package in PACKAGES for name in getattr(cx, package).__all__]
WRONG = '\ncx.correct_ranks("scores")\ncx.no_such_thing\n'


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Mypy's strict verdict on three files outside the project, which has settings of its own: one run for all."""
    folder = tmp_path_factory.mktemp("typed")
    scripts = {
        "names": "import classex as cx\n" + "\n".join(f"reveal_type({name})" for name in NAMES) + WRONG,
        "misspelt": SETUP + "\n".join([*MISSPELT, *RIGHT]) + "\n",
        "power": examples("To add a method")[0],
    }
    for name, text in scripts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "mypy.ini").write_text(
        f"[mypy]\nstrict = True\nmypy_path = {ROOT / 'src'}\n"
        "[mypy-" + ".*,".join(UNTYPED) + ".*]\n"
        "ignore_missing_imports = True\nfollow_imports = skip\n"
        "[mypy-classex.*]\nignore_errors = True\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--cache-dir", "cache", *(f"{name}.py" for name in scripts)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert not result.stderr
    lines = result.stdout.splitlines()
    return {name: "\n".join(line for line in lines if line.startswith(f"{name}.py:")) for name in scripts}


def test_every_public_name_has_its_type(said):
    revealed = re.findall(r'Revealed type is "(.*)"', said["names"])
    assert len(revealed) == len(NAMES), said
    unknown = [name for name, kind in zip(NAMES, revealed, strict=True) if kind == "Any"]
    assert not unknown
    errors = re.findall(r": error: (.*)", said["names"])
    assert any("correct_ranks" in error for error in errors), errors
    assert any('has no attribute "no_such_thing"' in error for error in errors)
    assert len(errors) == 2


def test_the_method_of_the_guide_passes_the_checks(said):
    """As it is pasted into the package: mypy's here, ruff's, and no name that the layers above bring."""
    assert not said["power"]
    (code, _) = examples("To add a method")
    for words in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        command = [sys.executable, "-m", "ruff", *words, "--stdin-filename", "src/classex/methods/power.py", "-"]
        result = subprocess.run(command, input=code, capture_output=True, text=True, check=False, cwd=ROOT)
        assert not result.returncode, result.stdout + result.stderr
    rooms = set(re.findall(r"^from classex\.(\w+)", code, re.MULTILINE))
    assert rooms <= {"_types", "curves", "distributions", "methods", "ranks"}


# calls with a wrong word, and what a run says
MISSPELT = {
    'cx.extrapolate(ranks, n_classes=9, method="probit")': "method must be one of",
    'cx.extrapolate(ranks, n_classes=9, target="best")': "target must be one of",
    'cx.extrapolate(ranks, n_classes=9, average="micro")': "average must be one of",
    'cx.extrapolate(scores, labels, n_classes=9, groups=[0, 0, 1, 1], growth="fast")': "growth must be one of",
    'cx.Extrapolator("probit").fit_ranks(ranks)': "method must be one of",
    'cx.Extrapolator(average="micro").fit_ranks(ranks)': "average must be one of",
    'cx.Extrapolator().fit_ranks(ranks).predict_interval(9, target="best")': "target must be one of",
    'cx.accuracy_curve(ranks, average="micro")': "average must be one of",
    'cx.extrapolation_trials(scores, labels, [2], ["probit"])': "method must be one of",
    'cx.methods.method_by_name("probit")': "method must be one of",
    'cx.average_bayes_accuracy_bound(0.9, n_classes=9, n_repeats=2, method="thesys")': "method must be one of",
    'cx.bayes.bayes_accuracy_bound(0.9, n_classes=9, n_repeats=2, method="joint")': "method must be one of",
    'cx.information_confidence_bound(ranks, method="split")': "method must be one of",
    'cx.implied_information(many, method="ml")': "method must be one of",
    'cx.prediction_advantage_interval([0, 1], [0, 1], method="wald")': "method must be one of",
    'cx.restate([(9, 1, 0.5)], n_classes=9, shape="flat")': "shape must be one of",
}
SETUP = """import numpy as np
import classex as cx
labels = [0, 1, 2, 3]
scores = np.random.default_rng(0).normal(size=(4, 4)) + 2 * np.eye(4)
ranks, many = cx.correct_ranks(scores, labels), cx.correct_ranks(np.eye(6), range(6))
fitted = cx.Extrapolator("probit-normal").fit_ranks(ranks)
"""


RIGHT = [
    'cx.extrapolate(ranks, n_classes=9, method="probit-normal", target="fresh", average="points")',
    "cx.extrapolate(scores, labels, n_classes=[9], groups=[0, 0, 1, 1], growth=[[4, 5]])",
]


def test_misspelt_options_are_refused_by_a_type_checker_and_at_run_time(said):
    first = SETUP.count("\n") + 1
    assert sorted({int(line) for line in re.findall(r"misspelt\.py:(\d+): error", said["misspelt"])}) == list(
        range(first, first + len(MISSPELT))
    ), said["misspelt"]
    names: dict[str, object] = {}
    exec(SETUP, names)
    for call, message in MISSPELT.items():
        with pytest.raises(ValueError, match=message):
            eval(call, names)


def test_the_names_of_the_methods_are_those_of_the_registry():
    assert get_args(MethodName) == tuple(cx.methods.METHODS)


def test_the_front_door_is_narrow():
    from types import ModuleType

    names = [name for name in cx.__all__ if not isinstance(getattr(cx, name), ModuleType) and name != "__version__"]
    assert len(names) <= 40
