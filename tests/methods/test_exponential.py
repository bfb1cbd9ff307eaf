"""The exponential baseline: recovers exponentials, never rises, stays above chance."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx


@pytest.fixture(scope="module")
def ranks():
    sample = cx.models.GaussianClasses(5, 0.3).sample(40, n_repeats=3, rng=2)
    return cx.correct_ranks(sample.scores, sample.labels)


@pytest.mark.parametrize("top", [1, 3])
def test_line_through_the_logarithms(top, ranks):
    est = cx.Extrapolator(cx.methods.sources.Exponential()).fit_ranks(ranks)
    sizes = np.unique(np.geomspace(top + 1, 40, 50).round())
    observed = cx.accuracy_curve(ranks, sizes, top=top).accuracy
    y = -np.log((observed - top / sizes) / (1 - top / sizes))
    x = np.log(sizes / top)
    slope, offset = np.polyfit(x, y, 1)
    if offset < 0:
        offset, slope = 0.0, (x @ y) / (x @ x)
    k = np.array([50, 500])
    expected = top / k + (1 - top / k) * np.exp(-offset - slope * np.log(k / top))
    np.testing.assert_allclose(est.predict(k, top=top), expected, rtol=1e-9)
    if top == 1:
        assert (est.distribution_.offset, est.distribution_.rate) == pytest.approx((offset, slope))


def test_perfect_and_hopeless_data():
    assert cx.Extrapolator(cx.methods.sources.Exponential()).fit(np.eye(5), np.arange(5)).predict(
        [5, 10**6]
    ) == pytest.approx([1, 1])
    worst = cx.Extrapolator(cx.methods.sources.Exponential()).fit(1 - np.eye(5), np.arange(5))
    assert worst.distribution_.offset == np.inf
    assert worst.predict([5, 100]) == pytest.approx([0.2, 0.01])
    two = cx.Extrapolator(cx.methods.sources.Exponential()).fit(
        [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0, 1], [0, 1]], [0, 1, 1, 1, 1]
    )
    assert 0.5 < two.predict(2)[0] < 1
