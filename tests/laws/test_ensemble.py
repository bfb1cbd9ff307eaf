"""The team of laws: its mean, its refits, its variance, its names."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.curves.metrics import as_rank_metric
from classex.laws import (
    ENSEMBLE_WEIGHTS,
    EnsembleLaw,
    Law,
    fit_ensemble,
    fit_gaussian_process,
    fit_mixture,
    fit_probit_normal,
)
from classex.laws.law import metric_of_law, variance_of_law
from classex.models import GaussianClasses

SIZES = np.array([5.0, 60.0, 600.0])


@pytest.fixture(scope="module")
def ranks():
    sample = GaussianClasses(5, 0.3).sample(60, n_repeats=2, rng=4)
    return cx.correct_ranks(sample.scores, sample.labels)


def test_slow_twin(ranks) -> None:
    """Mean, D and variance put together by hand."""
    law = fit_ensemble(ranks)
    one, other = fit_gaussian_process(ranks), fit_probit_normal(ranks)
    mine, its = (ENSEMBLE_WEIGHTS[name] for name in ("Gaussian process", "probit-normal"))
    assert mine + its == 1
    assert dict(ENSEMBLE_WEIGHTS) == law.evidence.parameters
    u = np.linspace(0, 1, 50)
    for top in (1, 2):
        a, b = one.accuracy(SIZES, top), other.accuracy(SIZES, top)
        np.testing.assert_allclose(law.accuracy(SIZES, top), mine * a + its * b, rtol=1e-12)
        within = mine * one.variance(SIZES, top) + its * other.variance(SIZES, top)
        np.testing.assert_allclose(law.variance(SIZES, top), within + mine * its * (a - b) ** 2, rtol=1e-9)
    np.testing.assert_allclose(law.cdf(u), mine * one.cdf(u) + its * other.cdf(u), rtol=1e-12)
    assert isinstance(law, Law)


def test_variance_of_a_metric(ranks) -> None:
    """Twin: a member's deviation is the weighted sum of those of its accuracies; the laws' metrics are apart."""
    law, metric = fit_ensemble(ranks), as_rank_metric("map@3")
    one, other = fit_gaussian_process(ranks), fit_probit_normal(ranks)
    drops = {1: 1 / 2, 2: 1 / 6, 3: 1 / 3}
    summed = [sum(w * np.sqrt(each.variance(SIZES, m)) for m, w in drops.items()) for each in (one, other)]
    a, b = (metric_of_law(each, SIZES, metric) for each in (one, other))
    mean = law.weights @ np.square(summed) + law.weights[0] * law.weights[1] * (a - b) ** 2
    np.testing.assert_allclose(variance_of_law(law, SIZES, metric), mean, rtol=1e-9)
    np.testing.assert_allclose(variance_of_law(law, SIZES, as_rank_metric("hit@2")), law.variance(SIZES, 2))


def test_the_yardstick_is_the_member_where_there_is_one(ranks) -> None:
    law = fit_ensemble(ranks)
    assert law.yardstick is law.members["probit-normal"]
    other = fit_ensemble(ranks, weights={"empirical Bayes": 1.0})
    assert (other.yardstick.mu, other.yardstick.nu) == (law.yardstick.mu, law.yardstick.nu)
    # what was asked for last is kept, and only that
    member = fit_probit_normal(ranks)
    first = member.accuracy(SIZES, 2)
    first[:] = 0.0
    np.testing.assert_array_equal(member.accuracy(SIZES, 2), fit_probit_normal(ranks).accuracy(SIZES, 2))
    assert member.accuracy(SIZES[:1]).shape == member.variance(SIZES[:1]).shape == (1,)
    assert member.accuracy(SIZES)[0] < member.accuracy(SIZES, 2)[0]


def test_a_member_without_a_variance_takes_the_yardsticks(ranks) -> None:
    law = fit_ensemble(ranks, weights={"Gaussian process": 1.0, "empirical Bayes": 3.0})
    one, plain = fit_gaussian_process(ranks), fit_probit_normal(ranks)
    assert law.members["empirical Bayes"].variance(SIZES) is None
    within = 0.25 * one.variance(SIZES) + 0.75 * plain.variance(SIZES)
    np.testing.assert_allclose(law.variance(SIZES), within + law.disagreement(SIZES), rtol=1e-9)


def test_weights_name_the_members(ranks) -> None:
    law = fit_ensemble(ranks, weights={"probit-normal": 3, "empirical Bayes": 1})
    np.testing.assert_array_equal(law.weights, [0.75, 0.25])
    assert list(law.members) == ["probit-normal", "empirical Bayes"]
    for weights, message in (
        ({"crystal ball": 1.0}, "weights must be for some of"),
        ({}, "weights must name at least one law"),
        ({"probit-normal": 0.0}, r"weights\['probit-normal'\] must be"),
    ):
        with pytest.raises(ValueError, match=message):
            fit_ensemble(ranks, weights=weights)
    with pytest.raises(TypeError, match="must be a CorrectRanks"):
        fit_ensemble([1])  # type: ignore[arg-type]


def test_refit_keeps_the_team(ranks) -> None:
    law = fit_ensemble(ranks, weights={"probit-normal": 1.0, "Gaussian process": 2.0})
    again = law.refit(ranks)
    assert isinstance(again, EnsembleLaw)
    np.testing.assert_allclose(again.accuracy(SIZES), law.accuracy(SIZES))
    np.testing.assert_allclose(again.variance(SIZES), law.variance(SIZES))


def test_scores_reach_the_member_that_uses_them() -> None:
    sample = GaussianClasses(10, 0.1).sample(60, rng=2)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    law = fit_ensemble(ranks, sample.scores, weights={"mixture": 1.0})
    np.testing.assert_allclose(law.accuracy(SIZES), fit_mixture(ranks, sample.scores).accuracy(SIZES))
    assert not np.allclose(law.accuracy(SIZES), fit_mixture(ranks).accuracy(SIZES), atol=1e-4)
