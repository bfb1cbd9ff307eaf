"""What a prediction rests on: shares by quadrature, bounds that hold for every distribution, the sentence."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate, special, stats

import classex as cx
from classex.forecast import moment_limits
from classex.forecast.forecast import ObservedCurve, _reach, least_accuracy, reliance_of
from classex.methods import ProbitNormal
from classex.models import GaussianClasses


def reliance_on_assumption(distribution, ranks, sizes):
    return reliance_of(distribution, ObservedCurve(ranks), np.atleast_1d(np.asarray(sizes, dtype=np.float64)), 0.95)


@pytest.fixture(scope="module")
def ranks():
    sample = GaussianClasses(5, 0.3).sample(40, n_repeats=3, rng=4)
    return cx.correct_ranks(sample.scores, sample.labels)


def test_share_against_quadrature(ranks) -> None:
    """Probit-normal: E[U^(K-1); U > 1 - 1/k1] / E U^(K-1), by adaptive quadrature over w."""
    distribution = ProbitNormal().fit(ranks)
    sizes = np.array([10, 40, 80])
    found = reliance_on_assumption(distribution, ranks, sizes)
    edge = special.ndtri(1 - 1 / 40)
    density = stats.norm(distribution.mu, distribution.nu).pdf
    for k, share in zip(sizes, found.unseen, strict=True):

        def term(w: float, k: int = int(k)) -> float:
            return float(np.exp((k - 1) * special.log_ndtr(w)) * density(w))

        part, whole = (integrate.quad(term, start, 12, limit=200)[0] for start in (edge, -8))
        assert share == pytest.approx(part / whole, abs=1e-3)
    assert (np.diff(found.unseen) > 0).all()


@pytest.mark.parametrize("seed", range(20))
def test_bounds_hold_for_every_distribution(seed: int) -> None:
    """Exact moments of a random discrete distribution lie between the bounds; one point attains the lower."""
    rng = np.random.default_rng(seed)
    u, p = 1 - 10 ** rng.uniform(-5, 0, 6), rng.dirichlet(np.ones(6))
    sizes = np.array([50.0, 51.0, 500.0, 1e6])

    def moment(k: float) -> float:
        return float(p @ u ** (k - 1))

    low = least_accuracy(moment(49), moment(50), sizes - 50)
    exact = np.array([moment(k) for k in sizes])
    assert (low <= exact + 1e-15).all()
    assert (exact <= moment(50) + 1e-15).all()
    assert low[0] == pytest.approx(exact[0])
    long = least_accuracy(moment(20), moment(50), (sizes - 50) / 30)
    assert (long <= low + 1e-15).all()
    assert least_accuracy(0.9**48, 0.9**49, np.array([10.0]))[0] == pytest.approx(0.9**59)


def test_the_share_of_an_accuracy_that_is_almost_nothing() -> None:
    sample = cx.models.BivariateNormal(0.999).sample(200, n_repeats=3, rng=1)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    distribution = ProbitNormal().fit(ranks)
    found = reliance_on_assumption(distribution, ranks, [10**9, 10**12])
    assert distribution.accuracy(np.array([1e12]))[0] < 1e-100
    np.testing.assert_allclose(found.unseen, 1.0)
    assert "more than 99 %" in str(found)


def test_reach_is_where_the_limits_part() -> None:
    """Twin by steps of one class."""
    wins = np.repeat([299, 298, 250], [2960, 20, 20])
    ranks = cx.ranks_from_wins(wins, 300, labels=np.arange(3000) % 300)
    found = reliance_on_assumption(ProbitNormal().fit(ranks), ranks, 40_000)
    assert 300 < found.reach < 40_000
    low, high = moment_limits(ranks, [found.reach, found.reach + 1]).T
    assert high[0] - low[0] <= 0.1 < high[1] - low[1]
    assert f"to within 0.1 it is known only up to {int(found.reach):,} classes" in str(found)


def test_share_last_fall_against_a_count(ranks) -> None:
    share, error = ObservedCurve(ranks).last_fall
    assert share == pytest.approx(np.mean(ranks.wins == 38), abs=1e-9)
    assert error > 0


def test_where_every_point_is_right_the_limits_are_wide() -> None:
    """Twenty of twenty: half a class more could differ."""
    ranks = cx.correct_ranks(np.eye(20), range(20))
    low, high = moment_limits(ranks, [20, 40, 200]).T
    assert 0.86 < low[0] < 0.9
    assert low[1] < 0.75
    assert (high == 1).all()
    assert "between 1.000 and 1.000" not in str(cx.extrapolate(ranks, n_classes=40))


def test_the_prediction_lies_in_its_own_range() -> None:
    model, outside = GaussianClasses(10, 0.2), 0
    for seed in range(20):
        sample = model.sample(50, rng=[5, seed])
        result = cx.extrapolate(sample.scores, sample.labels, n_classes=60, target=None, confidence_level=0.5)
        found = result.reliance
        assert found.confidence_level == 0.5
        outside += not found.low[0] <= result.accuracy[0] <= found.high[0]
    assert outside == 0


def test_the_sentence_is_in_the_result(ranks) -> None:
    result = cx.extrapolate(ranks, n_classes=[40, 4_000])
    assert result.method == "gaussian-process"
    assert "comes from test points that fewer than one in 40 wrong labels beat" in str(result)
    stored = result.to_dict()
    assert 0.9 < stored["reliance"]["unseen"][1] <= 1
    assert stored["reliance"]["low"][1] <= stored["accuracy"][1] <= stored["reliance"]["high"][1]
    assert result.reliance.low[1] < 1e-3
    # a list of guesses has other bounds, and none are claimed
    assert cx.extrapolate(ranks, n_classes=[400], top=3).reliance is None


def test_limits_that_are_further_apart_at_the_last_observed_size_have_no_reach():
    """Within .1 of each other they reach beyond; .15 apart they do not, although the upper one is near the lowest."""
    near, far = (
        SimpleNamespace(end=lambda _, low=low: (low, 0.65, 0.6, 0.62), n_observed=100, last_step=(90, 100))
        for low in (0.58, 0.5)
    )
    assert _reach(near, 0.95) > 100
    assert _reach(far, 0.95) == 0
