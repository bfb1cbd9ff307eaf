"""Normal scores and the dispersion of the rows' tails: plain twins, what is exact, and the say of scores in a team."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex._kernels.interpolation import interpolate
from classex.laws import ENSEMBLE_WEIGHTS, alike_rows, fit_ensemble, fit_mixture, normal_scores, tail_dispersion
from classex.laws.score_law import scaled_rows
from classex.models import GaussianClasses

CHANGES = [np.exp, np.cbrt, lambda s: 3 * s - 7, lambda s: np.arctan(s / 20)]


def with_twins(scores: np.ndarray, labels: np.ndarray, share: float, lift: float) -> np.ndarray:
    """Scores of which every other point's highest wrong ones are lifted."""
    out = scores.copy()
    rows = out[::2]
    high = rows > np.quantile(rows, 1 - share, axis=1)[:, np.newaxis]
    high[np.arange(len(rows)), labels[::2]] = False
    rows[high] += lift
    return out


@pytest.mark.parametrize("change", [np.array, np.exp, lambda x: np.exp(5 * x)])
def test_interpolation_against_numpy(change) -> None:
    """Evenly and very unevenly spread places; what is lost is single precision."""
    rng = np.random.default_rng(0)
    place = np.unique(change(rng.normal(size=1_000)))
    level = np.sort(rng.normal(size=place.size))
    values = change(1.3 * rng.normal(size=(70, 400)))
    np.testing.assert_allclose(interpolate(values, place, level), np.interp(values, place, level), atol=1e-6)
    one = interpolate(np.array([[0.0, 2.0, 5.0]]), np.array([2.0]), np.array([7.0]))
    np.testing.assert_array_equal(one, [[7.0, 7.0, 7.0]])


def test_normal_scores_against_a_slow_twin() -> None:
    """Twin: the probit of the place among the sorted wrong scores, one score after the other."""
    rng = np.random.default_rng(1)
    scores, labels = rng.gamma(2.0, size=(60, 40)), np.arange(60) % 40
    scores[3, 3] = 50.0  # a truth above all wrong scores
    pooled = np.sort([s for row, own in zip(scores, labels, strict=True) for c, s in enumerate(row) if c != own])
    found = normal_scores(scores, labels)
    for i in range(60):
        for j in range(0, 40, 7):
            if scores[i, j] <= pooled[-1]:
                place = np.interp(scores[i, j], pooled, np.arange(pooled.size)) / (pooled.size - 1)
                inside = np.clip(place, 0.5 / (pooled.size + 1), 1 - 0.5 / (pooled.size + 1))
                # knots are a hundredth apart, and on the lattice of the places
                assert special.ndtr(found[i, j]) == pytest.approx(inside, abs=0.006)
    top = pooled[-20:]
    height = np.log(2 * (pooled.size + 1)) + (50 - pooled[-1]) / (top - top[0]).mean()
    assert found[3, 3] == pytest.approx(-special.ndtri_exp(-height), rel=1e-5)
    wrong = np.delete(found.ravel(), [i * 40 + own for i, own in enumerate(labels)])
    assert abs(wrong.mean()) < 0.01
    assert wrong.std() == pytest.approx(1, abs=0.01)


def test_dispersion_against_a_slow_twin() -> None:
    """Twin: every share above is counted by a comparison with the whole pool."""
    sample = GaussianClasses(3, 0.2).sample(200, rng=4)
    plain, own = with_twins(sample.scores, sample.labels, 0.05, 2.0), sample.labels

    def variances(scores: np.ndarray) -> tuple[list[float], np.ndarray]:
        place, scale = scaled_rows(scores, own, np.ones(200, dtype=bool))
        scaled = [np.delete((row - p) / s, c) for row, p, s, c in zip(scores, place, scale, own, strict=True)]
        pool = np.concatenate(scaled)
        out = []
        for j in (1, 2, 4, 8):
            top = [np.sort(row)[-j] for row in scaled]
            out.append(float(np.var([np.log(((pool >= t).sum() + 0.5) / pool.size) for t in top])))
        return out, np.sort(pool)

    seen, pool = variances(normal_scores(plain, own).astype(float))
    drawn, _ = variances(np.random.default_rng(0).choice(pool, size=plain.shape))
    expected = np.mean(np.array(seen) / np.array(drawn))
    assert tail_dispersion(plain, own) == pytest.approx(expected, rel=1e-9)
    assert expected > 1.2


