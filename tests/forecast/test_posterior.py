"""The posterior against slow references: joint normal distributions, numerical integrals, draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, special, stats

from classex.forecast import ACCURACY_CURVES, Beta, CurvePrior, Posterior, Straight, mixture_of

SIZES = np.array([2.0, 5.0, 20.0, 60.0])
AHEAD = np.array([61.0, 600.0, 1e5])
OBSERVED = np.array([2.1, 1.5, 0.9, 0.6])
NOISE = 0.02 * np.exp(-np.abs(np.subtract.outer(range(4), range(4))))
PRIOR = CurvePrior((Straight(0.5, slope_sd=0.2), Straight(0.2, slope_sd=0.8), Beta(0.3, ((0.1, 0.0), (1.0, 0.1)))), 0.7)
FOUND = PRIOR.posterior(SIZES, OBSERVED, NOISE, 0.55, AHEAD)


def test_posterior_against_a_slow_reference() -> None:
    """Values with the data, and at the last size, are jointly normal; they are conditioned by inverse matrices."""
    found = PRIOR.posterior(SIZES, OBSERVED, NOISE, 0.55, AHEAD)
    every, row = np.concatenate([SIZES, AHEAD]), 0
    logs = []
    for part in PRIOR.components:
        for weight, mean, covariance in zip(part.weights, *part.processes(every, 4, OBSERVED[-1]), strict=True):
            data = covariance[:4, :4] + NOISE
            gain = covariance[3:, :4] @ np.linalg.inv(data)
            centre = mean[3:] + gain @ (OBSERVED - mean[:4])
            left = covariance[3:, 3:] - gain @ covariance[:4, 3:]
            pull = left[1:, 0] / left[0, 0]
            np.testing.assert_allclose(found.mean[row], centre[1:] + pull * (0.55 - centre[0]), rtol=1e-7)
            np.testing.assert_allclose(found.gain[row], pull, rtol=1e-7)
            spread = np.sqrt(np.diag(left)[1:] - pull * left[1:, 0])
            np.testing.assert_allclose(found.deviation[row], spread, rtol=1e-5)
            logs.append(np.log(weight) + 0.7 * stats.multivariate_normal(mean[:4], data).logpdf(OBSERVED))
            row += 1
    np.testing.assert_allclose(found.weight, special.softmax(logs), rtol=1e-8)


@pytest.mark.parametrize(("below", "above"), [(0.3, 0.1), (0.0, 0.4), (0.2, np.inf)])
def test_distribution_function_against_an_integral(below: float, above: float) -> None:
    """The last value is normal on either side of the observed one, with a deviation of its own."""
    z = np.array([[-0.4, 0.3], [-0.5, 0.1], [-2.0, 0.0]])
    found = FOUND.cdf(z, below, above)
    for i, j in np.ndindex(z.shape):

        def given(x: float, i: int = i, j: int = j) -> float:
            at = x * (below if x < 0 else above)
            if not np.isfinite(at):
                return 0.0
            within = stats.norm.cdf(z[i, j], FOUND.mean[:, i] + FOUND.gain[:, i] * at, FOUND.deviation[:, i])
            return float(stats.norm.pdf(x) * (FOUND.weight @ within))

        halves = [integrate.quad(given, *ends)[0] for ends in ((-9, 0), (1e-12, 9))]
        assert found[i, j] == pytest.approx(sum(halves), abs=1e-7)


def test_quantiles_invert_the_distribution_function() -> None:
    ends = FOUND.quantiles([0.025, 0.5, 0.975], 0.2, 0.1)
    np.testing.assert_allclose(FOUND.cdf(ends, 0.2, 0.1), np.tile([0.025, 0.5, 0.975], (3, 1)), atol=1e-4)
    assert np.isinf(FOUND.quantiles([0.6], 0.2, np.inf)).all()
    assert np.isfinite(FOUND.quantiles([0.4], 0.2, np.inf)).all()


def test_next_to_the_last_size_the_interval_is_the_last_value_s_own() -> None:
    near = PRIOR.posterior(SIZES, OBSERVED, NOISE, 0.55, np.array([60.0 + 1e-9]))
    np.testing.assert_allclose(
        near.quantiles([0.025, 0.5, 0.975], 0.2, 0.1), [[0.55 - 0.2 * 1.959964, 0.55, 0.55 + 0.1 * 1.959964]], atol=1e-3
    )


def test_the_spread_is_that_of_draws() -> None:
    """Monte Carlo with 400,000 draws; quantiles at one standard deviation, to a hundredth."""
    rng, n = np.random.default_rng(0), 400_000
    part = rng.choice(FOUND.weight.size, n, p=FOUND.weight)
    last = 0.3 * rng.standard_normal(n)
    drawn = FOUND.mean[part, 1] + FOUND.gain[part, 1] * last + FOUND.deviation[part, 1] * rng.standard_normal(n)
    low, high = np.quantile(drawn, stats.norm.cdf([-1, 1]))
    assert FOUND.spread(0.3)[1] == pytest.approx((high - low) / 2, rel=0.01)
    near = PRIOR.posterior(SIZES, OBSERVED, NOISE, 0.55, np.array([60.0 + 1e-9]))
    assert near.spread(0.3)[0] == pytest.approx(0.3, abs=1e-3)


def test_mixtures_add_up() -> None:
    other = replace(FOUND, mean=FOUND.mean - 0.5)
    both = mixture_of([FOUND, other], np.array([0.25, 0.75]))
    z = np.array([[0.1]] * 3)
    np.testing.assert_allclose(both.cdf(z, 0.1, 0.1), 0.25 * FOUND.cdf(z, 0.1, 0.1) + 0.75 * other.cdf(z, 0.1, 0.1))
    wider = mixture_of([FOUND], np.ones(1), 0.09)
    np.testing.assert_allclose(wider.deviation, np.hypot(FOUND.deviation, 0.3))


def test_the_likely_kind_is_named_unless_it_is_usual() -> None:
    def named(*weight: float) -> str | None:
        one = np.ones((3, 1))
        return Posterior(np.array(weight), ("is usual", "flattens", "is usual"), one, one, one).departure

    assert named(0.1, 0.85, 0.05) == (
        "The observed curve is more likely one that flattens (weight 0.85) than one that is usual."
    )
    assert named(0.1, 0.75, 0.15) is None
    assert named(0.5, 0.0, 0.5) is None


def test_a_prior_is_checked() -> None:
    with pytest.raises(ValueError, match="components must hold one or more"):
        CurvePrior((), 1.0)
    with pytest.raises(ValueError, match="temper must be"):
        CurvePrior((Straight(1.0),), 0.0)
    related = ACCURACY_CURVES.resembling(np.array([2.0, 50.0]), np.array([0.9, 0.5])).components[-1]
    assert related.weights.sum() == pytest.approx(sum(part.weights.sum() for part in ACCURACY_CURVES.components))
