"""Restated reports: limits with standard errors, the estimate, information, set sizes, and messages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize

import classex as cx

TWO = [(200, 1, 0.161), (200, 5, 0.436)]


def test_limits_contain_the_accuracies_of_a_known_distribution():
    distribution = cx.distributions.DiscreteDistribution.normal(1.5, 1.2)
    reports = [(n, m, float(distribution.accuracy(np.array([float(n)]), m)[0])) for n, m in ((20, 1), (50, 5), (8, 2))]
    sizes = [3, 10, 100, 5_000]
    found = [cx.restate(reports[:j], n_classes=sizes, top=2) for j in (1, 2, 3)]
    truth = distribution.accuracy(np.array(sizes, dtype=float), 2)
    for one in found:
        assert (one.limits[:, 0] <= truth + 1e-9).all()
        assert (truth <= one.limits[:, 1] + 1e-9).all()
    widths = [np.diff(one.limits)[:, 0] for one in found]
    assert (widths[1] < widths[0] + 1e-8).all()
    assert (widths[2] < widths[1] + 1e-8).all()
    nats = [one.nats for one in found]
    assert nats == sorted(nats)


def test_standard_errors_widen_limits_to_those_of_the_ends():
    a, s, z = 0.62, 0.03, 1.959963984540054
    found = cx.restate([(50, 1, a, s)], n_classes=[10, 200])
    low, high = (cx.distributions.restated_limits(one, 50, [10, 200]) for one in (a - z * s, a + z * s))
    np.testing.assert_allclose(found.limits, np.stack([low[:, 0], high[:, 1]], axis=1), atol=3e-9)
    assert found.nats == pytest.approx(cx.information_bound(a - z * s, 50), rel=1e-6)
    # two reports share the error probability
    both = cx.restate([(50, 1, a, s), (2, 1, 0.95, 0.02)], n_classes=50)
    assert both.limits[0, 1] == pytest.approx(a + 2.241402727604947 * s, abs=1e-7)


def test_the_information_of_one_top_1_accuracy_is_the_bound_of_chapter_4():
    for n, a in ((2, 0.8), (50, 0.6), (1000, 0.01), (200, 0.999)):
        assert cx.restate([(n, 1, a)], n_classes=10).nats == pytest.approx(cx.information_bound(a, n), rel=1e-5)
    assert cx.restate([(10, 1, 0.1)], n_classes=20).bits == pytest.approx(0, abs=1e-9)  # chance
    assert cx.restate([(10, 1, 0.05)], n_classes=20).bits > 0.05  # below chance U is not uniform either


def test_the_information_of_a_longer_list_is_a_tilted_uniform_distribution():
    a = 0.9  # top 2 of 5: u^4 + 4 u^3 (1 - u)

    def gain(u):
        return u**4 + 4 * u**3 * (1 - u)

    def dual(y):
        return y * a - np.log(integrate.quad(lambda u: np.exp(y * gain(u)), 0, 1)[0])

    plain = optimize.minimize_scalar(lambda y: -dual(y), bounds=(0, 100), method="bounded", options={"xatol": 1e-10})
    assert cx.restate([(5, 2, a)], n_classes=5).nats == pytest.approx(-plain.fun, rel=1e-7)


def test_an_exact_accuracy_of_1_or_0_has_infinite_information():
    assert np.isinf(cx.restate([(4, 1, 1.0)], n_classes=10).nats)
    assert np.isinf(cx.restate([(4, 1, 0.0)], n_classes=10).nats)
    assert np.isfinite(cx.restate([(4, 1, 0.9, 0.01)], n_classes=10).nats)


@pytest.mark.parametrize(
    "reports",
    [
        [(2, 1, 0.8), (3, 1, 0.64)],  # all points alike
        [(2, 1, 0.8), (3, 1, 0.8)],  # points are right or wrong
        [(4, 1, 0.887), (10, 1, 0.887)],
        [(200, 1, 0.161), (200, 5, 0.161)],
        [(5, 2, 1.0)],
        [(50, "mean", 1)],
        [(2, 1, 0.7), (3, 1, 0.52), (4, 1, 0.412)],  # three quarters at 0.6, a quarter at 1
    ],
)
def test_information_is_infinite_where_only_a_few_favourabilities_are_possible(reports):
    found = cx.restate(reports, n_classes=10)
    assert np.isinf(found.nats)
    assert "infinite information" in str(found)


def test_information_is_finite_inside():
    """A uniform distribution on an interval of width .002 around .8 has the information log 500."""
    u = np.linspace(0.799, 0.801, 100_001)
    reports = [(2, 1, float(u.mean())), (3, 1, float(np.square(u).mean()))]
    found = cx.restate(reports, n_classes=10)
    assert 2 < found.nats <= np.log(500)
    # reports that agree in nine digits are the same
    nats = [cx.restate([(2, 1, 0.8), (3, 1, 0.64 + more)], n_classes=10).nats for more in (1.1e-9, 1.65e-9)]
    assert np.isinf(nats).tolist() == [True, False]
    chance = cx.restate([(4, 1, 0.25, 0.01)], n_classes=10)
    assert chance.nats == 0.0
    assert "at least 0 nats (0 bits)" in str(chance)


def test_the_output_says_what_is_assumed():
    exact, known = (str(cx.restate([report], n_classes=[3, 10])) for report in ((4, 1, 0.887), (4, 1, 0.887, 0.0027)))
    for text, errors in (
        (exact, "without sampling error (1 of 1 have no standard error)"),
        (known, "up to standard errors that include the draw of the classes"),
    ):
        (line,) = (one for one in text.splitlines() if one.startswith("Assumed: "))
        assert (
            line == f"Assumed: reports are means over random sets of classes, {errors}, and other classes are as hard."
        )
        assert text.index("Assumed: ") < text.index("classes of its own") < text.index(" nats (") < text.index("limits")
        assert "`classex bound` gives far less" in text
        assert "5 of 5 models" in text
    assert "5 of 5 models" not in str(cx.restate([(10, 1, 0.887)], n_classes=4))


def test_the_failure_that_the_output_tells():
    """MMLU to MMLU-Pro (Wang and others 2024, Table 2): each estimate is too high, and so are two of the intervals."""
    below = []
    for four, ten in ((0.887, 0.7255), (0.868, 0.6845), (0.815, 0.5511), (0.789, 0.5912), (0.820, 0.5620)):
        found = cx.restate([(4, 1, four)], n_classes=10)
        assert found.limits[0, 0] < ten < found.accuracy[0]
        below.append(ten < found.interval[0, 0])
    assert sum(below) == 2


def test_a_mean_rank_is_an_accuracy_with_two_classes():
    rank = cx.restate([(50, "mean", 3.2, 0.4)], n_classes=[10, 100])
    pair = cx.restate([(2, 1, 1 - 2.2 / 49, 0.4 / 49)], n_classes=[10, 100])
    np.testing.assert_array_equal(rank.limits, pair.limits)
    np.testing.assert_array_equal(rank.accuracy, pair.accuracy)


def test_the_estimate_is_that_of_the_published_curve_within_the_limits():
    found = cx.restate([(10, 1, 0.9, 0.01), (100, 1, 0.7, 0.02)], n_classes=[50, 1000], top=3)
    fitted = cx.Extrapolator().fit_curve([10, 100], [0.9, 0.7], standard_error=[0.01, 0.02])
    np.testing.assert_allclose(found.accuracy, np.clip(fitted.predict([50, 1000], top=3), *found.limits.T))
    assert (found.limits[:, :1] <= found.interval).all()
    assert (found.interval <= found.limits[:, 1:]).all()
    two = cx.restate(TWO, n_classes=50)
    assert two.accuracy[0] == two.limits[0, 0]  # these contradict the curve that the default expects
    for reports in ([(50, 5, 0.8)], [(50, 1, 1.0)]):
        alone = cx.restate(reports, n_classes=100)
        assert alone.accuracy is None
        assert alone.interval is None
        assert "95 %" not in str(alone)


def test_an_increasing_density_narrows_the_limits():
    free, narrow = (cx.restate([(50, 1, 0.62)], n_classes=200, shape=shape) for shape in ("any", "increasing"))
    assert free.limits[0, 0] < narrow.limits[0, 0] < narrow.limits[0, 1] < free.limits[0, 1]
    # uniform on [v, 1], as one of them: the mean of u^(n-1) is (1 - v^n) / (n (1 - v))
    v = optimize.brentq(lambda v: (1 - v**50) / (50 * (1 - v)) - 0.62, 0, 1 - 1e-9)
    inside = (1 - v**200) / (200 * (1 - v))
    assert narrow.limits[0, 0] - 1e-9 < inside < narrow.limits[0, 1]


def test_set_sizes_invert_the_top_m_accuracies():
    sample = cx.models.GaussianClasses(10, 0.3).sample(60, rng=1)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    fitted = cx.Extrapolator().fit_ranks(ranks)
    found = cx.set_size(fitted, [60, 300], coverage=0.8)
    for k, size, (low, high) in zip(found.n_classes, found.size, found.interval, strict=True):
        # plainly: every m in turn, until the last of the three is reached
        tops = range(1, min(int(k), int(high) + 1))
        ends = [fitted.predict_interval(k, top=m)[0] for m in tops]
        values = [fitted.predict(k, top=m)[0] for m in tops]
        for reached, m in ((values, size), ([e[1] for e in ends], low), ([e[0] for e in ends], high)):
            assert m == next((m for m, value in zip(tops, reached, strict=True) if value >= 0.8), k)
    same = cx.set_size(ranks, [60, 300], coverage=0.8)
    np.testing.assert_array_equal(same.size, found.size)
    certain = cx.set_size(fitted, 3, coverage=0.999)
    assert certain.interval[0, 1] == 3
