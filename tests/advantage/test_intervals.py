"""Intervals for the prediction advantage: closed forms, coverage, and the corners where others fail."""

from itertools import product

import numpy as np
import pytest
from scipy import optimize, special, stats

from benchmarks.coverage.populations import populations
from classex.advantage import prediction_advantage, prediction_advantage_interval
from classex.advantage.intervals import _delta_limits, _general_limits, _zero_one_limits, score_limits
from classex.advantage.measure import make_target, prepare

CELLS = populations()
IDS = [f"{loss}-{population.name}" for loss, population in CELLS]


@pytest.mark.parametrize("population", [population for _, population in CELLS], ids=IDS)
def test_coverage(population):
    """250 samples of 200 rows: coverage within 93-97 %, apart from simulation noise at z = 3."""
    rng = np.random.default_rng(77)
    runs, hits = 250, 0
    for _ in range(runs):
        y, f = population.draw(200, rng)
        interval = prediction_advantage_interval(y, f, **population.options)
        hits += interval.low <= population.advantage <= interval.high
    slack = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert 0.93 - slack < hits / runs < 0.97 + slack


def test_standard_error_is_the_delta_method_of_the_ratio():
    rng = np.random.default_rng(0)
    y = rng.normal(size=500)
    f = 0.6 * y + rng.normal(size=500)
    interval = prediction_advantage_interval(y, f, loss="squared")
    # numerical derivatives of the ratio of moments (mean of (y-f)^2, mean of y^2, mean of y)
    moments = np.stack([(y - f) ** 2, y**2, y])

    def ratio(m):
        return 1 - m[0] / (m[1] - m[2] ** 2)

    gradient = optimize.approx_fprime(moments.mean(axis=1), ratio, 1e-7)
    expected = np.sqrt(gradient @ np.cov(moments) @ gradient / 500)
    assert interval.standard_error == pytest.approx(expected, rel=1e-5)
    assert interval.value == prediction_advantage(y, f, loss="squared")
    factor = np.log((1 - interval.low) / (1 - interval.high)) / 2
    assert factor > 1.96 * expected / (1 - interval.value)  # Student's quantile is the longer one
    assert (1 - interval.low) * (1 - interval.high) == pytest.approx((1 - interval.value) ** 2)


def test_limits_use_students_quantile_with_the_freedom_of_a_variance():
    """A variance of n values with kurtosis b has 2n / (b - 1) degrees of freedom, at most n - 1."""
    rng = np.random.default_rng(1)
    for n, spread in ((40, rng.normal(size=40)), (40, rng.normal(size=40) ** 5), (6, rng.uniform(-1, 1, 6))):
        y = rng.normal(size=n)
        f = y + spread
        interval = prediction_advantage_interval(y, f, loss="squared", confidence_level=0.9)
        losses, constant = np.square(y - f), np.square(y - y.mean())
        theta = losses.mean() / constant.mean()
        influence = (losses - theta * constant) / constant.mean()
        kurtosis = np.mean(influence**4) / np.mean(influence**2) ** 2
        freedom = min(2 * n / (kurtosis - 1), n - 1)
        factor = np.exp(stats.t.ppf(0.95, freedom) * interval.standard_error / theta)
        assert interval.low == pytest.approx(1 - theta * factor, rel=1e-9)
        assert interval.high == pytest.approx(1 - theta / factor, rel=1e-9)


def test_weights_are_importance_weights():
    """Rows drawn from another distribution and weighted back: the interval covers the true value, z = 3."""
    rng = np.random.default_rng(21)
    hits, runs, n = 0, 400, 300
    # label 1 has share .3 in the population and .5 in the sample; error rate .1 for label 0, .3 for label 1
    truth = 1 - (0.7 * 0.1 + 0.3 * 0.3) / 0.3
    for _ in range(runs):
        y = rng.integers(0, 2, n)
        wrong = rng.random(n) < np.where(y == 1, 0.3, 0.1)
        weight = np.where(y == 1, 0.3 / 0.5, 0.7 / 0.5)
        interval = prediction_advantage_interval(y, np.where(wrong, 1 - y, y), sample_weight=weight)
        hits += interval.low <= truth <= interval.high
    assert abs(hits / runs - 0.95) < 3 * np.sqrt(0.05 * 0.95 / runs) + 0.01