def test_rows_of_one_law_have_a_dispersion_of_one_and_twins_a_greater() -> None:
    """Normal rows of any place and width: one within z = 4 of its error over 12 seeds."""
    k = 300
    found, lifted = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=(k, 1)) + np.exp(0.3 * rng.normal(size=(k, 1))) * rng.normal(size=(k, k))
        found.append(tail_dispersion(scores, np.arange(k)))
        lifted.append(tail_dispersion(with_twins(scores, np.arange(k), 0.03, 2.0), np.arange(k)))
    assert abs(np.mean(found) - 1) < 4 * np.std(found, ddof=1) / np.sqrt(12) + 0.1  # row and pool share a few scores
    assert max(found) < 1.1
    assert min(lifted) > 1.3


@pytest.mark.parametrize("change", CHANGES)
def test_monotone_changes(change) -> None:
    sample = GaussianClasses(10, 0.2).sample(200, rng=2)
    bent = change(sample.scores)
    assert tail_dispersion(bent, sample.labels) == pytest.approx(
        tail_dispersion(sample.scores, sample.labels), abs=0.02
    )
    at = np.array([200.0, 20_000.0])
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    laws = [fit_ensemble(ranks, scores) for scores in (sample.scores, bent)]
    assert all("mixture of normal scores" in law.members for law in laws)
    error = np.sqrt(laws[0].variance(at))
    assert (np.abs(laws[1].accuracy(at) - laws[0].accuracy(at)) < 0.25 * error).all()


def test_the_law_of_scores_joins_the_team_where_rows_are_alike() -> None:
    sample = GaussianClasses(10, 0.1).sample(250, rng=3)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    sizes = np.array([2.0, 250.0, 5_000.0])
    law = fit_ensemble(ranks, sample.scores)
    share = law.evidence.parameters["mixture of normal scores"]
    assert share == pytest.approx(cx.accuracy_curve(ranks, 250).accuracy[0] * 250 / 251)
    rest = fit_ensemble(ranks, sample.scores, weights=ENSEMBLE_WEIGHTS)
    mixture = fit_mixture(ranks, sample.scores, normalise=True)
    expected = (1 - share) * rest.accuracy(sizes) + share * mixture.accuracy(sizes)
    np.testing.assert_allclose(law.accuracy(sizes), expected, rtol=1e-9)
    process, normal = (rest.members[name] for name in ENSEMBLE_WEIGHTS)
    each = [law.accuracy(sizes) for law in (process, normal, mixture)]
    weights = np.array([0.95 * (1 - share), 0.05 * (1 - share), share])
    own = [process.variance(sizes), normal.variance(sizes), 0.5 * process.variance(sizes)]
    variance = weights @ np.array(own) + weights @ np.square(np.array(each) - expected)
    np.testing.assert_allclose(law.variance(sizes), variance, rtol=1e-6)
    again = law.refit(ranks, sample.scores)
    np.testing.assert_allclose(again.accuracy(sizes), expected, rtol=5e-3)  # one split of the classes


def test_a_perfect_recogniser() -> None:
    """Every point right: the others keep a little weight, and the interval has width."""
    sample = GaussianClasses(10, 0.01).sample(250, rng=3)
    fitted = cx.EnsembleExtrapolator().fit(sample.scores, sample.labels)
    assert fitted.ranks_.wins.min() == 249
    assert fitted.law_.evidence.parameters["mixture of normal scores"] == pytest.approx(250 / 251)
    ends = fitted.predict_interval([250, 10_000])
    assert (np.diff(ends, axis=1) > 1e-4).all()


def test_it_stays_out_elsewhere() -> None:
    sample = GaussianClasses(10, 0.1).sample(250, rng=3)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    assert alike_rows(ranks, sample.scores) == 1
    twins = with_twins(sample.scores, sample.labels, 0.03, 5.0)
    other = cx.correct_ranks(twins, sample.labels)
    assert alike_rows(other, twins) == 0
    assert fit_ensemble(other, twins).evidence.parameters == dict(ENSEMBLE_WEIGHTS)
    assert fit_ensemble(ranks).evidence.parameters == dict(ENSEMBLE_WEIGHTS)
    few = sample.scores[:199, :199]
    assert tail_dispersion(few, np.arange(199)) is None
    assert alike_rows(cx.correct_ranks(few, np.arange(199)), few) == 0
    tied = np.round(sample.scores)
    assert alike_rows(cx.correct_ranks(tied, sample.labels), tied) == 0
    constant = sample.scores.copy()
    constant[7] = 0.0
    constant[7, sample.labels[7]] = 1.0
    assert tail_dispersion(constant, sample.labels) is None
    with pytest.raises(TypeError, match="must be a CorrectRanks"):
        alike_rows("ranks", few)  # type: ignore[arg-type]
