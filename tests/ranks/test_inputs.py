"""Scores and labels as people have them: names, frames, two classes, half precision, memory maps, distances."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import classex as cx
from classex.ranks.ranks import warn_if_inverted
from classex.ranks.scores import scores_and_labels

SCORES = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.2, 0.1, 0.7], [0.1, 0.6, 0.3]])
NAMES = ["ant", "bee", "cat"]
WINS = [1, 2, 2, 2]
LABELS = [2, 0, 2, 1]


class Frame:
    """A data frame as far as this package looks at it: names of columns, and values."""

    def __init__(self, values, columns):
        self.values, self.columns = np.asarray(values), columns

    def to_numpy(self):
        return self.values


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["cat", "ant", "cat", "bee"], NAMES),
        (np.array(["cat", "ant", "cat", "bee"]), np.array(NAMES)),
        (np.array(["cat", "ant", "cat", "bee"], dtype=object), tuple(NAMES)),
        ([30, 10, 30, 20], [10, 20, 30]),
        ([2.5, 0.5, 2.5, 1.5], np.array([0.5, 1.5, 2.5])),
        ([(1, 2), None, (1, 2), True], None),
        (LABELS, None),
        (LABELS, range(3)),
    ],
)
def test_labels_by_name(labels, classes):
    if isinstance(labels[0], tuple):  # any objects that can be told apart
        objects = np.empty(4, dtype=object)
        objects[:] = labels
        labels, classes = objects, [None, True, (1, 2)]
    ranks = cx.correct_ranks(SCORES, labels, classes=classes)
    assert ranks.wins.tolist() == WINS
    assert ranks.labels.tolist() == LABELS


@pytest.mark.parametrize(
    ("frame", "labels", "classes"),
    [
        (Frame(SCORES, NAMES), ["cat", "ant", "cat", "bee"], None),
        (Frame(SCORES[:, [2, 0, 1]], ["cat", "ant", "bee"]), ["cat", "ant", "cat", "bee"], None),
        (Frame(SCORES[:, [2, 0, 1]], ["cat", "ant", "bee"]), ["cat", "ant", "cat", "bee"], NAMES),
        (Frame(SCORES[:, [2, 0, 1]], [2, 0, 1]), LABELS, None),
        (Frame(SCORES[:, [2, 0, 1]], ["2", "0", "1"]), LABELS, None),
        (Frame(SCORES, ["score_0", "score_1", "score_2"]), LABELS, None),
        (Frame(SCORES, ["a", "b", "c"]), ["cat", "ant", "cat", "bee"], NAMES),
    ],
)
def test_frames_are_aligned_by_the_names_of_their_columns(frame, labels, classes):
    assert cx.correct_ranks(frame, labels, classes=classes).wins.tolist() == WINS


def test_a_gallery_of_ten_is_told_from_pairs_of_five():
    good = np.eye(10)[:5]
    assert cx.correct_ranks(good, range(5)).n_tested == 5
    with pytest.warns(UserWarning, match="10 columns of scores for labels in 0..4, one for each pair"):
        cx.correct_ranks(np.ones((5, 10)), range(5))


@pytest.mark.parametrize("classes", [None, ["no", "yes"]])
def test_decision_of_two_classes(classes):
    labels = [1, 0, 1, 0] if classes is None else ["yes", "no", "yes", "no"]
    ranks = cx.correct_ranks(np.array([0.3, -0.2, -1.0, 0.0]), labels, classes=classes)
    assert ranks.wins.tolist() == [1, 1, 0, 0]
    assert ranks.ties.tolist() == [0, 0, 0, 1]


def test_one_column_of_probabilities_is_noticed():
    """Log-odds mean the same as both columns of probabilities, and one of them does not."""
    labels = np.array([0, 0, 1, 1])
    p = np.array([0.1, 0.6, 0.4, 1.0])
    with pytest.warns(UserWarning, match=r"lie in \[0, 1\], as probabilities do: give both columns") as caught:
        assert cx.correct_ranks(p, labels).wins.tolist() == [0, 0, 1, 1]
    assert caught[0].filename == __file__
    log_odds = np.array([-2.2, 0.4, -0.4, 30.0])
    assert cx.correct_ranks(log_odds, labels).wins.tolist() == [1, 0, 0, 1]
    assert cx.correct_ranks(np.column_stack([1 - p, p]), labels).wins.tolist() == [1, 0, 0, 1]
    with pytest.warns(UserWarning, match="predict_proba"):
        cx.Extrapolator(cx.methods.ProbitNormal()).fit(p, labels)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint16, np.int64, bool, np.longdouble])
def test_every_kind_of_number(dtype):
    scores = np.array([[3, 1, 0, 0], [0, 1, 0, 0], [1, 0, 3, 1], [0, 0, 0, 1]]).astype(dtype)
    expected = cx.correct_ranks(scores.astype(np.float64), range(4))
    got = cx.correct_ranks(scores, range(4))
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_array_equal(cx.correct_ranks(scores.tolist(), list(range(4))).ties, expected.ties)


def test_arrays_that_may_not_be_changed(tmp_path):
    frozen = SCORES.copy()
    frozen.flags.writeable = False
    mapped = np.memmap(tmp_path / "scores", dtype=np.float64, mode="w+", shape=SCORES.shape)
    mapped[:] = SCORES
    unmasked = np.ma.masked_array(SCORES, mask=np.zeros_like(SCORES, dtype=bool))
    for scores in (frozen, mapped, np.asfortranarray(SCORES), SCORES[::-1][::-1], unmasked):
        assert cx.correct_ranks(scores, LABELS).wins.tolist() == WINS
    np.testing.assert_array_equal(mapped, SCORES)


def test_distances_are_noticed():
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(30, 5))
    distance = np.linalg.norm(centres[:, np.newaxis] + 0.1 * rng.normal(size=(30, 30, 5)) - centres, axis=2)
    with pytest.warns(UserWarning, match="correct label beats only 0 % .* are the scores distances"):
        cx.correct_ranks(distance, range(30))
    with pytest.warns(UserWarning, match="distances"):
        cx.correct_ranks_from_embeddings(
            centres, centres, range(30), metric=lambda a, b: np.linalg.norm(a[:, np.newaxis] - b, axis=2)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cx.correct_ranks(-distance, range(30))
        cx.correct_ranks(rng.normal(size=(400, 30)), np.arange(400) % 30)
        cx.correct_ranks([[0.0, 1.0]], [0])


def test_names_of_classes_in_the_other_curves():
    names = ["ant", "cat", "bee", "ant"]
    matrix, truth = scores_and_labels(SCORES, names, NAMES)
    cost = 1 - np.eye(3)
    np.testing.assert_array_equal(
        cx.risk_curve(SCORES, names, cost, classes=NAMES).accuracy, cx.risk_curve(matrix, truth, cost).accuracy
    )
    test = cx.curves.exchangeability_test(SCORES, names, ["x", "x", "y"], 2, classes=NAMES, rng=0)
    assert test.accuracy == pytest.approx(cx.accuracy_curve(cx.correct_ranks(matrix, truth), 2).accuracy[0])


def test_embeddings_of_people_with_names():
    rng = np.random.default_rng(2)
    references, test = rng.normal(size=(9, 4)), rng.normal(size=(3, 4))
    owner = np.array(["Noor", "Liza", "Amelia"])[np.arange(9) % 3]
    expected = cx.correct_ranks_from_embeddings(test, references, [1, 0, 1], 2 - np.arange(9) % 3)
    named = cx.correct_ranks_from_embeddings(test, references, ["Liza", "Amelia", "Liza"], owner)
    np.testing.assert_array_equal(named.wins, expected.wins)
    assert named.labels.tolist() == [1, 0, 1]
    ordered = cx.correct_ranks_from_embeddings(
        test, references, ["Liza", "Amelia", "Liza"], owner.tolist(), classes=["Noor", "Liza", "Amelia"]
    )
    np.testing.assert_array_equal(ordered.wins, expected.wins)
    assert ordered.labels.tolist() == [1, 2, 1]
    single = cx.correct_ranks_from_embeddings(test, references[:3], ["b", "a", "b"], classes=["a", "b", "c"])
    assert single.labels.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="labels must be among the 3 classes, but row 0 is 'Zoe'"):
        cx.correct_ranks_from_embeddings(test, references, ["Zoe"] * 3, owner)
    with pytest.raises(ValueError, match="reference_labels must be among the 2 classes, but row 0 is 'Noor'"):
        cx.correct_ranks_from_embeddings(test, references, ["a"] * 3, owner, classes=["a", "b"])
    with pytest.raises(TypeError, match=r"labels must hold integers, or names with .* reference_labels="):
        cx.correct_ranks_from_embeddings(test, references, ["a"] * 3)


# 1,000 points: a share below .35 is no accident; .3 is one for 42 points, and none for 63
@pytest.mark.parametrize(
    ("wins", "n_points", "warned"), [(33, 1000, True), (37, 1000, False), (30, 63, True), (30, 42, False)]
)
def test_how_few_wins_look_like_distances(wins, n_points, warned):
    ranks = cx.ranks_from_wins([wins] * n_points, 101)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_inverted(ranks)
    assert any("are the scores distances" in str(one.message) for one in caught) == warned


@pytest.mark.parametrize(("wins", "warned"), [([5, 6, 6], True), ([6, 6, 6], False)])
def test_how_few_wins_look_like_decisions_between_pairs(wins, warned):
    """Five classes have ten pairs; the correct label beats .63 or .67 of nine others."""
    ranks = cx.ranks_from_wins(wins * 5, 10, labels=np.repeat(range(5), 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_inverted(ranks)
    assert ["one-against-one" in str(one.message) for one in caught] == [True] * warned
