"""Shifted scores: a plain twin, exact curves, monotone changes, and their say in the Gaussian process."""

from __future__ import annotations

from dataclasses import replace
from math import comb, exp, log

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex._kernels.thresholds import count_below
from classex.laws import CurvePrior, ShiftedScores, fit_gaussian_process, shift_scores
from classex.models import GaussianClasses

FACTORS = [-3 + 0.5 * j for j in range(21)]


def exponential(k1: int, seed: int, spread: float = 1.5):
    """Wrong scores with exponential tails of one width; the truth's height decides, and is known."""
    rng = np.random.default_rng(seed)
    scores = rng.exponential(size=(k1, k1))
    height = np.log(k1) + spread * rng.standard_normal(k1)
    height = np.maximum(height, 0.05)
    scores[np.arange(k1), np.arange(k1)] = height
    return scores, np.arange(k1), height


def plain_twin(scores: np.ndarray, labels: np.ndarray) -> tuple[list[float], float]:
    """Accuracies for all shifts, and the agreement, in loops."""
    n, k1 = scores.shape
    wrong = [[s for c, s in enumerate(row) if c != label] for row, label in zip(scores, labels, strict=True)]
    pooled = sorted(s for row in wrong for s in row)
    many = len(pooled)
    first = many - int(min(max(20, 0.001 * many), 2_000))
    excess = sum(s - pooled[first] for s in pooled[first:]) / (many - first)

    def height(s: float) -> float:
        above = sum(p > s for p in pooled) + sum(p == s for p in pooled) / 2
        beyond = (s - pooled[-1]) / excess if s > pooled[-1] else 0.0
        return -log((above + 0.5) / (many + 1)) + beyond

    def score(t: float) -> float:
        if t < 0:
            return -np.inf
        place = many - exp(-t) * (many + 1)
        low = min(max(int(np.floor(place)), 0), many - 2)
        inside = pooled[low] + (min(max(place, 0), many - 1) - low) * (pooled[low + 1] - pooled[low])
        return inside + max(t - log(2 * (many + 1)), 0) * excess

    few = round(k1 / 8)

    def success(wins: int, ties: int, size: int) -> float:
        """With ties broken at random, by enumeration of the number of ties that come with the drawn labels."""
        total = 0.0
        for drawn in range(min(ties, size - 1) + 1):
            ways = comb(wins, size - 1 - drawn) * comb(ties, drawn)
            total += ways / (drawn + 1)
        return total / comb(k1 - 1, size - 1)

    rise = 0.0
    for row in wrong:
        ordered = sorted(row, reverse=True)
        chances = [comb(k1 - 2 - j, few - 2) / comb(k1 - 1, few - 1) for j in range(k1 - 1)]
        rise += (height(ordered[0]) - sum(p * height(s) for p, s in zip(chances, ordered, strict=True))) / n

    def accuracy(shift: float, size: int) -> float:
        total = 0.0
        for row, true in zip(wrong, scores[np.arange(n), labels], strict=True):
            at = score(height(true) - shift) if shift else true
            total += success(sum(s < at for s in row), sum(s == at for s in row), size)
        return total / n

    def probit(a: float) -> float:
        return float(special.ndtri((n * a + 0.5) / (n + 1)))

    unit = rise / log(k1 / few)
    seen = probit(accuracy(0, few)) - probit(accuracy(0, k1))
    told = probit(accuracy(0, few)) - probit(accuracy(rise, few))
    return [probit(accuracy(unit * f, k1)) for f in FACTORS], seen / max(told, 1e-3)


@pytest.mark.parametrize(("seed", "decimals"), [(0, 12), (1, 12), (2, 2)])
def test_shifted_scores_against_a_plain_twin(seed: int, decimals: int) -> None:
    sample = GaussianClasses(6, 0.3).sample(40, n_repeats=2, rng=seed)
    scores = np.round(sample.scores, decimals)
    found = shift_scores(cx.correct_ranks(scores, sample.labels), scores)
    assert found is not None
    twin, agreement = plain_twin(scores, sample.labels)
    place = np.rint(2 * (found.log_sizes - np.log(40)) + 6).astype(int)
    np.testing.assert_allclose(found.probit, np.array(twin)[place], atol=1e-9)
    np.testing.assert_allclose(found.agreement, agreement, rtol=1e-8)


