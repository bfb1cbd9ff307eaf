"""Kernel density extrapolation: reference values, exactness where it is exact, and what is wrong with it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import classex as cx


@pytest.mark.parametrize("rule", ["ucv", "bcv"])
def test_reference_values(rule, reference, reference_scores):
    est = cx.Extrapolator(cx.methods.KernelDensity(bandwidth=rule)).fit(reference_scores, np.arange(12))
    expected = reference[f"kde_extrapolated_{rule}_k_2_12_100_1000"]
    np.testing.assert_allclose(est.predict([2, 12, 100, 1000]), expected, atol=1e-7)


def test_powers_of_favourability_are_averaged_class_by_class():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2, 3], [1, 2, 3, 6])
    scores = rng.normal(size=(12, 4)) + 2 * np.eye(4)[labels]
    est = cx.Extrapolator(cx.methods.KernelDensity(bandwidth=0.3)).fit(scores, labels)
    u = 1 - cx.methods.kernel_favourability(scores, labels, 0.3).beaten
    k = [2, 10, 1000]
    expected = [np.mean([(u[labels == c] ** (n - 1)).mean() for c in range(4)]) for n in k]
    np.testing.assert_allclose(est.predict(k), expected, rtol=1e-9)
    top = [np.mean([stats.binom.cdf(2, n - 1, 1 - u[labels == c]).mean() for c in range(4)]) for n in (4, 10, 1000)]
    np.testing.assert_allclose(est.predict([4, 10, 1000], top=3), top, rtol=1e-9)
    d = est.distribution_.cdf(np.array([0.0, 0.5, 0.9, 1.0]))
    for value, at in zip(d, (0.0, 0.5, 0.9, 1.0), strict=True):
        assert value == pytest.approx(np.mean([(u[labels == c] <= at).mean() for c in range(4)]))


def test_predictions_never_rise_and_reach_a_million_million():
    sample = cx.models.GaussianClasses(4, 0.1).sample(40, rng=0)
    est = cx.Extrapolator(cx.methods.KernelDensity()).fit(sample.scores, sample.labels)
    k = np.unique(np.geomspace(1, 10**12, 50).astype(np.int64))
    for top in (1, 2):
        accuracy = est.predict(k, top=top)
        assert np.diff(accuracy).max() <= 0
        assert ((accuracy >= 0) & (accuracy <= 1)).all()


def test_known_law_of_the_scores_is_recovered_as_classes_grow():
    """Normal wrong scores: with many classes the smoothed favourability is the true one, at K near k1 (z = 4)."""
    rng = np.random.default_rng(2)
    k1 = 1500
    margin = rng.normal(2.0, 1.0, size=k1)
    scores = rng.normal(size=(k1, k1))
    scores[np.arange(k1), np.arange(k1)] = margin
    est = cx.Extrapolator(cx.methods.KernelDensity(bandwidth="ucv")).fit(scores, np.arange(k1))
    k = np.array([2, 20, 100])
    w = np.linspace(-10, 14, 20_001)
    density = stats.norm.pdf(w, 2, 1) * (w[1] - w[0])
    truth = np.array([density @ stats.norm.cdf(w) ** (n - 1) for n in k])
    u = stats.norm.cdf(margin)
    error = np.array([np.std(u ** (n - 1)) for n in k]) / np.sqrt(k1)
    # smoothing itself costs about a hundredth
    assert (np.abs(est.predict(k) - truth) < 4 * error + 0.012).all()


def test_linear_rescaling_changes_nothing_and_a_monotone_one_does():
    sample = cx.models.GaussianClasses(4, 0.2).sample(60, rng=3)
    k = [60, 600]
    base = cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv")).fit(sample.scores, sample.labels).predict(k)
    # the bins of the bandwidth rules lie around zero, so a shift moves them a little
    linear = cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv")).fit(5 * sample.scores, sample.labels).predict(k)
    np.testing.assert_allclose(linear, base, atol=1e-3)
    with pytest.warns(cx.exceptions.LackOfFitWarning, match=r"fits an accuracy of 0\.0569 with 60 classes"):
        squared = (
            cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv"))
            .fit(-(sample.scores**2), sample.labels)
            .predict(k)
        )
    assert np.abs(squared - base).max() > 0.02
    ranks = cx.correct_ranks(-(sample.scores**2), sample.labels)
    np.testing.assert_array_equal(ranks.wins, cx.correct_ranks(sample.scores, sample.labels).wins)


def test_intervals_by_class_subsets():
    sample = cx.models.GaussianClasses(4, 0.2).sample(30, rng=3)
    est = cx.Extrapolator(cx.methods.KernelDensity(bandwidth="normal_reference")).fit(sample.scores, sample.labels)
    ends = est.predict_interval([30, 300], n_resamples=20)
    assert (ends[:, 0] < est.predict([30, 300])).all()
    assert (est.predict([30, 300]) < ends[:, 1]).all()
