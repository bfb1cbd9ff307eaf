"""Comparisons that were not made, as scores of minus infinity: rates and errors against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import special

from classex.fields.open_set import extrapolate_open_set, open_set_curve
from classex.fields.open_set.curve import Searches, _enrolled_variance, compared


def left_out(rng, shape, own=None):
    """Scores on a coarse scale, up to a third of them left out."""
    scores = np.rint(2 * rng.standard_normal(shape))
    for row in scores:
        row[rng.permutation(shape[1])[: rng.integers(shape[1] // 3 + 1)]] = -np.inf
    if own is not None:
        scores[np.arange(shape[0]), own] = np.rint(2 * rng.standard_normal(shape[0])) + 2
    return scores


def by_enumeration(scores, labels, nonmated, cut, size, top):
    """Mean over all sets of `size` identities that each search was compared with, ties broken at random."""
    false_positive = []
    for row in nonmated:
        galleries = list(combinations(np.flatnonzero(row > -np.inf), size))
        false_positive.append(np.mean([(row[list(one)] >= cut).any() for one in galleries]))
    found = {}
    for row, label in zip(scores, labels, strict=True):
        others = [c for c in np.flatnonzero(row > -np.inf) if c != label]
        hits = []
        for rest in combinations(others, size - 1):
            above, ties = (sum(compare(row[list(rest)], row[label])) for compare in (np.greater, np.equal))
            hits.append(np.mean([above + ahead < top for ahead in range(ties + 1)]) * (row[label] >= cut))
        found.setdefault(label, []).append(np.mean(hits))
    return np.mean(false_positive), 1 - np.mean([np.mean(one) for one in found.values()])


@pytest.mark.parametrize("top", [1, 2, 9])
@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_rates_are_averages_over_the_identities_compared(size, top):
    rng = np.random.default_rng([21, size])
    labels = np.array([0, 0, 1, 2, 5, 6, 6])
    scores, nonmated = left_out(rng, (7, 8), labels), left_out(rng, (6, 8))
    cuts = [-1.0, 1.0, 3.0]
    curve = open_set_curve(scores, labels, nonmated, cuts, n_enrolled=size, top=top)
    expected = [by_enumeration(scores, labels, nonmated, cut, size, top) for cut in cuts]
    np.testing.assert_allclose(np.stack([curve.fpir, curve.fnir], axis=1), expected, atol=1e-12)
    single = [np.mean([(row[row > -np.inf] >= cut).mean() for row in nonmated]) for cut in cuts]
    np.testing.assert_allclose(curve.fmr, single, atol=1e-12)
    np.testing.assert_allclose(curve.selectivity, size * np.array(single), atol=1e-12)


@pytest.mark.parametrize("people", [[0, 1, 2, 3, 4, 5], [0, 0, 1, 2, 2, 2]])
def test_the_part_of_enrolled_identities_in_the_error_is_the_jackknife(people):
    """Each identity left out in turn, from the searches that were compared with it; FPIR enumerated anew."""
    rng, size, people = np.random.default_rng(5), 3, np.array(people)
    nonmated = left_out(rng, (6, 8))
    cuts = np.array([-1.0, 1.0, 3.0])
    matches = (nonmated[:, :, np.newaxis] >= cuts).sum(axis=1)
    found = _enrolled_variance(nonmated, people, cuts, matches, size)
    weights = 1 / np.bincount(people)[people] / (people.max() + 1)
    for i, cut in enumerate(cuts):

        def rate(row, cut=cut):
            return np.mean([(row[list(one)] >= cut).any() for one in combinations(np.flatnonzero(row > -np.inf), size)])

        change = np.zeros((people.max() + 1, 8))
        for x, row in enumerate(nonmated):
            for j in range(8):
                change[people[x], j] += weights[x] * (rate(np.where(np.arange(8) == j, -np.inf, row)) - rate(row))
        shared = np.square(change.sum(axis=0)).sum() - np.square(change).sum()
        n_people = people.max() + 1
        expected = max(7 / 8 * shared * n_people / (n_people - 1), 0.0)
        assert found[i] == pytest.approx(expected, abs=1e-12)


def test_a_mask_that_leaves_out_one_identity_is_as_if_it_was_not_enrolled():
    rng = np.random.default_rng(3)
    scores, nonmated = rng.normal(size=(9, 10)), rng.normal(size=(12, 10))
    labels = np.arange(9)
    scores[labels, labels] += 2
    masked = [np.where(np.arange(10) == 9, -np.inf, one) for one in (scores, nonmated)]
    for size in (4, 9):
        one = open_set_curve(masked[0], labels, masked[1], [0.5, 1.5], n_enrolled=size)
        other = open_set_curve(scores[:, :9], labels, nonmated[:, :9], [0.5, 1.5], n_enrolled=size)
        for name in ("fpir", "fnir", "fmr"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)
    assert open_set_curve(masked[0], labels, masked[1]).n_enrolled == 9


def test_several_images_of_which_some_are_left_out():
    """The same camera's image of each identity is left out, its other image counts."""
    rng = np.random.default_rng(8)
    who, scores, nonmated = np.repeat(np.arange(6), 2), rng.normal(size=(6, 12)), rng.normal(size=(5, 12))
    scores[:, ::2] = -np.inf
    found = open_set_curve(scores, np.arange(6), nonmated, 0.5, enrolled_labels=who)
    expected = open_set_curve(scores[:, 1::2], np.arange(6), np.maximum(nonmated[:, ::2], nonmated[:, 1::2]), 0.5)
    np.testing.assert_array_equal([found.fpir, found.fnir], [expected.fpir, expected.fnir])