def brute_force_statistic(theta, both, first, second, n):
    """Score statistic with the constrained likelihood maximised numerically."""
    cells = np.array([both, first, second, n - both - first - second])

    def distribution(free):
        # margins p1 = theta p0; free: p0, and the overlap as a share of what is possible
        p0 = 1 / (1 + np.exp(-free[0])) * min(1, 1 / theta)
        low, high = max(0, (1 + theta) * p0 - 1), min(p0, theta * p0)
        overlap = low + (high - low) / (1 + np.exp(-free[1]))
        return np.array([overlap, theta * p0 - overlap, p0 - overlap, 1 - (1 + theta) * p0 + overlap])

    def cost(free):
        return -(cells * np.log(np.maximum(distribution(free), 1e-300))).sum()

    starts = product((-2.0, 0.0, 2.0), repeat=2)
    best = min((optimize.minimize(cost, s, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12,
               "maxiter": 4000}) for s in starts), key=lambda found: found.fun)  # fmt: skip
    p = distribution(best.x)
    variance = p[0] * (1 - theta) ** 2 + p[1] + theta**2 * p[2]
    return (both + first - theta * (both + second)) / n / np.sqrt(variance / n)


@pytest.mark.parametrize("cells", [(5, 6, 30, 100), (2, 9, 1, 60), (20, 3, 3, 50), (0, 4, 7, 40)])
def test_score_limits_against_numerical_likelihood(cells):
    low, high = score_limits(*cells, 0.95)
    z = stats.norm.ppf(0.975)
    assert brute_force_statistic(low, *cells) == pytest.approx(z, abs=1e-4)
    assert brute_force_statistic(high, *cells) == pytest.approx(-z, abs=1e-4)


def test_score_limits_with_empty_cells():
    low, high = score_limits(0, 0, 40, 100, 0.95)
    assert low == 0
    assert 0 < high < 0.2
    low, high = score_limits(40, 0, 0, 100, 0.95)  # the predictions never differ
    assert low < 1 < high
    assert score_limits(0, 30, 1, 100, 0.9999)[1] > 100
    assert score_limits(1, 0, 0, 1, 0.999999)[0] >= 0


def test_perfect_predictions_have_an_interval():
    y = np.repeat([0, 1], 100)
    interval = prediction_advantage_interval(y, y)
    assert interval.high == 1
    assert 0.9 < interval.low < 0.99
    weighted = prediction_advantage_interval(y, y, sample_weight=np.linspace(1, 2, 200))
    assert weighted.high == 1
    assert 0.9 < weighted.low < 0.99
    cost = np.array([[0, 1], [5, 0]])
    costly = prediction_advantage_interval(y, y, loss=cost)
    chance = 1 - 0.025 ** (1 / 200)
    assert costly.low == pytest.approx(1 - 5 * chance / 0.5)
    with pytest.raises(ValueError, match="every loss is 0, and this loss has no upper limit"):
        prediction_advantage_interval(y * 1.0, y, loss="squared")
    # the bootstrap cannot see an error that never happened
    failed = prediction_advantage_interval(y, y, method="bootstrap", rng=0)
    assert (failed.low, failed.high) == (1, 1)


def test_a_larger_cost_than_any_seen_is_allowed_for():
    y, cost = np.repeat([0, 1], [190, 10]), np.array([[0.0, 1.0], [100.0, 0.0]])
    f = y.copy()
    f[0] = 1  # one cheap error
    interval = prediction_advantage_interval(y, f, loss=cost)
    chance = 1 - 0.025 ** (1 / 200)
    marginal = 190 / 200
    assert interval.low < 1 - 99 * chance / marginal
    # with equal costs nothing larger can occur, and nothing is added
    cheap = prepare(make_target(y, loss=cost / np.array([[1.0], [100.0]])), f, None)
    most = _general_limits(cheap, cheap.target.constant_losses(1), 0.95)[1]
    assert 1 - most > 0.6 > 0 > interval.low
    # every row as costly as can be: the ratio does not exceed the largest cost over the marginal risk
    y[:195] = 0
    worst = prediction_advantage_interval(y, 1 - y, loss=cost)
    assert worst.low >= 1 - 100 / (cost[y, 1].mean()) - 1e-9


