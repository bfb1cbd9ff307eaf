"""Where numba and cvxpy do not exist, functions run on NumPy with the same numbers; small calls never need numba."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = """
import json
import sys
from dataclasses import fields, is_dataclass

import numpy as np

import classex as cx
from classex import attempts, curves, information, open_set

rng = np.random.default_rng(0)
labels = np.arange(48) % 24
scores = np.round(rng.normal(size=(48, 24)) + 2 * np.eye(24)[labels], 1)
references = rng.integers(-2, 3, (24, 3)) + 0.0
test = references[labels] + rng.integers(-1, 2, (48, 3))
owner = np.arange(24) % 12
ranks = cx.correct_ranks(scores, labels)
solved = rng.binomial(20, 0.3, 50)


def of_ranks(found):
    return found.wins, found.ties, found.distractors.beaten


CALLS = {
    "correct_ranks": lambda: of_ranks(ranks),
    "correct_ranks_from_embeddings": lambda: of_ranks(cx.correct_ranks_from_embeddings(test, references, labels)),
    "reference_labels": lambda: of_ranks(cx.correct_ranks_from_embeddings(test + 0.5, references, labels % 12, owner)),
    "cosine": lambda: of_ranks(cx.correct_ranks_from_embeddings(test + 0.5, references + 0.5, labels, metric="cosine")),
    "accuracy_curve": lambda: cx.accuracy_curve(ranks),
    "accuracy_curve top": lambda: cx.accuracy_curve(ranks, top=3),
    "accuracy_curve mrr": lambda: cx.accuracy_curve(ranks, metric="mrr"),
    "extrapolate": lambda: cx.extrapolate(scores, labels, n_classes=[100, 1000]),
    "pass_at_k": lambda: attempts.pass_at_k(solved, 20, [1, 5, 50]),
    "information_confidence_bound": lambda: information.information_confidence_bound(ranks, n_classes=12),
    "fano_bound": lambda: information.fano_bound([0.5, 0.9], 10),
    "information_bound": lambda: information.information_bound([0.5, 0.9], 10),
    "accuracy_ceiling": lambda: information.accuracy_ceiling([0.5, 3.0], 10),
    "identification_accuracy": lambda: cx.identification_accuracy([0.5, 3.0], 10),
    "identification_information": lambda: information.identification_information([0.5, 0.9], 10),
    "extremal_density": lambda: information.extremal_density([0.1, 0.5], 1.0, 3),
    "risk_curve": lambda: curves.risk_curve(scores, labels, 1 - np.eye(24)),
    "accuracy_surface": lambda: curves.accuracy_surface(scores, labels, owner[:24] + 12 * (np.arange(24) > 11)),
    "open_set_curve": lambda: open_set.open_set_curve(np.eye(4), range(4), np.eye(4), [0.5]),
}


# all numbers of an array, of several, or of a result
def flat(value):
    if is_dataclass(value):
        value = tuple(getattr(value, field.name) for field in fields(value))
    if isinstance(value, (tuple, list)):
        return [number for part in value for number in flat(part)]
    part = np.asarray(value)
    return part.ravel().astype(float).tolist() if part.dtype.kind in "fiub" else []


print(json.dumps({name: flat(call()) for name, call in CALLS.items()} | {"loaded": [float("numba" in sys.modules)]}))
"""
COMPILED = "from classex import _loops\n_loops.FEW = 0\n"


def numbers(before: str) -> dict[str, list[float]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, "-c", before + PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    assert not done.returncode, done.stderr
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def hidden() -> dict[str, list[float]]:
    """Numbers without numba and cvxpy, though loops would be compiled."""
    return numbers("import tests.without_compiler\ntests.without_compiler.hide()\n" + COMPILED)


@pytest.mark.compiler
def test_the_same_numbers_where_loops_are_compiled(hidden):
    compiled = numbers(COMPILED)
    assert compiled.pop("loaded") == [1.0]
    for name, value in compiled.items():
        np.testing.assert_allclose(hidden[name], value, rtol=1e-12, atol=1e-12, err_msg=name)


def test_small_calls_compile_nothing(hidden):
    found = numbers("")
    assert found["loaded"] == [0.0]
    for name, value in found.items():
        np.testing.assert_allclose(hidden[name], value, rtol=1e-12, atol=1e-12, err_msg=name)