def test_extrapolation_takes_the_rate_of_the_comparisons_made():
    """A third left out at random: FPIR is the binomial formula, for searches that are alike."""
    rng = np.random.default_rng(4)
    scores, nonmated = rng.normal(size=(40, 60)) + 4 * np.eye(40, 60), rng.normal(size=(60, 60))
    scores[(rng.random(scores.shape) < 1 / 3) & (np.eye(40, 60) == 0)] = -np.inf
    nonmated[rng.random(nonmated.shape) < 1 / 3] = -np.inf
    found = extrapolate_open_set(scores, range(40), nonmated, [1.0, 2.5], n_enrolled=[10, 500])
    seen = open_set_curve(scores, range(40), nonmated, [1.0, 2.5], n_enrolled=10)
    np.testing.assert_array_equal(found.fpir[:2], seen.fpir)
    truth = -np.expm1(500 * np.log1p(-special.ndtr([-1.0, -2.5])))
    low, high = found.fpir_interval[2:].T
    assert (low <= truth).all()
    assert (truth <= high).all()
    own = 4 + special.ndtri((np.arange(4000) + 0.5) / 4000)
    missed = [1 - np.mean((own >= cut) * special.ndtr(own) ** 499) for cut in (1.0, 2.5)]
    low, high = found.fnir_interval[2:].T
    assert (low <= missed).all()
    assert (missed <= high).all()


@pytest.mark.parametrize("place", ["own", "mated", "nonmated"])
def test_searches_with_too_few_comparisons_are_refused(place):
    scores, nonmated = np.eye(4), np.zeros((3, 4))
    if place == "own":
        scores[2, 2] = -np.inf
    elif place == "mated":
        scores[1, [0, 2, 3]] = -np.inf
    else:
        nonmated[1] = -np.inf
    with pytest.raises(ValueError, match="must be above -inf, which leaves a comparison out") as error:
        open_set_curve(scores, range(4), nonmated, 0.5)
    assert ("(1 lack it, first row 2 of scores)" in str(error.value)) == (place == "own")


def test_searches_know_what_they_were_compared_with():
    scores = np.array([[1.0, -np.inf, 0.0], [0.0, 1.0, 2.0]])
    np.testing.assert_array_equal(compared(scores), [2, 3])
    assert Searches(scores, np.array([0, 1]), scores, np.arange(2)).fewest == 2
