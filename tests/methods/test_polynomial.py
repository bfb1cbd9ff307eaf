"""The polynomial estimator on data: plain regression, unbiasedness, jackknife intervals."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx


def plain_coefficients(scores, labels, degree):
    """The regression row by row: every test point and wrong label is an observation."""
    n, k1 = scores.shape
    design, response, weights = [], [], []
    count = np.bincount(labels)
    for row in range(n):
        wrong = np.delete(np.arange(k1), labels[row])
        for label in wrong:
            below = (scores[row, np.delete(np.arange(k1), [labels[row], label])] < scores[row, label]).sum()
            powers = [1.0]
            for z in range(1, degree + 1):
                powers.append(powers[-1] * (below + z) / (k1 - 1 + z))
            design.append(powers)
            response.append(float(scores[row, label] > scores[row, labels[row]]))
            weights.append(1 / count[labels[row]])
    return cx.methods.sources.calibrated_regression(design, response, weights=weights).coefficients


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_equals_the_regression_over_all_pairs(degree):
    rng = np.random.default_rng(degree)
    labels = np.repeat(np.arange(6), [1, 2, 3, 1, 4, 2])
    scores = rng.normal(size=(13, 6)) + np.eye(6)[labels]
    est = cx.Extrapolator(cx.methods.sources.Polynomial(degree=degree)).fit(scores, labels)
    np.testing.assert_allclose(est.distribution_.coefficients, plain_coefficients(scores, labels, degree), atol=1e-9)
    u = np.linspace(0, 1, 5)
    np.testing.assert_allclose(
        est.distribution_.cdf(u), np.polyval(est.distribution_.coefficients[::-1], u), atol=1e-12
    )
    k = np.array([2, 6, 40])
    expected = 1 - sum(b * (k - 1) / (k - 1 + h) for h, b in enumerate(est.distribution_.coefficients))
    np.testing.assert_allclose(est.predict(k), np.clip(expected, 0, 1), atol=1e-12)


def test_ties_count_in_expectation():
    rng = np.random.default_rng(5)
    labels = np.arange(12) % 6
    scores = rng.integers(0, 3, size=(12, 6)).astype(float)
    est = cx.Extrapolator(cx.methods.sources.Polynomial(degree=2)).fit(scores, labels)
    broken = []
    for _ in range(600):
        jitter = scores + rng.uniform(0, 0.5, size=scores.shape)
        broken.append(
            cx.Extrapolator(cx.methods.sources.Polynomial(degree=2)).fit(jitter, labels).distribution_.coefficients
        )
    error = np.std(broken, axis=0, ddof=1) / np.sqrt(600)
    assert (np.abs(np.mean(broken, axis=0) - est.distribution_.coefficients) < 4 * error).all()


def test_top_m_by_its_own_moments():
    sample = cx.models.BivariateNormal(0.95).sample(30, n_repeats=20, rng=0)
    est = cx.Extrapolator(cx.methods.sources.Polynomial(degree=5)).fit(sample.scores, sample.labels)
    k = [5, 10, 20]
    observed = cx.accuracy_curve(est.ranks_, k, top=2).accuracy
    np.testing.assert_allclose(est.predict(k, top=2), observed, atol=0.02)
    from_d = cx.distributions.average_accuracy(est.distribution_.cdf, [5, 10], top=2)
    np.testing.assert_allclose(est.predict([5, 10], top=2), from_d, atol=1e-7)


def test_jackknife_variance_is_that_of_leaving_classes_out():
    sample = cx.models.BivariateNormal(0.9).sample(15, n_repeats=2, rng=1)
    est = cx.Extrapolator(cx.methods.sources.Polynomial(degree=2)).fit(sample.scores, sample.labels)
    k = np.array([10.0, 15.0, 60.0])
    without = []
    for left_out in range(15):
        kept = np.delete(np.arange(15), left_out)
        rows = sample.labels != left_out
        part = cx.Extrapolator(cx.methods.sources.Polynomial(degree=2))
        part.fit(sample.scores[np.ix_(rows, kept)], np.searchsorted(kept, sample.labels[rows]))
        without.append(part.distribution_.accuracy(k))
    expected = 14 / 15 * np.square(without - np.mean(without, axis=0)).sum(axis=0)
    found = est.distribution_.variance(np.append(k, 1.0))
    np.testing.assert_allclose(found[:-1], expected, rtol=1e-9)
    assert found[-1] == 0


def test_variance_without_distractors_is_that_of_the_classes_own_points():
    sample = cx.models.BivariateNormal(0.9).sample(15, n_repeats=3, rng=1)
    full = cx.correct_ranks(sample.scores, sample.labels)
    bare = cx.CorrectRanks(full.wins, full.ties, full.labels, full.n_classes)
    est = cx.Extrapolator(cx.methods.sources.Polynomial(degree=2)).fit_ranks(bare)
    # at k = 10 the variance is at least that of the own-class curve of an almost saturated fit
    found = est.standard_error(5)
    assert found == pytest.approx(cx.accuracy_curve(bare, 5).standard_error, rel=0.15)
    ends = est.predict_interval([5, 100])
    assert (ends[:, 0] <= est.predict([5, 100])).all()
