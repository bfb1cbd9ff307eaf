"""The pooled tails of wrong scores: a plain twin, exact tails, calibration, and their say in the Gaussian process."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats

import classex as cx
from classex.laws import (
    CurvePrior,
    ProbitLaw,
    calibrate_tail_law,
    fit_gaussian_process,
    fit_tail_law,
)
from classex.laws.tail_law import _survival
from classex.models import GaussianClasses

SIZES = np.array([2.0, 20.0, 1_000.0])


def drawn(k1: int, seed: int, shape: float = 0.2, spread: float = 0.0):
    """Wrong scores of each row from a Pareto tail of a scale of its own; the true favourability is known exactly."""
    rng = np.random.default_rng(seed)
    scale = np.exp(rng.normal(0, spread, (k1, 1)))
    scores = scale * stats.genpareto.rvs(shape, size=(k1, k1), random_state=rng)
    u = special.ndtr(rng.normal(2.5, 0.8, k1))
    scores[np.arange(k1), np.arange(k1)] = scale[:, 0] * stats.genpareto.ppf(u, shape)
    return scores, np.arange(k1), u


def plain_twin(scores: np.ndarray, labels: np.ndarray) -> list[float]:
    """Probits of the favourability, point by point, in loops."""
    k1 = scores.shape[1]
    levels, tails = [], []
    for row, label in zip(scores, labels, strict=True):
        wrong = sorted((score for column, score in enumerate(row) if column != label), reverse=True)
        beyond = min(max(round((k1 - 1) / 10), 5), k1 - 2)
        levels.append(wrong[beyond])
        tails.append([score - wrong[beyond] for score in wrong[:beyond]])
    means = [sum(tail) / len(tail) for tail in tails]
    middle = np.prod([mean ** (1 / len(means)) for mean in means])
    scales = [np.sqrt(mean * middle) for mean in means]
    pooled = sorted(y / scale for tail, scale in zip(tails, scales, strict=True) for y in tail)
    last = pooled[len(pooled) - max(len(pooled) // 10, 20) :]
    y = [value - last[0] for value in last]
    m = len(y)
    b0 = sum(y) / m
    b1 = sum((m - j) / (m - 1) * value for j, value in enumerate(y, 1)) / m
    xi = min(max(2 - b0 / (b0 - 2 * b1), -0.5), 0.9)
    out = []
    for row, label, level, scale in zip(scores, labels, levels, scales, strict=True):
        x = (row[label] - level) / scale
        if x > last[0]:
            chance = beyond / (k1 - 1) * m / len(pooled) * stats.genpareto.sf(x - last[0], xi, scale=b0 * (1 - xi))
        elif x > 0:
            higher = sum(value > x for value in pooled) + sum(value == x for value in pooled) / 2
            chance = beyond / (k1 - 1) * higher / len(pooled)
        else:
            lost = sum((score > row[label]) + (score == row[label]) / 2 for c, score in enumerate(row) if c != label)
            chance = max((lost + 0.5) / k1, beyond / (k1 - 1))
        out.append(-special.ndtri(min(max(chance, 1e-15), 1 - 1e-15)))
    return out


@pytest.mark.parametrize(("seed", "decimals"), [(0, 9), (1, 9), (2, 1)])
def test_tail_law_against_a_plain_twin(seed: int, decimals: int) -> None:
    scores, labels, _ = drawn(40, seed, spread=0.4)
    scores = np.round(scores, decimals)
    law = fit_tail_law(cx.correct_ranks(scores, labels), scores)
    assert law is not None
    twin = np.rint(np.array(plain_twin(scores, labels)) / 0.02) * 0.02
    nodes, counts = np.unique(twin.round(2), return_counts=True)
    np.testing.assert_allclose(law.nodes, nodes, atol=1e-9)
    np.testing.assert_allclose(law.weight, counts / 40)


@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.4])
def test_tails_of_known_shape_are_carried_on(shape: float) -> None:
    """Ten times beyond what 20,000 excesses show, to a quarter of the chance; before that, what they show."""
    rng = np.random.default_rng(5)
    pooled = np.sort(stats.genpareto.rvs(shape, size=20_000, random_state=rng))
    x = stats.genpareto.isf([0.5, 0.2, 0.01, 1e-3, 1e-5], shape)
    found, exact = _survival(x, pooled), stats.genpareto.sf(x, shape)
    # z = 4 where the share is counted
    assert (np.abs(found - exact)[:2] < 4 * np.sqrt(exact * (1 - exact) / 20_000)[:2]).all()
    np.testing.assert_allclose(found[2:4], exact[2:4], rtol=0.25)
    assert abs(np.log10(found[4] / exact[4])) < 0.7


def test_accuracies_of_a_known_law() -> None:
    """500 classes whose rows differ in scale by 5 %: within z = 4 of the points' own accuracies, far beyond 500."""
    off = []
    for seed in range(8):
        scores, labels, u = drawn(500, seed, spread=0.05)
        law = fit_tail_law(cx.correct_ranks(scores, labels), scores)
        assert law is not None
        off.append(law.accuracy(np.array([500.0, 5_000.0])) - [np.mean(u ** (k - 1)) for k in (500, 5_000)])
    error = np.std(off, axis=0, ddof=1) / np.sqrt(8)
    assert (np.abs(np.mean(off, axis=0)) < 4 * error + 0.01).all()


