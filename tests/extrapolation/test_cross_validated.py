"""Choice and combination of methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import classex as cx
from classex.extrapolation import Extrapolator
from classex.laws import Evidence
from classex.laws.combination import simplex_weights
from classex.models import GaussianClasses


@dataclass(frozen=True)
class ConstantLaw:
    """One accuracy, whatever the data."""

    value: float
    evidence: Evidence = field(default_factory=Evidence)

    def accuracy(self, sizes: np.ndarray, top: int = 1) -> np.ndarray:
        del top
        return np.full(sizes.shape, self.value)

    def cdf(self, u: np.ndarray) -> np.ndarray:
        return np.where(u == 1, 1.0, 1 - self.value)

    def refit(self, ranks: Any, scores: Any = None, classes: Any = None) -> ConstantLaw:
        del ranks, scores, classes
        return self

    def variance(self, sizes: np.ndarray, top: int = 1) -> None:
        del sizes, top


class Constant(Extrapolator):
    """Predicts one number, whatever the data."""

    def __init__(self, value: float) -> None:
        self.value = value

    def _fit_law(self, ranks: cx.CorrectRanks, scores: Any) -> ConstantLaw:
        del ranks, scores
        return ConstantLaw(self.value)


class ScoresOnly(Constant):
    """Insists on scores."""

    needs_scores = True


@pytest.fixture
def sample():
    return GaussianClasses(10, 0.3).sample(48, rng=3)


@pytest.fixture
def accuracy(sample) -> float:
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    return float(cx.accuracy_curve(ranks, 48).accuracy[0])


def test_evidence_is_what_it_says(sample, accuracy) -> None:
    methods = {"low": Constant(0.1), "high": Constant(0.9)}
    estimator = cx.CrossValidatedExtrapolator(methods, n_splits=3).fit(sample.scores, sample.labels)
    assert [(r.method, r.n_classes, r.ratio) for r in estimator.law_.trials] == [
        ("low", 24, 2.0), ("high", 24, 2.0), ("low", 12, 4.0), ("high", 12, 4.0)
    ]  # fmt: skip
    assert estimator.law_.trials[0].bias == pytest.approx(0.1 - accuracy)
    assert estimator.law_.trials[1].rmse == pytest.approx(abs(0.9 - accuracy))
    assert sum(r.weight for r in estimator.law_.trials[:2]) == pytest.approx(1)


def test_stacking_finds_the_combination(sample, accuracy) -> None:
    methods = {"low": Constant(0.0), "high": Constant(1.0)}
    estimator = cx.CrossValidatedExtrapolator(methods, n_splits=2, shrinkage=0).fit(sample.scores, sample.labels)
    np.testing.assert_allclose(estimator.law_.weights, [1 - accuracy, accuracy], atol=1e-4)
    assert estimator.predict(10**6)[0] == pytest.approx(accuracy, abs=1e-4)


def test_choosing_takes_the_best(sample, accuracy) -> None:
    methods = {"bad": Constant(1.0), "good": Constant(accuracy)}
    estimator = cx.CrossValidatedExtrapolator(methods, combine="choose").fit(sample.scores, sample.labels)
    np.testing.assert_array_equal(estimator.law_.weights, [0, 1])
    assert estimator.predict(96)[0] == pytest.approx(accuracy)


@pytest.mark.filterwarnings("ignore::classex.exceptions.LackOfFitWarning")  # constants are wrong on purpose
def test_shrinkage_draws_weights_together(sample) -> None:
    methods = {"a": Constant(0.2), "b": Constant(0.8), "c": Constant(0.5)}
    spread = [
        np.std(cx.CrossValidatedExtrapolator(methods, shrinkage=g).fit(sample.scores, sample.labels).law_.weights)
        for g in (0.0, 0.3, 100.0)
    ]
    assert spread[0] >= spread[1] > spread[2]
    assert spread[2] < 0.01


def test_simplex_weights_are_optimal() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        errors = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1))
        products = errors.T @ errors
        twin = optimize.minimize(
            lambda w, p=products: w @ p @ w,
            np.full(4, 0.25),
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
            options={"ftol": 1e-14},
        )
        weights = simplex_weights(products)
        assert weights.sum() == pytest.approx(1)
        assert weights.min() >= 0
        assert weights @ products @ weights <= twin.fun * (1 + 1e-6)


def test_default_candidates(sample) -> None:
    estimator = cx.CrossValidatedExtrapolator(n_splits=2).fit(sample.scores, sample.labels)
    assert list(estimator.law_.members) == ["probit-normal", "mixture", "regression", "kernel density"]
    values = [law.accuracy(np.array([480.0]))[0] for law in estimator.law_.members.values()]
    assert min(values) <= estimator.predict(480)[0] <= max(values)
    ranks_only = cx.CrossValidatedExtrapolator(n_splits=2).fit_ranks(estimator.ranks_)
    assert list(ranks_only.law_.members) == ["probit-normal", "mixture", "regression"]


@pytest.mark.filterwarnings("ignore::classex.exceptions.LackOfFitWarning")  # constants are wrong on purpose
def test_intervals_hold_the_disagreement(sample) -> None:
    methods = {"probit-normal": cx.ProbitNormalExtrapolator(), "mixture": cx.MixtureExtrapolator()}
    estimator = cx.CrossValidatedExtrapolator(methods, n_splits=2).fit(sample.scores, sample.labels)
    low, high = estimator.predict_interval(480)[0]
    assert low < estimator.predict(480)[0] < high
    apart = {"low": Constant(0.2), "high": Constant(0.6)}
    stacked = cx.CrossValidatedExtrapolator(apart, n_splits=2, shrinkage=100).fit(sample.scores, sample.labels)
    ends = stacked.predict_interval(480)[0]
    assert ends[0] < 0.2
    assert ends[1] > 0.6


@pytest.mark.filterwarnings("ignore::classex.exceptions.LackOfFitWarning")  # constants are wrong on purpose
def test_too_few_classes_to_compare() -> None:
    scores = GaussianClasses(10, 0.3).sample(8, rng=1)
    methods = [Constant(0.3), Constant(0.5)]
    estimator = cx.CrossValidatedExtrapolator(methods).fit(scores.scores, scores.labels)
    np.testing.assert_array_equal(estimator.law_.weights, 0.5)
    assert estimator.law_.trials == ()


def test_average_needs_no_trials(sample) -> None:
    methods = [cx.ProbitNormalExtrapolator(), cx.MixtureExtrapolator()]
    estimator = cx.CrossValidatedExtrapolator(methods, combine="average").fit(sample.scores, sample.labels)
    assert estimator.law_.trials == ()
    alone = [method.fit(sample.scores, sample.labels).predict([50, 500]) for method in methods]
    np.testing.assert_allclose(estimator.predict([50, 500]), np.mean(alone, axis=0), rtol=1e-12)


def test_bad_input(sample) -> None:
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    with pytest.raises(ValueError, match="ratios must all be greater than 1"):
        cx.CrossValidatedExtrapolator(ratios=(2, 0.5)).fit_ranks(ranks)
    with pytest.raises(ValueError, match="ratios must all be greater than 1"):
        cx.CrossValidatedExtrapolator(ratios=()).fit_ranks(ranks)
    with pytest.raises(ValueError, match="combine must be one of 'stack', 'choose', 'average', not 'mean'"):
        cx.CrossValidatedExtrapolator(combine="mean").fit_ranks(ranks)
    with pytest.raises(ValueError, match="candidates must hold at least one estimator"):
        cx.CrossValidatedExtrapolator({}).fit_ranks(ranks)
    with pytest.raises(TypeError, match="candidates must be extrapolation estimators, but 'a' is 3"):
        cx.CrossValidatedExtrapolator({"a": 3}).fit_ranks(ranks)
    with pytest.raises(ValueError, match="candidates must differ"):
        cx.CrossValidatedExtrapolator([Constant(0.5), Constant(0.5)]).fit_ranks(ranks)
    with pytest.raises(TypeError, match="candidate 'a' needs scores"):
        cx.CrossValidatedExtrapolator({"a": ScoresOnly(0.5)}).fit_ranks(ranks)
