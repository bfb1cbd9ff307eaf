"""The worked example of the guide for contributors runs as it stands."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import numpy as np
from sklearn.base import clone

import classex as cx

GUIDE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_to_add_a_method(monkeypatch):
    (example,) = re.findall(r"```python\n(from __future__.*?)```", GUIDE, re.DOTALL)
    assert len(example.splitlines()) < 60
    module = types.ModuleType("example_of_a_method")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names = vars(module)
    exec(compile(example, "CONTRIBUTING.md", "exec"), names)
    estimator, distribution = names["estimator"], names["estimator"].distribution_
    assert isinstance(distribution, cx.distributions.Distribution)
    observed = cx.accuracy_curve(estimator.ranks_, [2]).accuracy
    np.testing.assert_allclose(estimator.predict(2), observed)
    assert estimator.predict_interval([50, 500], n_resamples=10).shape == (2, 2)
    assert clone(estimator).get_params() == estimator.get_params()
    np.testing.assert_allclose(
        cx.distributions.average_accuracy(distribution.cdf, [5, 50]), estimator.predict([5, 50]), atol=1e-6
    )


def test_the_tree_of_rooms_is_the_tree():
    rooms = re.findall(r"^(?:src/)?classex/(\w+)/? ", GUIDE, re.MULTILINE)
    there = {path.parent.name for path in (Path(__file__).parents[1] / "src" / "classex").glob("*/__init__.py")}
    assert set(rooms) >= there - {"_kernels"}
