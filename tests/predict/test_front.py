"""One call: the same numbers as the estimator it names, and a result that can be read, drawn and stored."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest

import classex as cx
from classex.models import GaussianClasses


@pytest.fixture(scope="module")
def sample():
    return GaussianClasses(6, 0.3).sample(24, n_repeats=2, rng=4)


def test_it_is_the_estimator_it_names(sample):
    result = cx.extrapolate(sample.scores, sample.labels, n_classes=[50, 10**6], method="probit-normal", top=2)
    est = cx.Extrapolator(cx.methods.ProbitNormal()).fit(sample.scores, sample.labels)
    np.testing.assert_array_equal(result.accuracy, est.predict([50, 10**6], top=2))
    np.testing.assert_array_equal(result.interval, est.predict_interval([50, 10**6], top=2))
    np.testing.assert_array_equal(result.standard_error, est.standard_error([50, 10**6], top=2))
    assert result.evidence == est.distribution_.evidence
    assert result.observed.value == cx.accuracy_curve(est.ranks_, 24, top=2).accuracy[0]
    own = cx.extrapolate(
        sample.scores,
        sample.labels,
        n_classes=50,
        method=cx.methods.sources.Exponential(),
    )
    assert own.method == "exponential"


def test_the_default_without_intervals(sample):
    result = cx.extrapolate(sample.scores, sample.labels, n_classes=[50], target=None)
    assert result.interval is None
    assert result.method == cx.methods.DEFAULT_METHOD
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    from_ranks = cx.extrapolate(ranks, n_classes=[50], target=None)
    assert 0 < from_ranks.accuracy[0] < 1
    assert "interval" not in str(from_ranks)


def test_names_of_classes(sample):
    names = np.array([f"class {c}" for c in range(24)])
    named = cx.extrapolate(
        sample.scores, names[sample.labels], classes=names, n_classes=50, method="probit-normal", target="fresh"
    )
    plain = cx.extrapolate(sample.scores, sample.labels, n_classes=50, method="probit-normal", target="fresh")
    np.testing.assert_array_equal(named.interval, plain.interval)


def test_it_reads_draws_and_stores(sample):
    import matplotlib as mpl

    mpl.use("Agg")
    result = cx.extrapolate(sample.scores, sample.labels, n_classes=[50, 5000], method="probit-normal")
    lines = str(result).splitlines()
    assert lines[0].startswith("With 24 classes and 48 test points the class-balanced accuracy is 0.")
    assert [line.split()[0] for line in lines if " to " in line and line[-1].isdigit()] == ["50", "5,000"]
    stored = json.loads(json.dumps(result.to_dict()))
    assert stored["n_classes"] == [50, 5000]
    assert stored["interval"] == result.interval.tolist()
    assert stored["lack_of_fit"]["n_classes"] == [24, 6]
    display = result.plot()
    np.testing.assert_array_equal(display.marked, [50, 5000])
    at = np.searchsorted(display.n_classes, [50, 5000])
    np.testing.assert_allclose(display.accuracy[at], result.accuracy)
    with pytest.raises(AttributeError):
        result.top = 2


def test_the_columns_of_a_data_frame(sample, monkeypatch):
    """What is handed to pandas, which need not be installed."""
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=dict))
    result = cx.extrapolate(sample.scores, sample.labels, n_classes=[50, 99], method="probit-normal")
    frame = result.to_frame()
    assert list(frame) == ["n_classes", "accuracy", "standard_error", "low", "high"]
    np.testing.assert_array_equal(frame["high"], result.interval[:, 1])
    np.testing.assert_array_equal(frame["n_classes"], [50, 99])


def test_an_average_that_contradicts_the_fit_is_refused():
    sample = cx.models.GaussianClasses(5, 0.3).sample(12, rng=0)
    fitted = cx.Extrapolator().fit(sample.scores, sample.labels)
    with pytest.raises(ValueError, match="average must be that of the fitted estimator, 'balanced', not 'points'"):
        cx.extrapolate(fitted, n_classes=20, average="points")
    by_points = cx.Extrapolator(average="points").fit(sample.scores, sample.labels)
    for given in ({}, {"average": "points"}):
        found = cx.extrapolate(by_points, n_classes=20, **given).accuracy[0]
        assert found == pytest.approx(by_points.predict(20)[0], rel=1e-12)
    with pytest.raises(TypeError, match=r"process and average='balanced', not Extrapolator.*average='points'"):
        cx.Extrapolator(average="points").fit_curve([10, 100], [0.9, 0.7], 500)
    with pytest.raises(ValueError, match="n_repeats goes with target='fresh'"):
        fitted.predict_interval(20, n_repeats=2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "if the observed classes were drawn at random, not by popularity (otherwise give weights)"),
        ({"target": None}, "if the observed classes were drawn at random, not by popularity (otherwise give weights)"),
        ({"weights": [1.0, 2.0] * 10}, "if the weights undo how the observed classes were chosen"),
        ({"groups": [0, 1] * 10}, "if rivals of each kind were drawn at random"),
    ],
)
def test_every_result_says_how_the_classes_must_have_been_chosen(given, said):
    sample = cx.models.GaussianClasses(10, 0.5).sample(20, n_repeats=2, rng=0)
    result = cx.extrapolate(sample.scores, sample.labels, n_classes=50, **given)
    assert str(result).splitlines()[1].endswith(f"{said}:")
    assert said in result.report()
