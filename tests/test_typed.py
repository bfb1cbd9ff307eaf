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

ROOT = Path(__file__).parents[1]
UNTYPED = ("numba", "scipy", "sklearn", "cvxpy", "joblib", "tqdm", "dask", "distributed", "threadpoolctl", "h5py")
PACKAGES = ("curves", "distributions", "methods", "predict", "growth", "retrieval", "embeddings", "results")
PACKAGES += ("information", "advantage", "plots", "open_set", "bayes")


def checked(script: Path) -> subprocess.CompletedProcess[str]:
    """Mypy's strict verdict on a script outside the project, which has settings of its own."""
    settings = script.with_name("mypy.ini")
    settings.write_text(
        f"[mypy]\nstrict = True\nmypy_path = {ROOT / 'src'}\n"
        "[mypy-" + ".*,".join(UNTYPED) + ".*]\n"
        "ignore_missing_imports = True\nfollow_imports = skip\n"
        "[mypy-classex.*]\nignore_errors = True\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--config-file", str(settings), "--cache-dir", str(script.parent / "c")]
    return subprocess.run([*command, str(script)], capture_output=True, text=True, check=False, cwd=script.parent)


def test_every_public_name_has_its_type(tmp_path):
    names = [f"cx.{name}" for name in cx.__all__]
    names += [f"cx.{package}.{name}" for package in PACKAGES for name in getattr(cx, package).__all__]
    script = tmp_path / "user.py"
    wrong = '\ncx.correct_ranks("scores")\ncx.no_such_thing\n'
    script.write_text("import classex as cx\n" + "\n".join(f"reveal_type({n})" for n in names) + wrong, "utf-8")
    result = checked(script)
    revealed = re.findall(r'Revealed type is "(.*)"', result.stdout)
    assert len(revealed) == len(names), result.stdout + result.stderr
    unknown = [name for name, kind in zip(names, revealed, strict=True) if kind == "Any"]
    assert not unknown
    errors = re.findall(r": error: (.*)", result.stdout)
    assert any("correct_ranks" in error for error in errors), errors
    assert any('has no attribute "no_such_thing"' in error for error in errors)
    assert len(errors) == 2


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


def test_misspelt_options_are_refused_by_a_type_checker_and_at_run_time(tmp_path):
    script = tmp_path / "user.py"
    right = ['cx.extrapolate(ranks, n_classes=9, method="probit-normal", target="fresh", average="points")']
    right += ["cx.extrapolate(scores, labels, n_classes=[9], groups=[0, 0, 1, 1], growth=[[4, 5]])"]
    script.write_text(SETUP + "\n".join([*MISSPELT, *right]) + "\n", "utf-8")
    result = checked(script)
    first = SETUP.count("\n") + 1
    assert sorted({int(line) for line in re.findall(r"user\.py:(\d+): error", result.stdout)}) == list(
        range(first, first + len(MISSPELT))
    ), result.stdout
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
