"""The default estimator: coverage in known worlds, monotone changes of scores, few classes, speed."""

from __future__ import annotations

import time

import numpy as np
import pytest

import classex as cx
from classex.exceptions import LackOfFitWarning
from classex.models import BivariateNormal, GaussianClasses


@pytest.mark.no_cover
@pytest.mark.parametrize("target", ["average", "fresh", "superset"])
def test_intervals_cover_at_tenfold_extrapolation(target: str) -> None:
    """Three known worlds, 15 draws each: coverage of nominal .95 at least .95 less 3 standard errors (z = 3)."""
    hits = []
    for model in (BivariateNormal(0.9), BivariateNormal(0.99), GaussianClasses(10, 0.2)):
        for seed in range(15):
            large = model.sample(400, rng=seed)
            few = large.scores[:40, :40]
            estimator = cx.EnsembleExtrapolator().fit(few, np.arange(40))
            low, high = estimator.predict_interval(400, target=target, n_repeats=1)[0]
            if target == "average":
                truth = float(np.ravel(model.average_accuracy(400))[0])
            elif target == "superset":
                truth = float((large.scores.argmax(axis=1) == large.labels).mean())
            else:
                fresh = model.sample(400, rng=seed + 1_000)
                truth = float((fresh.scores.argmax(axis=1) == fresh.labels).mean())
            hits.append(low <= truth <= high)
    assert np.mean(hits) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(hits))


def test_monotone_changes_of_the_scores_change_nothing() -> None:
    sample = GaussianClasses(4, 0.3).sample(40, rng=1)
    one = cx.EnsembleExtrapolator().fit(sample.scores, sample.labels)
    other = cx.EnsembleExtrapolator().fit(np.exp(sample.scores), sample.labels)
    np.testing.assert_array_equal(one.predict([40, 4_000]), other.predict([40, 4_000]))
    np.testing.assert_array_equal(one.predict_interval([40, 4_000]), other.predict_interval([40, 4_000]))


@pytest.mark.parametrize("k1", [2, 3, 4, 20])
@pytest.mark.parametrize("right", [True, False])
def test_few_classes_and_perfect_or_hopeless_recognisers(k1: int, right: bool) -> None:
    wins = np.full(k1, k1 - 1 if right else 0)
    ranks = cx.CorrectRanks(wins, np.zeros_like(wins), np.arange(k1), k1)
    estimator = cx.EnsembleExtrapolator().fit_ranks(ranks)
    sizes = [k1, 100, 10**6, 10**12]
    value, ends = estimator.predict(sizes), estimator.predict_interval(sizes)
    assert (np.diff(value) <= 1e-12).all()
    assert ((ends[:, 0] <= value) & (value <= ends[:, 1])).all()
    assert (ends[1:, 1] - ends[1:, 0] > (0.01 if right else 0)).all()


def test_large_and_quick() -> None:
    """A thousand classes with intervals in much less than five seconds of processor time."""
    sample = GaussianClasses(10, 0.2).sample(1_000, rng=0)
    cx.EnsembleExtrapolator().fit(sample.scores[:20, :20], np.arange(20)).predict_interval(50)
    start = time.process_time()
    estimator = cx.EnsembleExtrapolator().fit(sample.scores, sample.labels)
    estimator.predict_interval([10_000, 100_000])
    assert time.process_time() - start < 5


def test_ties_are_no_help() -> None:
    """Votes: full of exact ties. A law of two parameters fails, and says so; the default follows the observed curve."""
    rng = np.random.default_rng(0)
    k = 100
    labels = np.repeat(np.arange(k), 4)
    votes = np.zeros((labels.size, k))
    for i, row in enumerate(votes):
        row[rng.choice(k, 5, replace=False)] = 1
        row[labels[i]] = i % 2
    ranks = cx.correct_ranks(votes, labels)
    observed = cx.accuracy_curve(ranks, k)
    with pytest.warns(LackOfFitWarning, match="its assumption fails"):
        cx.ProbitNormalExtrapolator().fit_ranks(ranks)
    found = cx.EnsembleExtrapolator().fit_ranks(ranks).predict(k)[0]
    assert abs(found - observed.accuracy[0]) < 0.01


def test_weights_are_a_parameter() -> None:
    sample = GaussianClasses(4, 0.3).sample(40, rng=1)
    estimator = cx.EnsembleExtrapolator(weights={"probit-normal": 1}).fit(sample.scores, sample.labels)
    plain = cx.ProbitNormalExtrapolator().fit(sample.scores, sample.labels)
    np.testing.assert_allclose(estimator.predict([40, 400]), plain.predict([40, 400]))
    assert estimator.get_params() == {"weights": {"probit-normal": 1}}
