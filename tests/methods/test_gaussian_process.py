"""The Gaussian process for accuracy curves: slow references, curves it must follow, published curves, bad input."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, special, stats

import classex as cx
from classex.curves.metrics import as_rank_metric
from classex.distributions import DiscreteDistribution, Distribution, average_accuracy
from classex.distributions.distribution import metric_variance
from classex.methods import CurvePrior, GaussianProcess, GaussianProcessDistribution, probit_normal_accuracy
from classex.methods.gaussian_process import _as_hard
from classex.models import BivariateNormal


def ranks_of(w: np.ndarray, k1: int, seed: int) -> cx.CorrectRanks:
    wins = np.random.default_rng(seed).binomial(k1 - 1, special.ndtr(w))
    return cx.CorrectRanks(wins, np.zeros_like(wins), np.repeat(np.arange(k1), w.size // k1), k1)


def test_a_slope_that_is_forgotten() -> None:
    """Reference: the covariance .8^2 exp(-|x - y| / 1.5) of the slope, summed over a million pairs x, y."""
    prior = CurvePrior(level_sd=0.0, slope_sd=0.8, length=1.5)
    sizes = np.array([7.0, 900.0])
    t = np.log10(sizes / 2)
    found = prior.covariance(sizes, sizes)
    middles = (np.arange(1_000) + 0.5) / 1_000
    for i in range(2):
        for j in range(2):
            apart = np.abs(t[i] * middles[:, np.newaxis] - t[j] * middles)
            reference = 0.64 * t[i] * t[j] * np.exp(-apart / 1.5).mean()
            assert found[i, j] == pytest.approx(reference, abs=1e-5)


def test_posterior_against_a_slow_reference() -> None:
    """Data and target are jointly normal for either kind of curve; Bayes' rule weighs the two by scipy's density."""
    distribution = GaussianProcess(prior=CurvePrior(unusual=0.3)).fit_curve([5, 40, 300], [0.93, 0.7, 0.33], 100)
    at = np.array([1_000.0, 50_000.0])
    every = np.concatenate([distribution.sizes, at])
    share, first, second = [], [], []
    for chance, scale in ((0.7, 1), (0.3, 4)):
        prior = replace(distribution.prior, slope_sd=scale * distribution.prior.slope_sd)
        joint = prior.covariance(every, every)
        joint[:3, :3] += distribution.noise
        precision = np.linalg.inv(joint)
        conditional = np.linalg.inv(precision[3:, 3:])
        off = distribution.probit - prior.mean(distribution.sizes)
        mean = prior.mean(at) - conditional @ precision[3:, :3] @ off
        share.append(
            chance * stats.multivariate_normal(prior.mean(distribution.sizes), joint[:3, :3]).pdf(distribution.probit)
        )
        first.append(mean)
        second.append(mean**2 + np.diag(conditional))
    share = np.divide(share, np.sum(share))
    assert 0.05 < share[0] < 0.95
    mean, variance = distribution.posterior(at)
    np.testing.assert_allclose(mean, share @ first, rtol=1e-6)
    np.testing.assert_allclose(variance, share @ second - (share @ first) ** 2, rtol=1e-5)


def test_the_mean_slope_is_steep_at_first() -> None:
    """Reference: the slope b + c exp(-t / d) summed over a million steps."""
    prior = CurvePrior(slope=-0.4, early=-0.9, decay=0.3)
    t = np.log10(np.array([2.0, 9.0, 4_000.0]) / 2)
    middles = (np.arange(10**6) + 0.5) / 10**6
    reference = [prior.level + x * (-0.4 - 0.9 * np.exp(-x * middles / 0.3)).mean() for x in t]
    np.testing.assert_allclose(prior.mean(np.array([2.0, 9.0, 4_000.0])), reference, rtol=1e-9)


def test_a_curve_steeper_than_usual_is_not_missed() -> None:
    """Impostors in one dimension: a third nearer to the accuracy with ten times as many classes than without the rare
    component, as a mean over six samples."""
    model, far = BivariateNormal(0.9), np.array([240.0])
    error = []
    for seed in range(6):
        sample = model.sample(24, n_repeats=8, rng=seed)
        ranks = cx.correct_ranks(sample.scores, sample.labels)
        fits = [GaussianProcess(prior=prior).fit(ranks) for prior in (CurvePrior(), CurvePrior(unusual=0.0))]
        error.append([special.ndtri(fit.accuracy(far)[0]) for fit in fits])
    off = np.abs(np.mean(error, axis=0) - special.ndtri(model.average_accuracy(240)))
    assert off[0] < 2 / 3 * off[1]


def test_one_hypothetical_unit_is_added_to_a_curve() -> None:
    """Reference with loops: its accuracy falls from nearly 1 to one half, and it varies like a test point."""
    sizes, accuracy, n = [5, 40, 300], [0.9, 0.7, 0.4], 200
    distribution = GaussianProcess().fit_curve(sizes, accuracy, n)
    added = [1 - 0.5 * np.log(k) / np.log(300) for k in sizes]
    share = [(n * a + b) / (n + 1) for a, b in zip(accuracy, added, strict=True)]
    np.testing.assert_allclose(distribution.probit, stats.norm.ppf(share), rtol=1e-12)
    for i, j in itertools.product(range(3), repeat=2):
        first, last = min(i, j), max(i, j)  # accuracies fall
        spread = n**2 * accuracy[last] * (1 - accuracy[first]) / n + added[last] * (1 - added[first])
        slopes = [stats.norm.pdf(stats.norm.ppf(share[k])) for k in (i, j)]
        expected = spread / (n + 1) ** 2 / (slopes[0] * slopes[1]) + (1e-8 if i == j else 0)
        assert distribution.noise[i, j] == pytest.approx(expected, rel=1e-9)


def test_a_flat_perfect_curve_is_no_certain_slope() -> None:
    """Twenty classes, all right: the slope beyond them is the prior's but for a tenth; a thousand say more."""
    at = np.array([1e3, 1e5])
    steep = []
    for k1 in (20, 1_000):
        distribution = GaussianProcess().fit(ranks_of(np.full(k1, 9.0), k1, 0))
        mean, variance = distribution.posterior(at)
        steep.append((mean[1] - mean[0]) / 2)
        assert np.sqrt(variance[1]) > 0.3
    assert steep[0] == pytest.approx(CurvePrior().slope, abs=0.06)
    assert steep[1] > steep[0] + 0.03


