"""Input at the edges of what is allowed: one clear error, or the right answer; never a warning from below."""

from __future__ import annotations

import time

import numpy as np
import pytest

import classex as cx
from classex import bayes

RANKS = cx.correct_ranks(np.random.default_rng(0).integers(0, 3, (12, 6)), np.arange(12) % 6)


@pytest.mark.parametrize("top", [2**63, 10**12, 10**400])
def test_a_top_beyond_every_rank(top):
    np.testing.assert_array_equal(cx.accuracy_curve(RANKS, top=top).accuracy, np.ones(6))


def test_a_million_tied_classes_take_no_time():
    ranks = cx.ranks_from_wins([0], 10**6, ties=[10**6 - 1])
    start = time.process_time()
    assert cx.accuracy_curve(ranks, 10**6, top=10**12).accuracy[0] == 1
    got = cx.accuracy_curve(ranks, [500_000, 10**6], top=10**5).accuracy
    assert time.process_time() - start < 10
    np.testing.assert_allclose(got, [0.2, 0.1], rtol=1e-6)


def test_bounds_from_very_many_points():
    many = {"n_classes": 10**6, "n_repeats": 10**12}
    assert 0.8999 < bayes.bayes_accuracy_bound(0.9, **many) < 0.9
    assert bayes.bayes_accuracy_bound(1.0, n_classes=10**9, n_repeats=10**12) == pytest.approx(1, abs=1e-9)
    # where the quantile is no longer computed the bound goes on without a step of note
    below, above = (bayes.bayes_accuracy_bound(0.9, n_classes=2, n_repeats=n) for n in (4 * 10**11, 6 * 10**11))
    assert below == pytest.approx(above, abs=1e-5)
    assert below < 0.9


def test_the_variance_bound_of_very_many_classes():
    # with k large the accuracy a is (1 - exp(-x)) / x and the gain exp(-x)
    x = 0.020067  # of a = .99
    got = bayes.bayes_accuracy_variance_bound(10**15, average_accuracy=0.99)
    assert got == pytest.approx(np.exp(-x) * (1 - np.exp(-x)) / 1e15, rel=0.01)
    assert bayes.bayes_accuracy_variance_bound(200, average_accuracy=0.95) == pytest.approx(0.000445, rel=0.05)


def test_a_test_point_that_costs_nothing():
    design = bayes.cheapest_design(0.26, accuracy=0.99, class_cost=1e308)
    assert design.n_repeats > 1000
    assert design.n_classes == bayes.required_classes(0.26, accuracy=0.99, n_repeats=design.n_repeats)


def test_scores_near_the_largest_number():
    scores = np.array([[1e308, -1e308, 0], [-1e308, 1e308, 5e-324], [1.0, 0, -1e308]])
    assert cx.correct_ranks(scores, [0, 1, 2]).wins.tolist() == [2, 2, 0]
    with pytest.raises(ValueError, match="finite, but holds inf"):
        cx.correct_ranks(np.full((2, 2), np.longdouble("1e400")), [0, 1])


LARGE = 2**53


def near_ties(dtype):
    """The correct label has the best score of each of eight rows, by one in the last place of integers of 54 bits."""
    scores = np.full((8, 8), LARGE, dtype=dtype)
    scores[np.arange(8), np.arange(8)] += np.array(1, dtype=dtype)
    return scores


DOORS = {
    "correct_ranks": lambda scores: cx.correct_ranks(scores, range(8)),
    "fit": lambda scores: cx.Extrapolator().fit(scores, range(8)),
    "extrapolate": lambda scores: cx.extrapolate(scores, range(8), n_classes=20),
    "weights": lambda scores: cx.accuracy_curve(scores, labels=range(8), weights=np.linspace(1, 2, 8)),
    "groups": lambda scores: cx.extrapolate(scores, range(8), n_classes=20, groups=np.arange(8) % 2),
    "risk_curve": lambda scores: cx.risk_curve(scores, range(8), 1 - np.eye(8)),
    "relevant_ranks": lambda scores: cx.retrieval.relevant_ranks(scores, np.eye(8)),
    "open_set_curve": lambda scores: cx.open_set.open_set_curve(scores, range(8), scores[:3]),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.longdouble])
def test_scores_that_64_bits_would_make_ties_are_refused(dtype, door):
    if near_ties(dtype)[0, 0] == near_ties(dtype)[0, 1]:
        pytest.skip("no extended numbers here")
    with pytest.raises(ValueError, match=r"must differ as 64-bit .* row 0 holds \d*2(\.0)? and \d*3"):
        DOORS[door](near_ties(dtype))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.longdouble])
def test_large_scores_that_64_bits_tell_apart(dtype):
    scores = near_ties(dtype)
    scores[np.arange(8), np.arange(8)] += np.array(1, dtype=dtype)
    ranks = cx.correct_ranks(scores, range(8))
    assert (ranks.wins == 7).all()
    assert (ranks.ties == 0).all()
    assert (cx.correct_ranks(np.full((8, 8), 2**62 + 1, dtype=dtype), range(8)).ties == 7).all()


def test_large_integers_in_files(tmp_path):
    archive, table = tmp_path / "scores.npz", tmp_path / "scores.csv"
    np.savez(archive, scores=near_ties(np.int64), labels=np.arange(8))
    scores, labels, _ = cx.load_scores(archive)
    with pytest.raises(ValueError, match="must differ as 64-bit"):
        cx.correct_ranks(scores, labels)
    table.write_text(f"label,a,b\na,{LARGE + 2},{LARGE}\nb,1e300,-{LARGE}\n")
    assert cx.load_scores(table).scores.tolist() == [[LARGE + 2, LARGE], [1e300, -LARGE]]
    table.write_text(f"label,a,b\na,0,1\nb,-{LARGE + 1},{LARGE}\n")
    with pytest.raises(ValueError, match="line 3, column 'a': -9007199254740993 is not exact as a 64-bit number"):
        cx.load_scores(table)