def test_where_scores_do_not_serve() -> None:
    scores, labels, _ = drawn(40, 3)
    few, same, coarse, endless = scores[:19, :19], scores.copy(), np.round(scores), scores.copy()
    same[7, np.arange(40) != 7] = 1.0
    endless[3, 5] = np.inf
    assert fit_tail_law(cx.correct_ranks(scores, labels), scores) is not None
    for block in (few, same, coarse, endless):
        ranks = cx.CorrectRanks(*_wins(block), np.arange(len(block)), len(block))
        assert fit_tail_law(ranks, block) is None
    with pytest.raises(TypeError, match="must be a CorrectRanks"):
        fit_tail_law("ranks", scores)  # type: ignore[arg-type]


def _wins(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    true = np.diag(scores)[:, np.newaxis]
    return (scores < true).sum(axis=1), (scores == true).sum(axis=1) - 1


def test_calibration_finds_the_curve_it_is_asked_for() -> None:
    law = ProbitLaw.normal(1.5, 0.8)
    asked = ProbitLaw(-0.4 + 1.2 * law.nodes, law.weight)
    probit = special.ndtri(asked.accuracy(SIZES))
    found = calibrate_tail_law(law, SIZES, probit, 1e-8 * np.eye(3))
    np.testing.assert_allclose(found.nodes, asked.nodes, atol=2e-3)
    # with data that say nothing it stays
    stays = calibrate_tail_law(law, SIZES, probit, 1e8 * np.eye(3))
    np.testing.assert_allclose(stays.nodes, law.nodes, atol=1e-3)


@pytest.mark.parametrize("seed", [0, 1])
def test_gaussian_process_with_scores_against_a_slow_twin(seed: int) -> None:
    """Twin: mean and covariance with the share of the tails, conditioned by the inverse of the whole covariance."""
    sample = GaussianClasses(10, 0.2).sample(60, rng=seed)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    prior = CurvePrior(scores=0.4)
    law = fit_gaussian_process(ranks, sample.scores, prior=prior, use_scores=True)
    assert law.tails is not None
    at = np.array([500.0, 20_000.0])
    n = law.sizes.size
    every = np.concatenate([law.sizes, at])
    usual = prior.mean(every) - prior.level
    center = prior.level + 0.6 * usual + 0.4 * special.ndtri(law.tails.accuracy(every))
    joint = prior.level_sd**2 + 0.6 * (prior.covariance(every, every) - prior.level_sd**2)
    joint[:n, :n] += law.noise
    precision = np.linalg.inv(joint)
    conditional = np.linalg.inv(precision[n:, n:])
    mean, variance = law.posterior(at)
    np.testing.assert_allclose(variance, np.diag(conditional), rtol=1e-5)
    np.testing.assert_allclose(
        mean, center[n:] - conditional @ precision[n:, :n] @ (law.probit - center[:n]), rtol=1e-5
    )
    # intervals are no narrower than those of ranks
    np.testing.assert_allclose(law.scatter(at), fit_gaussian_process(ranks, prior=prior).scatter(at))
    fine = np.geomspace(2, 1e10, 80)
    assert (np.diff(law.accuracy(fine)) <= 1e-12).all()


def test_scores_have_no_say_unless_asked() -> None:
    sample = GaussianClasses(10, 0.1).sample(50, rng=4)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    plain = fit_gaussian_process(ranks)
    at = np.array([50.0, 3_000.0])
    for other in (
        fit_gaussian_process(ranks, sample.scores),
        fit_gaussian_process(ranks, use_scores=True),
        fit_gaussian_process(ranks, sample.scores, use_scores=True, prior=CurvePrior(scores=0.0)),
    ):
        np.testing.assert_allclose(other.posterior(at)[0], plain.posterior(at)[0], rtol=1e-12)
    asked = cx.GaussianProcessExtrapolator(use_scores=True).fit(sample.scores, sample.labels)
    assert abs(asked.law_.posterior(at)[0] - plain.posterior(at)[0]).max() > 1e-3
    # all scores in other units, and in another order of the columns
    moved = cx.GaussianProcessExtrapolator(use_scores=True).fit(3 - 2 * -sample.scores, sample.labels)
    np.testing.assert_allclose(moved.predict(at), asked.predict(at), rtol=1e-6)
    turned = cx.GaussianProcessExtrapolator(use_scores=True).fit(sample.scores[:, ::-1], 49 - sample.labels)
    np.testing.assert_allclose(turned.predict(at), asked.predict(at), rtol=1e-6)
    # refitted with scores, and without them by ranks
    again = asked.law_.refit(ranks, sample.scores)
    np.testing.assert_allclose(again.accuracy(at), asked.predict(at), rtol=1e-12)
    assert asked.law_.refit(ranks).tails is None
    assert replace(asked.law_, tails=None).covariance(at, at)[0, 0] > asked.law_.covariance(at, at)[0, 0]


def test_tenfold_extrapolation_of_known_worlds() -> None:
    """Mean error over 16 draws within z = 4 and .03 of bias; intervals hold as often as they claim, less z = 4."""
    off, hit, model = [], [], GaussianClasses(10, 0.2)
    truth = float(np.atleast_1d(model.average_accuracy([1_000]))[0])
    for seed in range(16):
        sample = model.sample(100, rng=seed)
        fitted = cx.GaussianProcessExtrapolator(use_scores=True).fit(sample.scores, sample.labels)
        (value,), ((low, high),) = fitted.predict(1_000), fitted.predict_interval(1_000)
        off.append(value - truth)
        hit.append(low <= truth <= high)
    spread = np.std(off, ddof=1)
    assert abs(np.mean(off)) < 4 * spread / 4 + 0.03
    assert np.mean(hit) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 16)
