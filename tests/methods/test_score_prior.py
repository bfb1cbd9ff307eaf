"""Scores as a second witness: the guess, its kernels, and the calibration by held-out wins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from classex._loops.likelihood import count_wins_among, pooled_histogram, wrong_moments
from classex.methods._score_prior import fit_score_prior, score_probits


def location_scale_rows(k1: int, mu: float, nu: float, seed: int):
    """Normal wrong scores with a location and scale of their own in each row; W known exactly."""
    rng = np.random.default_rng(seed)
    location, scale = rng.normal(0, 2, (k1, 1)), np.exp(rng.normal(0, 0.3, (k1, 1)))
    scores = rng.normal(size=(k1, k1))
    w = rng.normal(mu, nu, k1)
    scores[np.arange(k1), np.arange(k1)] = w
    return location + scale * scores, np.arange(k1), w


def alternate(k1: int) -> np.ndarray:
    """One split: every second class."""
    return np.arange(k1)[None] % 2 == 0


def test_kernels_match_plain_numpy() -> None:
    rng = np.random.default_rng(0)
    scores, labels = np.round(rng.normal(size=(12, 9)), 1), rng.integers(0, 9, 12)
    use = rng.random(9) < 0.6
    use[:2] = True
    mean, sd, wins, wrong = (np.empty(12) for _ in range(4))
    wrong_moments(scores, labels, use, mean, sd)
    count_wins_among(scores, labels, use, wins, wrong)
    location, scale = rng.normal(size=12), 1 + rng.random(12)
    counts = pooled_histogram(scores, labels, use, location, scale, -3.0, 0.5, 12)
    pooled = []
    for row in range(12):
        others = [column for column in range(9) if use[column] and column != labels[row]]
        values, truth = scores[row, others], scores[row, labels[row]]
        assert mean[row] == pytest.approx(values.mean())
        assert sd[row] == pytest.approx(values.std())
        assert wins[row] == (values < truth).sum() + 0.5 * (values == truth).sum()
        assert wrong[row] == len(others)
        pooled.extend((values - location[row]) / scale[row])
    bins = np.clip(np.floor((np.array(pooled) + 3) / 0.5), 0, 11).astype(int)
    np.testing.assert_array_equal(counts, np.bincount(bins, minlength=12))


def test_guess_is_right_for_location_scale_families() -> None:
    scores, labels, w = location_scale_rows(400, 3.0, 0.8, 1)
    guess = score_probits(scores, labels, np.ones(400, dtype=bool))
    assert guess is not None
    # each row's own mean and scale are known to about 1/sqrt(400), times the distance from the centre
    assert np.std(guess - w) < 0.25
    assert abs(np.mean(guess - w)) < 0.1


def test_guess_ignores_affine_changes_of_rows() -> None:
    scores, labels, _ = location_scale_rows(60, 2.0, 0.8, 2)
    use = np.ones(60, dtype=bool)
    guess = score_probits(scores, labels, use)
    np.testing.assert_allclose(score_probits(3 * scores - 7, labels, use), guess, atol=1e-2)


def test_constant_rows_allow_no_guess() -> None:
    scores, labels, _ = location_scale_rows(30, 2.0, 0.8, 3)
    scores[4] = 1.0
    assert score_probits(scores, labels, np.ones(30, dtype=bool)) is None
    assert fit_score_prior(scores, labels, np.full(30, 1 / 30), halves=alternate(30)) is None


def test_too_few_columns_allow_no_guess() -> None:
    scores, labels, _ = location_scale_rows(30, 2.0, 0.8, 3)
    assert score_probits(scores, labels, np.arange(30) < 4) is None


def test_upper_tails_without_width_allow_no_guess() -> None:
    scores = np.zeros((30, 30))
    scores[:, 0] = -5.0
    scores[0, 1] = -5.0
    assert score_probits(scores, np.arange(30), np.ones(30, dtype=bool)) is None


def test_calibration_finds_what_the_guess_misses() -> None:
    """True scores shifted beyond what the wrong scores imply are not noticed by ranks; wins notice them."""
    scores, labels, w = location_scale_rows(400, 1.2, 0.7, 4)
    distribution = fit_score_prior(scores, labels, np.full(400, 1 / 400), halves=alternate(400))
    assert distribution is not None
    mean, spread = distribution.normal(distribution.guess)
    assert abs(mean.mean() - w.mean()) < 0.1
    assert np.corrcoef(mean, w)[0, 1] > 0.95
    assert np.median(spread) < 0.35
    assert distribution.held_weight.sum() == pytest.approx(1)


def test_calibration_takes_up_a_wrong_scale() -> None:
    # scores transformed so that upper tails look much longer than a common shape would have them
    scores, labels, w = location_scale_rows(400, 1.2, 0.7, 5)
    bent = np.sign(scores) * np.abs(scores) ** 1.5
    distribution = fit_score_prior(bent, labels, np.full(400, 1 / 400), halves=alternate(400))
    assert distribution is not None
    truth = special.ndtr(w)[:, None] ** np.array([1, 99])
    z = np.linspace(-5, 5, 81)
    share = np.exp(-0.5 * z**2) / np.exp(-0.5 * z**2).sum()
    mean, spread = distribution.normal(distribution.guess)
    fitted = [(special.ndtr(mean[:, None] + spread[:, None] * z) ** p @ share).mean() for p in (1, 99)]
    assert np.abs(np.array(fitted) - truth.mean(axis=0)).max() < 0.05


def test_prior_covariance_fades_with_data() -> None:
    sizes = []
    for k1 in (40, 400):
        scores, labels, _ = location_scale_rows(k1, 1.0, 0.8, 6)
        distribution = fit_score_prior(scores, labels, np.full(k1, 1 / k1), halves=alternate(k1))
        assert distribution is not None
        sizes.append(distribution.prior_covariance[0, 0])
    assert sizes[1] < 0.5 * sizes[0]