def test_unseen_labels_may_cost_the_constant_more():
    cost = np.array([[0.0, 1, 1], [1, 0, 1], [100, 100, 0]])
    y, f = np.repeat([0, 1], [30, 20]), np.repeat([0, 1, 1], [27, 3, 20])
    interval = prediction_advantage_interval(y, f, loss=cost, labels=[0, 1, 2])
    known = prediction_advantage_interval(y, f, loss=cost[:2, :2])
    assert interval.high > known.high
    assert interval.low < known.low


@pytest.mark.parametrize("scale", [0.1, 0.3, 1 / 7])
def test_bootstrap_ties_do_not_depend_on_rounding(scale):
    """Many resamples have the observed error ratio. Weights that are all equal change it by rounding only."""
    y = np.repeat([0, 1], [25, 15])
    f = np.where(np.arange(40) % 10 == 0, 1 - y, y)
    plain = prediction_advantage_interval(y, f, method="bootstrap", rng=0)
    scaled = prediction_advantage_interval(y, f, sample_weight=np.full(40, scale), method="bootstrap", rng=0)
    np.testing.assert_allclose([scaled.low, scaled.high], [plain.low, plain.high], rtol=1e-12)


def test_bootstrap_samples_of_one_value_are_left_out():
    """Rounding of 0.1 must not make a marginal risk of 1e-34 of them."""
    y = np.array([0.1, 0.1, 0.1, 0.3])
    weight = [0.1, 0.2, 0.4, 0.3]
    interval = prediction_advantage_interval(
        y, y + 0.1, loss="squared", method="bootstrap", sample_weight=weight, rng=0
    )
    assert interval.low > -100


def test_tied_modes_are_joined():
    """With a tie both modes' intervals are kept, so the interval holds that of either."""
    y = np.repeat([0, 1], 50)
    f = np.where(np.arange(100) % 5 == 0, 1 - y, y)
    f[:10] = 0
    case = prepare(make_target(y), f, None)
    low, high = _delta_limits(case, 0.95)
    for mode in (0, 1):
        single = _zero_one_limits(case, case.target.constant_losses(mode), 0.95)
        assert low <= single[0]
        assert high >= single[1]


@pytest.mark.parametrize(("lead", "joined"), [(14, True), (16, False)])
def test_a_rival_constant_counts_if_it_may_be_the_best(lead, joined):
    """Two labels, one ahead of the other by .7 or .8 standard errors: the limits of both constants, or of the best."""
    y = np.repeat([0, 1], [200 + lead // 2, 200 - lead // 2])
    case = prepare(make_target(y), np.roll(y, 3), None)
    best = _zero_one_limits(case, case.reference, 0.95)
    assert (_delta_limits(case, 0.95) != best) == joined


def test_intervals_over_units_cover():
    """Twelve subjects who differ, 40 rows each: 114 of 120 expected, and more than 104 at z = 4."""
    rng, covered, of = np.random.default_rng(5), {True: 0, False: 0}, np.repeat(range(12), 40)
    truth = 1 - special.ndtr(-0.5 / np.sqrt(2)) / 0.5  # errors of probability Phi(-1/2 + z), half of the labels 1
    for _ in range(120):
        wrong = rng.random(of.size) < special.ndtr(-0.5 + rng.normal(size=12))[of]
        y = rng.integers(2, size=of.size)
        for known in covered:
            found = prediction_advantage_interval(y, np.where(wrong, 1 - y, y), units=of if known else None)
            covered[known] += found.low < truth < found.high
    assert covered[True] > 104
    assert covered[False] < 80
