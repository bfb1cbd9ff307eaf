"""Trials of extrapolation: the subsets, what a method gets to see, and the error measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import classex as cx
from classex.methods import Method
from classex.models import BivariateNormal


@dataclass(frozen=True)
class QuarterLaw:
    """A quarter of the points are right."""

    def accuracy(self, sizes, top=1):
        return np.full(sizes.shape, 0.25 / top)


@dataclass(frozen=True)
class Recorder(Method):
    """Predicts a constant and keeps what it was fitted on."""

    needs_scores = True
    seen: ClassVar[list] = []  # shared by the copies on purpose

    def fit(self, ranks, scores=None):
        self.seen.append((scores, ranks.labels))
        return QuarterLaw()


def test_every_method_sees_the_same_subset_of_rows_and_columns():
    k = 9
    scores = np.arange(2 * k * k, dtype=float).reshape(2 * k, k)
    labels = np.repeat(np.arange(k), 2)
    Recorder.seen = []
    trials = cx.extrapolation_trials(scores, labels, [3, 5], {"a": Recorder(), "b": Recorder()}, n_subsets=4, rng=1)
    assert len(Recorder.seen) == 2 * 2 * 4
    for (a, own), (b, _) in zip(Recorder.seen[::2], Recorder.seen[1::2], strict=True):
        np.testing.assert_array_equal(a, b)
        size = a.shape[1]
        assert a.shape == (2 * size, size)
        np.testing.assert_array_equal(own, np.repeat(np.arange(size), 2))
        # rows are those of the classes that the columns stand for
        columns = a[0].astype(int) % k
        np.testing.assert_array_equal(a[:, 0].astype(int) // k // 2, np.repeat(columns, 2))
    observed = cx.accuracy_curve(cx.correct_ranks(scores, labels), k).accuracy[0]
    assert trials.truth == observed
    assert trials.target == k
    np.testing.assert_allclose(trials.bias, 0.25 - observed)
    np.testing.assert_allclose(trials.rmse, abs(0.25 - observed))


def test_predictions_are_those_of_the_method_on_the_subset():
    sample = BivariateNormal(0.9).sample(30, n_repeats=2, rng=0)
    method = cx.methods.ProbitNormal()
    trials = cx.extrapolation_trials(sample.scores, sample.labels, 10, [method], n_subsets=3, rng=5)
    rng = np.random.default_rng(5)
    for draw in range(3):
        chosen = np.sort(rng.permutation(30)[:10])
        rows = np.isin(sample.labels, chosen)
        by_hand = cx.Extrapolator(cx.methods.ProbitNormal()).fit(
            sample.scores[np.ix_(rows, chosen)], np.searchsorted(chosen, sample.labels[rows])
        )
        assert trials.predicted[0, 0, draw] == by_hand.predict(30)[0]