@pytest.mark.parametrize(("mu", "nu"), [(2.0, 1.0), (3.5, 1.5), (0.8, 0.6)])
def test_follows_exact_curves_and_their_moments(mu: float, nu: float) -> None:
    """With hardly any noise: the observed curve to .005, ten times further to three deviations, and all parts agree."""
    sizes = np.array([2, 5, 10, 30, 100, 300, 1_000])
    curve = probit_normal_accuracy(mu, nu, sizes)
    distribution = GaussianProcess().fit_curve(sizes, curve, 10**8)
    np.testing.assert_allclose(
        distribution.accuracy(sizes.astype(float)), probit_normal_accuracy(mu, nu, sizes), atol=5e-3
    )
    ahead, spread = distribution.posterior(np.array([1e4]))
    further = special.ndtri(probit_normal_accuracy(mu, nu, [10_000]))
    assert ahead[0] == pytest.approx(further[0], abs=3 * np.sqrt(spread[0]))
    ordinary = GaussianProcess(prior=CurvePrior(unusual=0.0)).fit_curve(sizes, curve, 10**8)
    assert ordinary.posterior(np.array([1e4]))[1][0] < 0.15**2
    # D is that of the same distribution: its moments are the accuracies
    np.testing.assert_allclose(
        average_accuracy(distribution.cdf, [5, 100]), distribution.accuracy(np.array([5.0, 100.0])), atol=0.02
    )
    mean = special.ndtr(distribution.posterior(np.array([10.0, 1e4, 1e6]))[0])
    np.testing.assert_allclose(distribution.accuracy(np.array([10.0, 1e4, 1e6])), mean, atol=3e-3)


def errors_of_curves(distribution: GaussianProcessDistribution, at: np.ndarray, n: int) -> np.ndarray:
    """Draw true curves from the prior and what is seen of them; truth minus posterior mean: (n, at)."""
    rng, seen = np.random.default_rng(7), distribution.sizes.size
    every = np.concatenate([distribution.sizes, at])
    root = np.linalg.cholesky(distribution.prior.covariance(every, every) + 1e-10 * np.eye(every.size))
    curve = distribution.prior.mean(every) + rng.normal(size=(n, every.size)) @ root.T
    probit = curve[:, :seen] + rng.normal(size=(n, seen)) @ np.linalg.cholesky(distribution.noise).T
    mean = [
        GaussianProcessDistribution(distribution.sizes, one, distribution.noise, distribution.prior).posterior(at)[0]
        for one in probit
    ]
    return curve[:, seen:] - np.array(mean)


def test_posterior_variance_is_that_of_curves_drawn_at_random() -> None:
    """Monte Carlo: curves are drawn, seen with noise, and predicted; z < 5 for each variance."""
    distribution = GaussianProcess(prior=CurvePrior(slope_sd=0.3, unusual=0.0)).fit_curve(
        [5, 40, 300], [0.9, 0.7, 0.4], 200
    )
    at, n = np.array([40.0, 3_000.0, 1e5]), 4_000
    error = errors_of_curves(distribution, at, n)
    np.testing.assert_allclose(np.square(error).mean(axis=0), distribution.posterior(at)[1], rtol=5 * np.sqrt(2 / n))


