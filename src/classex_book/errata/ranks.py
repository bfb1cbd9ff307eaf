"""Corrections on ranks and average test accuracy."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from classex.curves.accuracy import accuracy_curve
from classex.curves.risk import risk_curve
from classex.models import BivariateNormal
from classex.ranks import correct_ranks
from classex_book.errata._entry import Values, erratum

Array = NDArray[Any]
SAMPLE = BivariateNormal(0.7).sample(7, n_repeats=3, rng=2)
SCORES, LABELS = SAMPLE.scores, SAMPLE.labels
ZERO_ONE = 1 - np.eye(7)
DISTANCE = np.abs(np.subtract.outer(np.arange(7.0), np.arange(7.0)))


def by_enumeration(scores: Array, labels: Array, cost: Array, size: int) -> float:
    """Mean cost over all subsets of `size` classes, by visiting each of them."""
    risks = []
    for subset in combinations(range(scores.shape[1]), size):
        own = np.isin(labels, subset)
        chosen = np.array(subset)
        answers = chosen[scores[np.ix_(own, chosen)].argmax(axis=1)]
        risks.append(cost[labels[own], answers].mean())
    return float(np.mean(risks))


def exclusive_ranks(scores: Array) -> Array:
    """As printed: for every label, the number of *other* labels whose score it reaches, 0, ..., k - 1."""
    ranks: Array = (scores[:, :, np.newaxis] >= scores[:, np.newaxis, :]).sum(axis=2) - 1.0
    return ranks


def mean_over_subsets(cost: Array, counts: Array, size: int) -> float:
    """Thesis (2.4): costs times numbers of subsets, over all points and labels."""
    n_classes = counts.shape[1]
    repeats = counts.shape[0] / n_classes
    return float((cost[LABELS] * counts).sum() / (comb(n_classes, size) * size * repeats))


@erratum("R1")
def rank_that_leaves_itself_out() -> Values:
    """Test accuracy, 7 classes."""
    own = exclusive_ranks(SCORES)[np.arange(LABELS.size), LABELS]
    truth = np.mean(SCORES.argmax(axis=1) == LABELS)
    return np.mean(own == 7), np.mean(own + 1 == 7), truth, 0.0


@erratum("R2")
def subsets_that_answer_wrongly() -> Values:
    """Average test risk, $k_1 = k_2 = 7$."""
    ranks = exclusive_ranks(SCORES)
    above = ranks > ranks[np.arange(LABELS.size), LABELS][:, np.newaxis]
    printed = mean_over_subsets(ZERO_ONE, above * comb(ranks - 2, 5), 7)
    right = mean_over_subsets(ZERO_ONE, above * comb(ranks - 1, 5), 7)
    return printed, right, by_enumeration(SCORES, LABELS, ZERO_ONE, 7), 0.0


@erratum("R3")
def term_of_the_true_label() -> Values:
    """Average test accuracy, $k_2 = 2$."""
    ranks = exclusive_ranks(SCORES)
    printed = mean_over_subsets(np.eye(7), comb(ranks - 1, 1), 2)
    right = mean_over_subsets(np.eye(7), comb(ranks, 1), 2)
    return printed, right, 1 - by_enumeration(SCORES, LABELS, ZERO_ONE, 2), 0.0


@erratum("R4")
def cost_with_the_index_of_the_point() -> Values:
    r"""Test risk with cost $\lvert i - l \rvert$, 7 classes, 3 points each."""
    best = exclusive_ranks(SCORES) == 6
    points = np.tile(np.arange(3), 7)
    printed = (DISTANCE[LABELS, points][:, np.newaxis] * best).sum() / LABELS.size
    right = (DISTANCE[LABELS] * best).sum() / LABELS.size
    return printed, right, by_enumeration(SCORES, LABELS, DISTANCE, 7), 0.0


@erratum("R5")
def identification_by_ranks_from_above() -> Values:
    """Identification accuracy, 4 of 8 stimuli."""
    pairs = BivariateNormal(0.7).sample(8, rng=3)
    scores = pairs.scores
    above = (scores[:, np.newaxis, :] >= scores[:, :, np.newaxis]).sum(axis=2) - 1.0
    wrong = (above > np.diag(above)[:, np.newaxis]) * comb(above - 2, 2) * (1 - np.eye(8))
    printed = 1 - wrong[:4].sum() / (comb(8, 4) * 4)
    right = accuracy_curve(correct_ranks(scores, pairs.labels), 4).accuracy[0]
    return printed, right, 1 - by_enumeration(scores, pairs.labels, 1 - np.eye(8), 4), 0.0


@erratum("R6")
def number_of_identification_tasks() -> Values:
    """Subsets times choices of the correct stimulus, 4 of 8."""
    tasks = [(subset, correct) for subset in combinations(range(8), 4) for correct in subset]
    return comb(4 * 8, 4), 4 * comb(8, 4), len(tasks), 0.0


@erratum("R7")
def cost_of_being_right() -> Values:
    """Zero–one risk, 7 classes."""
    answers = SCORES.argmax(axis=1)
    printed = np.eye(7)[LABELS, answers].mean()
    right = risk_curve(SCORES, LABELS, ZERO_ONE, n_classes=7).accuracy[0]
    return printed, right, by_enumeration(SCORES, LABELS, ZERO_ONE, 7), 0.0


@erratum("R8")
def distractors_under_unequal_priors() -> Values:
    """Chance that the other of two labels is a frequent one, given that the true label is."""
    # half of all labels are frequent (weight 9), half rare (weight 1); two are drawn, then one by its weight
    both, mixed = 0.25, 0.5 * 9 / (9 + 1)
    rng = np.random.default_rng(4)
    weights = rng.choice([9.0, 1.0], size=(1_000_000, 2))
    true = (rng.random(1_000_000) > weights[:, 0] / weights.sum(axis=1)).astype(int)
    first = weights[np.arange(1_000_000), true] == 9
    other = weights[first, 1 - true[first]] == 9
    return 0.5, both / (both + mixed), other.mean(), other.std() / np.sqrt(other.size)


@erratum("R9")
def rank_among_wrong_labels() -> Values:
    """Largest rank among the wrong labels, 8 classes."""
    # the estimate of U counts k_1 - 2 other wrong labels, so its multiple by k_1 - 1 is no count
    wrong = BivariateNormal(0.7).sample(8, rng=5).scores[0, 1:]
    below = (wrong[:, np.newaxis] > wrong).sum(axis=1)
    estimate = below.max() / (8 - 2)
    return (8 - 1) * estimate, (8 - 2) * estimate, np.argsort(np.argsort(wrong)).max(), 0.0
