"""The estimator with a method of its own: fits, intervals, variances and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import classex as cx
from classex import Extrapolator
from classex.curves.accuracy import distractor_ratio
from classex.curves.metrics import as_rank_metric
from classex.distributions import Distribution, Evidence
from classex.methods import Method
from classex.models import GaussianClasses


@dataclass(frozen=True)
class PowerLaw(Distribution):
    """Powers of the share of wrong labels beaten: crude, quick, and linear in the points."""

    share: np.ndarray

    @property
    def evidence(self) -> Evidence:
        return Evidence()

    def accuracy(self, sizes: np.ndarray, top: int = 1) -> np.ndarray:
        return np.power(self.share[:, None], sizes - top).mean(axis=0)

    def cdf(self, u: np.ndarray) -> np.ndarray:
        return (self.share[:, None] <= u).mean(axis=0)


class PlugIn(Method):
    """The method of the power law."""

    def fit(self, ranks: cx.CorrectRanks, scores: Any = None) -> PowerLaw:  # noqa: ARG002
        return PowerLaw((ranks.wins + 0.5 * ranks.ties) / (ranks.n_classes - 1))


@pytest.fixture
def sample():
    return GaussianClasses(3, 0.4).sample(40, n_repeats=2, rng=3)


def test_fit_returns_the_estimator_and_keeps_what_it_saw(sample) -> None:
    estimator = Extrapolator(PlugIn())
    assert estimator.fit(sample.scores, sample.labels) is estimator
    assert estimator.ranks_.n_classes == 40
    assert isinstance(estimator.distribution_, Distribution)
    np.testing.assert_array_equal(estimator.scores_, sample.scores)
    assert Extrapolator(PlugIn()).fit_ranks(estimator.ranks_).scores_ is None


def test_few_classes_are_certain(sample) -> None:
    estimator = Extrapolator(PlugIn()).fit(sample.scores, sample.labels)
    assert estimator.predict(1)[0] == 1
    np.testing.assert_array_equal(estimator.predict([1, 2, 3], top=3), 1)


def test_repr_names_the_method() -> None:
    assert repr(cx.Extrapolator("regression")) == "Extrapolator(method='regression')"
    assert repr(cx.Extrapolator()) == "Extrapolator()"


@pytest.mark.parametrize("target", ["average", "fresh", "superset"])
def test_intervals_hold_the_prediction(sample, target) -> None:
    estimator = Extrapolator(PlugIn()).fit(sample.scores, sample.labels)
    value = estimator.predict([20, 40, 80])
    ends = estimator.predict_interval([20, 40, 80], target=target, n_resamples=20)
    assert (ends[:, 0] <= value).all()
    assert (value <= ends[:, 1]).all()
    assert (ends >= 0).all()
    assert (ends <= 1).all()


def test_targets_are_ordered(sample) -> None:
    estimator = Extrapolator(PlugIn()).fit(sample.scores, sample.labels)
    width = {
        (target, repeats): np.diff(estimator.predict_interval(60, target=target, n_repeats=repeats))[0, 0]
        for target, repeats in [("average", None), ("fresh", None), ("fresh", 1), ("superset", None)]
    }
    assert width["superset", None] <= width["average", None] < width["fresh", None] < width["fresh", 1]


def test_higher_levels_and_seeds(sample) -> None:
    estimator = Extrapolator(PlugIn()).fit(sample.scores, sample.labels)
    wide = np.diff(estimator.predict_interval(80, confidence_level=0.99))
    narrow = np.diff(estimator.predict_interval(80, confidence_level=0.5))
    assert wide > narrow
    np.testing.assert_array_equal(estimator.predict_interval(80, rng=5), estimator.predict_interval(80, rng=5))
    assert (estimator.predict_interval(80, rng=5) != estimator.predict_interval(80, rng=6)).any()


def test_resampled_variance_is_the_sampling_variance() -> None:
    """Across 150 experiments the mean estimated variance matches the variance found, at 4 standard errors."""
    model, found, estimated = GaussianClasses(3, 0.4), [], []
    for seed in range(150):
        drawn = model.sample(30, rng=seed)
        estimator = Extrapolator(PlugIn()).fit(drawn.scores, drawn.labels)
        found.append(estimator.predict(30)[0])
        rng = np.random.default_rng(seed)
        estimated.append(estimator.fitted_._variance(np.array([30.0]), (as_rank_metric("accuracy"),), 40, rng)[0, 0])
    truth = np.var(found, ddof=1)
    error = truth * np.sqrt(2 / 149) + np.std(estimated) / np.sqrt(150)
    assert abs(np.mean(estimated) - truth) < 4 * error


def test_ranks_alone_give_similar_intervals(sample) -> None:
    exact = Extrapolator(PlugIn()).fit(sample.scores, sample.labels)
    thinned = Extrapolator(PlugIn()).fit_ranks(exact.ranks_)
    ratio = np.diff(thinned.predict_interval(40)) / np.diff(exact.predict_interval(40))
    assert 0.6 < ratio[0, 0] < 1.6


def test_distractors_add_to_the_variance(sample) -> None:
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    assert distractor_ratio(ranks) >= 1
    assert distractor_ratio(cx.CorrectRanks(ranks.wins, ranks.ties, ranks.labels, 40)) == 1
    assert distractor_ratio(cx.correct_ranks(np.eye(6), np.arange(6))) == 1
