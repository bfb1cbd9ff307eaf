"""Delays, drift, repeats and out-of-run predictions against slow reference implementations and against known truth."""

from __future__ import annotations

import numpy as np
import pytest

from classex.fields.identification import random_effects
from classex_book.encoding import fit_encoding, predict_responses
from classex_book.recordings import delay_features, detrend, noise_ceiling, out_of_run_r2, segment_scores


def test_delays_sample_by_sample():
    rng = np.random.default_rng(0)
    x, runs, delays = rng.normal(size=(11, 2)), [0] * 4 + [5] * 2 + [2] * 5, [3, 0, 1]
    plain = np.zeros((11, 6))
    for t in range(11):
        for i, lag in enumerate(delays):
            if t - lag >= 0 and runs[t - lag] == runs[t]:
                plain[t, 2 * i : 2 * i + 2] = x[t - lag]
    np.testing.assert_array_equal(delay_features(x, delays, runs=runs), plain)
    # a delay longer than a run leaves zeros
    assert not delay_features(x[:3], [7]).any()


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_detrending_is_the_residual_of_a_polynomial_in_every_run(degree):
    rng = np.random.default_rng(1)
    y, runs = rng.normal(size=(30, 2)), np.repeat([0, 1], [12, 18])
    found = detrend(y, runs=runs, degree=degree)
    for run in (0, 1):
        t = np.arange((runs == run).sum())
        for column in range(2):
            plain = y[runs == run, column] - np.polyval(np.polyfit(t, y[runs == run, column], degree), t)
            np.testing.assert_allclose(found[runs == run, column], plain, atol=1e-9)
    np.testing.assert_allclose(detrend(found, runs=runs, degree=degree), found, atol=1e-12)


def test_the_signal_variance_is_unbiased():
    """z = 4 over draws, for a fixed signal and independent noise of unequal size."""
    rng = np.random.default_rng(2)
    signal = rng.normal(size=(40, 3)) * [0.0, 0.5, 2.0]
    truth = signal.var(axis=0, ddof=1)
    draws = np.array([noise_ceiling(signal + rng.normal(size=(4, 40, 3)) * [1, 2, 0.5])[0] for _ in range(600)])
    error = draws.std(axis=0, ddof=1) / np.sqrt(600)
    assert (np.abs(draws.mean(axis=0) - truth) < 4 * error).all()
    ceiling = noise_ceiling(signal + rng.normal(size=(4, 40, 3)))[1]
    assert ((ceiling >= 0) & (ceiling <= 1)).all()


def test_out_of_run_prediction_by_hand():
    rng = np.random.default_rng(3)
    x, runs = rng.normal(size=(60, 4)), np.repeat([2, 0, 1], 20)
    y = np.column_stack([x[:, 0] + rng.normal(size=60), rng.normal(size=60)])
    error, total = 0.0, 0.0
    for run in range(3):
        fit = fit_encoding(x[runs != run], y[runs != run])
        error += np.square(y[runs == run] - predict_responses(fit, x[runs == run])).sum(axis=0)
        total += np.square(y[runs == run] - y[runs != run].mean(axis=0)).sum(axis=0)
    np.testing.assert_allclose(out_of_run_r2(x, y, runs), 1 - error / total, rtol=1e-12)


def test_segments_are_sums_of_samples():
    scores = np.random.default_rng(4).normal(size=(11, 11))
    found = segment_scores(scores, 3)
    assert found.shape == (3, 3)
    for i in range(3):
        for j in range(3):
            assert found[i, j] == pytest.approx(sum(scores[3 * i + t, 3 * j + t] for t in range(3)))


@pytest.mark.parametrize("between", [0.0, 0.5])
def test_random_effects_cover_the_population_mean(between):
    """z = 4: nominal coverage, and the spread between subjects on average, for normal subjects."""
    rng, n, m = np.random.default_rng(5), 8, 1500
    covered, spread = 0, []
    for _ in range(m):
        own = 1.0 + between * rng.normal(size=n)
        error = rng.uniform(0.1, 0.4, n)
        group = random_effects(own + error * rng.normal(size=n), error)
        covered += group.interval.low <= 1.0 <= group.interval.high
        spread.append(group.between**2)
    assert abs(covered / m - 0.95) < 4 * np.sqrt(0.95 * 0.05 / m)
    if between:
        assert np.mean(spread) == pytest.approx(between**2, abs=4 * np.std(spread) / np.sqrt(m) + 0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: delay_features([[1.0]], []), "delays must hold one or more different numbers"),
        (lambda: delay_features([[1.0]], [1, 1]), "delays must hold one or more different numbers"),
        (lambda: delay_features([[1.0]], [-1]), "delays must be an integer of at least 0, not -1"),
        (lambda: delay_features(np.ones((3, 1)), [1], runs=[0, 1, 0]), "runs must be blocks"),
        (lambda: delay_features(np.ones((3, 1)), [1], runs=[0, 1]), "runs must name the run of each of the 3 samples"),
        (lambda: detrend(np.ones((4, 1)), degree=3), "degree must be at most 2 for a run of 4 samples, not 3"),
        (lambda: noise_ceiling(np.ones((1, 5, 2))), "repeats must hold at least 2 repeats of at least 3 samples"),
        (lambda: noise_ceiling(np.ones((2, 5, 2))), "repeats must vary in every response, but response 0 is constant"),
        (lambda: out_of_run_r2(np.ones((9, 1)), np.ones((9, 1)), np.zeros(9)), "at least two different runs"),
        (lambda: segment_scores(np.ones((4, 4)), 3), "at least two segments of 3"),
        (lambda: random_effects([1.0], [1.0]), "must have one length of at least 2, not 1 and 1"),
        (lambda: random_effects([1.0, 2.0], [0.1, -1.0]), "standard_errors must not be negative"),
    ],
)
def test_bad_input_gets_one_clear_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()
