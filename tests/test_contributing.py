"""The worked examples of the guide for contributors run as they stand."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import classex as cx
from classex.io import formats
from classex_book.course.answers import Mismatch

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def examples(heading: str) -> list[str]:
    """The blocks of code under a heading."""
    section = GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def run(heading: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Names that the example under a heading defines."""
    example = "\n".join(examples(heading))
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look their module up
    exec(compile(example, "CONTRIBUTING.md", "exec"), vars(module))
    return vars(module)


def test_to_add_a_method(monkeypatch):
    estimator = run("To add a method", monkeypatch)["estimator"]
    distribution = estimator.distribution_
    assert isinstance(distribution, cx.distributions.Distribution)
    np.testing.assert_allclose(estimator.predict(2), cx.accuracy_curve(estimator.ranks_, [2]).accuracy)
    assert estimator.predict_interval([50, 500], n_resamples=10).shape == (2, 2)
    exact = cx.distributions.average_accuracy(distribution.cdf, [5, 50])
    np.testing.assert_allclose(exact, estimator.predict([5, 50]), atol=1e-6)
    five = cx.distributions.average_accuracy(distribution.cdf, [50], top=5)
    np.testing.assert_allclose(five, estimator.predict(50, top=5), atol=1e-6)


def test_to_add_a_metric(monkeypatch):
    names = run("To add a metric", monkeypatch)
    rank = 1 + names["ranks"].losses
    by_hand = np.where(rank <= 3, 1.25 - rank / 4, 0.0).mean()
    assert names["curve"].accuracy[1] == pytest.approx(by_hand)
    assert 0 < names["larger"].accuracy[0] < by_hand


def test_to_add_an_input_format(monkeypatch, tmp_path):
    file = tmp_path / "scores.jsonl"
    file.write_text(
        '{"label": "bee", "scores": {"ant": 0.1, "bee": 0.7}}\n{"label": "ant", "scores": {"bee": 2, "ant": 1}}'
    )
    nested = run("To add an input format", monkeypatch)["nested"]
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, nested))
    scores, labels, classes = cx.load_scores(file)  # no other format fits
    assert cx.correct_ranks(scores, labels, classes=classes).wins.tolist() == [1, 0]


def test_to_add_an_exercise(monkeypatch):
    check = run("To add an exercise", monkeypatch)["check_rate"]
    check(lambda k: 1 / k)
    check(0.25, k=4)
    with pytest.raises(Mismatch):
        check(lambda k: 1 / (k + 1))