@pytest.mark.parametrize("name", ["ndcg@10", "map@3"])
def test_deviation_of_a_metric_is_near_that_of_curves_drawn_at_random(name: str) -> None:
    """Monte Carlo: errors at later ranks nearly go together, so that their sum is too large by less than a tenth."""
    distribution = GaussianProcess(prior=CurvePrior(unusual=0.0)).fit_curve([5, 40, 300], [0.9, 0.7, 0.4], 200)
    metric, size, n = as_rank_metric(name), np.array([3_000.0]), 2_000
    lengths = range(1, int(name.split("@")[1]) + 1)
    value = metric.values(np.arange(1.0, len(lengths) + 2))
    hard = np.concatenate([_as_hard(size, m) for m in lengths])
    slope = np.array([stats.norm.pdf(stats.norm.ppf(distribution.accuracy(size, m)[0])) for m in lengths])
    drawn = np.sqrt(np.square(errors_of_curves(distribution, hard, n) @ (-np.diff(value) * slope)).mean())
    found = np.sqrt(metric_variance(distribution.variance, size, metric)[0])
    chance = 5 / np.sqrt(2 * n)
    assert drawn * (1 - chance) < found < 1.1 * drawn * (1 + chance)


@pytest.mark.parametrize("seed", range(3))
def test_predictions_are_probabilities_that_fall(seed: int) -> None:
    rng = np.random.default_rng(seed)
    distribution = GaussianProcess().fit(ranks_of(rng.normal(rng.normal(1.5, 1), 0.8, 60), 30, seed))
    sizes = np.geomspace(2, 1e12, 100)
    for top in (1, 3):
        value = distribution.accuracy(sizes[sizes > top], top)
        assert ((value >= 0) & (value <= 1)).all()
        assert (np.diff(value) <= 1e-12).all()
    assert (distribution.accuracy(sizes[5:], 3) >= distribution.accuracy(sizes[5:], 1)).all()
    assert (distribution.variance(sizes[5:]) >= 0).all()
    assert isinstance(distribution, Distribution)


@pytest.mark.parametrize("top", [2, 5, 10])
def test_later_ranks_are_as_hard_as_the_first_among_fewer(top: int) -> None:
    """A favourability with probability 1/2 of reaching these ranks has probability 1/2 of being the best of K'."""
    sizes = np.array([200.0, 2_000.0, 20_000.0])
    fewer = _as_hard(sizes, top)
    for k, same in zip(sizes, fewer, strict=True):
        half = optimize.brentq(lambda u, k=k: stats.binom.cdf(top - 1, k - 1, 1 - u) - 0.5, 0.5, 1 - 1e-9, xtol=1e-14)
        assert half ** (same - 1) == pytest.approx(0.5, abs=1e-6)
    # differences between distributions on the probit scale agree to a sixth; among K they do not
    one, other = DiscreteDistribution.normal(2.0, 1.0), DiscreteDistribution.normal(2.2, 1.3)

    def apart(at: np.ndarray, m: int) -> np.ndarray:
        return special.ndtri(other.accuracy(at, m)) - special.ndtri(one.accuracy(at, m))

    np.testing.assert_allclose(apart(fewer, 1), apart(sizes, top), rtol=1 / 6)
    assert (np.abs(apart(fewer, 1) - apart(sizes, top)) < np.abs(apart(sizes, 1) - apart(sizes, top))).all()
    np.testing.assert_array_equal(_as_hard(np.array([1.0, 2.0, top]), top), 2.0)
    np.testing.assert_array_equal(_as_hard(sizes, 1), sizes)


@pytest.mark.parametrize("wins", [9, 0])
def test_a_perfect_score_is_no_certainty(wins: int) -> None:
    ranks = cx.CorrectRanks(np.full(10, wins), np.zeros(10, dtype=np.int64), np.arange(10), 10)
    distribution = GaussianProcess().fit(ranks)
    assert 0 < distribution.accuracy(np.array([10.0]))[0] < 1
    assert distribution.variance(np.array([10.0]))[0] > 0


def test_more_test_points_narrow_the_curve() -> None:
    few, many = (GaussianProcess().fit_curve([10, 100], [0.9, 0.7], n) for n in (50, 5_000))
    assert many.variance(np.array([1_000.0]))[0] < few.variance(np.array([1_000.0]))[0]
    # the order in which a curve is given does not matter
    turned = GaussianProcess().fit_curve([100, 10], [0.7, 0.9], 50)
    np.testing.assert_allclose(turned.accuracy(np.array([1e3])), few.accuracy(np.array([1e3])))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="n_classes must not hold a number twice"):
        GaussianProcess().fit_curve([10, 10], [0.9, 0.8], 50)
    with pytest.raises(ValueError, match="accuracy must have one entry"):
        GaussianProcess().fit_curve([10, 20], [0.9], 50)
    with pytest.raises(ValueError, match="n_test must be"):
        GaussianProcess().fit_curve([10, 20], [0.9, 0.8], 0)
    with pytest.raises(TypeError, match="prior must be a CurvePrior"):
        GaussianProcess(prior=3).fit_curve([10, 20], [0.9, 0.8], 50)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a CorrectRanks"):
        GaussianProcess().fit("ranks")  # type: ignore[arg-type]