def test_exact_where_more_classes_shift_the_highest_score_and_no_more() -> None:
    """Exponential scores: means over 24 draws are within z = 4 of the exact accuracy, up to thirty times k1."""
    k1, sizes = 200, np.array([50.0, 200.0, 1_000.0, 6_000.0])
    off, agreement = [], []
    for seed in range(24):
        scores, labels, height = exponential(k1, seed)
        found = shift_scores(cx.correct_ranks(scores, labels), scores)
        assert found is not None
        truth = [np.exp((k - 1) * np.log1p(-np.exp(-height))).mean() for k in sizes]
        off.append(special.ndtr(found.curve(sizes)) - truth)
        agreement.append(found.agreement)
    error = np.std(off, axis=0, ddof=1) / np.sqrt(24)
    # the discreteness of pooled heights, and the half points, are worth half a per cent
    assert (np.abs(np.mean(off, axis=0)) < 4 * error + 0.005).all()
    assert abs(np.mean(agreement) - 1) < 4 * np.std(agreement, ddof=1) / np.sqrt(24) + 0.02


def test_counts_at_thresholds() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 9, (12, 15)).astype(float)
    labels = rng.integers(0, 15, 12)
    thresholds = np.sort(rng.integers(-1, 10, (12, 6)) / 2.0, axis=1)
    thresholds[0, 0] = -np.inf
    below, equal = count_below(scores, labels, thresholds)
    for i in range(12):
        wrong = np.delete(scores[i], labels[i])
        for q in range(6):
            assert below[i, q] == (wrong < thresholds[i, q]).sum()
            assert equal[i, q] == (wrong == thresholds[i, q]).sum()


def test_where_scores_do_not_serve() -> None:
    scores, labels, _ = exponential(40, 3)
    few, coarse, endless, flat = scores[:19, :19], np.round(scores), scores.copy(), np.zeros((40, 40))
    endless[3, 5] = np.inf
    assert shift_scores(cx.correct_ranks(scores, labels), scores) is not None
    for block in (few, coarse, endless, flat):
        true = np.diag(block)[:, np.newaxis]
        wins, ties = (block < true).sum(axis=1), (block == true).sum(axis=1) - 1
        ranks = cx.CorrectRanks(wins, ties, np.arange(len(block)), len(block))
        assert shift_scores(ranks, block) is None
    # no ties with the truth, but the same highest wrong score in every row
    flat[np.arange(40), np.arange(40)] = 1.0
    assert shift_scores(cx.correct_ranks(flat, labels), flat) is None
    with pytest.raises(TypeError, match="must be a CorrectRanks"):
        shift_scores("ranks", scores)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [np.exp, np.cbrt, lambda s: 3 * s - 7, lambda s: np.arctan(s / 20)])
def test_monotone_changes_of_all_scores(change) -> None:
    sample = GaussianClasses(10, 0.2).sample(150, rng=2)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    plain, changed = (shift_scores(ranks, s) for s in (sample.scores, change(sample.scores)))
    assert plain is not None
    assert changed is not None
    at = np.array([30.0, 150.0, 1_500.0])
    np.testing.assert_allclose(changed.curve(at), plain.curve(at), atol=0.02)
    fits = [cx.EnsembleExtrapolator().fit(s, sample.labels) for s in (sample.scores, change(sample.scores))]
    # a hundredth of the error, where less than one was asked for
    error = np.sqrt(fits[0].law_.variance(at))
    assert (np.abs(fits[1].predict(at) - fits[0].predict(at)) < 0.01 * error).all()


def test_curve_and_trust() -> None:
    shifted = ShiftedScores(np.arange(4.0), np.array([2.0, 1.5, 1.2, 0.8]), 1.5)
    np.testing.assert_allclose(shifted.curve(np.exp([-2.0, 0.5, 5.0])), [3.0, 1.75, 0.0], atol=1e-12)
    assert shifted.trust == pytest.approx(np.exp(-0.5))
    assert replace(shifted, agreement=1.0).trust == 1


@pytest.mark.parametrize("seed", [0, 1])
def test_gaussian_process_with_scores_against_a_slow_twin(seed: int) -> None:
    """Twin: mean and covariance with the share of the shifts, conditioned by the inverse of the whole covariance."""
    sample = GaussianClasses(10, 0.2).sample(60, rng=seed)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    prior = CurvePrior(scores=0.4)
    law = fit_gaussian_process(ranks, sample.scores, prior=prior)
    assert law.shifted is not None
    share = 0.4 * np.exp(-2 * (law.shifted.agreement - 1) ** 2)
    at = np.array([500.0, 20_000.0])
    n = law.sizes.size
    every = np.concatenate([law.sizes, at])
    center = (1 - share) * prior.mean(every) + share * law.shifted.curve(every)
    joint = share * prior.level_sd**2 + (1 - share) * prior.covariance(every, every)
    joint[:n, :n] += law.noise
    precision = np.linalg.inv(joint)
    conditional = np.linalg.inv(precision[n:, n:])
    mean, variance = law.posterior(at)
    np.testing.assert_allclose(variance, np.diag(conditional), rtol=1e-5)
    np.testing.assert_allclose(
        mean, center[n:] - conditional @ precision[n:, :n] @ (law.probit - center[:n]), rtol=1e-5
    )
    # intervals are narrower by the share of the scores
    alone = fit_gaussian_process(ranks, prior=prior).scatter(at)
    np.testing.assert_allclose(law.scatter(at), (1 - 1.5 * share) * alone)
    fine = np.geomspace(2, 1e10, 80)
    assert (np.diff(law.accuracy(fine)) <= 1e-12).all()


def test_scores_have_their_say_and_no_more() -> None:
    sample = GaussianClasses(10, 0.1).sample(50, rng=4)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    plain = fit_gaussian_process(ranks)
    at = np.array([50.0, 3_000.0])
    for other in (
        fit_gaussian_process(ranks, sample.scores, use_scores=False),
        fit_gaussian_process(ranks, sample.scores, prior=CurvePrior(scores=0.0)),
    ):
        np.testing.assert_allclose(other.posterior(at)[0], plain.posterior(at)[0], rtol=1e-12)
    asked = cx.GaussianProcessExtrapolator().fit(sample.scores, sample.labels)
    assert abs(asked.law_.posterior(at)[0] - plain.posterior(at)[0]).max() > 1e-3
    # all scores in other units, and in another order of the columns
    moved = cx.GaussianProcessExtrapolator().fit(3 - 2 * -sample.scores, sample.labels)
    np.testing.assert_allclose(moved.predict(at), asked.predict(at), rtol=1e-6)
    turned = cx.GaussianProcessExtrapolator().fit(sample.scores[:, ::-1], 49 - sample.labels)
    np.testing.assert_allclose(turned.predict(at), asked.predict(at), rtol=1e-6)
    # refitted with scores, and without them by ranks
    again = asked.law_.refit(ranks, sample.scores)
    np.testing.assert_allclose(again.accuracy(at), asked.predict(at), rtol=1e-12)
    assert asked.law_.refit(ranks).shifted is None
    assert replace(asked.law_, shifted=None).covariance(at, at)[0, 0] > asked.law_.covariance(at, at)[0, 0]


def test_tenfold_extrapolation_of_known_worlds() -> None:
    """Mean error over 16 draws within z = 4 and .03 of bias; intervals hold as often as they claim, less z = 4."""
    off, hit, model = [], [], GaussianClasses(10, 0.2)
    truth = float(np.atleast_1d(model.average_accuracy([1_000]))[0])
    for seed in range(16):
        sample = model.sample(100, rng=seed)
        fitted = cx.GaussianProcessExtrapolator().fit(sample.scores, sample.labels)
        (value,), ((low, high),) = fitted.predict(1_000), fitted.predict_interval(1_000)
        off.append(value - truth)
        hit.append(low <= truth <= high)
    spread = np.std(off, ddof=1)
    assert abs(np.mean(off)) < 4 * spread / 4 + 0.03
    assert np.mean(hit) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 16)
