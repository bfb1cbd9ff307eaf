# ruff: noqa: B023 - each call is made before the loop goes on
from dataclasses import replace

import numpy as np
from scipy import sparse

import classex as cx
from classex.ranks import DistractorTable
from tests.ranks.test_inputs import Frame

SCORES = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.2, 0.1, 0.7], [0.1, 0.6, 0.3]])

NAMES = ["ant", "bee", "cat"]

LABELS = [2, 0, 2, 1]


def cases(rng, k=9, n=14, most=3):
    """Scores with ties, labels, and a mask that leaves out up to `most` - 1 wrong labels of each point."""
    scores, labels = rng.integers(0, 5, (n, k)).astype(float), np.arange(n) % k
    mask = np.zeros((n, k), dtype=bool)
    for row, label in enumerate(labels):
        mask[row, rng.choice(np.delete(np.arange(k), label), rng.integers(0, most), replace=False)] = True
    return scores, labels, mask


def refused_from_wins():
    for arguments, error, message in [
        ({"wins": [50, 1]}, ValueError, r"wins must be in 0..9, but position 0 is 50"),
        ({"wins": [1.5, 2]}, ValueError, r"wins must hold whole numbers, but position 0 is 1.5"),
        ({"wins": [1j, 2]}, TypeError, r"wins must hold whole numbers, not values of dtype complex128"),
        ({"wins": []}, ValueError, r"wins must hold at least one test point"),
        ({"wins": [[1, 2]]}, ValueError, r"wins must have 1 axis, but its shape is \(1, 2\)"),
        ({"ties": [0, -2]}, ValueError, r"ties must be in 0..\d, but position 1 is -2"),
        ({"ties": [7, 9]}, ValueError, r"ties must be in 0..7, but position 1 is 9"),
        ({"ties": [0]}, ValueError, r"ties must have as many entries as wins, 2, not 1"),
        ({"labels": [0, 10]}, ValueError, r"labels must be in 0..9, but position 1 is 10"),
        ({"labels": ["a", "b"]}, TypeError, r"labels must hold whole numbers"),
        ({"n_classes": 1}, ValueError, r"n_classes must be an integer of at least 2 and at most 1000000000000000,"),
        ({"n_classes": "10"}, TypeError, r"n_classes must be an integer"),
        ({"n_wrong": 0}, ValueError, r"n_wrong must be an integer of at least 1, not 0"),
        ({"n_wrong": [5, 0]}, ValueError, r"n_wrong must be of at least 1, but position 1 is 0"),
        ({"n_wrong": [5]}, ValueError, r"n_wrong must have as many entries as wins"),
    ]:
        good = {"wins": [2, 2], "n_classes": 10}
        yield lambda: cx.ranks_from_wins(**{**good, **arguments}), message, error
    yield lambda: cx.CorrectRanks(np.array([3]), np.array([0]), np.array([0]), 3), r"wins must be in 0..2"
    full = cx.correct_ranks(np.eye(4), range(4))
    yield (
        lambda: cx.CorrectRanks(np.array([1]), np.array([0]), np.array([0]), 3, full.distractors),
        "DistractorTable of 3 classes",
    )
    yield lambda: replace(full, n_wrong=np.full(4, 3)), "distractors must be None where"
    table = full.distractors
    for change in ({"group": table.group[:-1]}, {"wins": table.wins + 1}, {"beaten": table.beaten - 1}):
        yield lambda: replace(table, **change), "distractors must"
    yield lambda: DistractorTable(table.beaten[:, :2], table.wins, table.group), "distractors must hold an array beaten"
    for call in [
        lambda x: cx.accuracy_curve(x, [0, 1]),
        lambda x: cx.curves.accuracy_covariance(x, 2),
        cx.implied_information,
        cx.information.curve_test,
        cx.information_confidence_bound,
        lambda x: cx.information_confidence_bound([x]),
        lambda x: cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(x),
        cx.methods.ProbitNormal().fit,
    ]:
        yield lambda: call(np.eye(2)), r"ranks must be a CorrectRanks, not ndarray: call", TypeError


def refused_inputs():
    for scores, labels, classes, error, message in [
        (SCORES, ["cat"] * 4, None, TypeError, "labels must hold integers.*: give the names of the columns as"),
        (SCORES, ["cow"] * 4, NAMES, ValueError, "labels must be among the 3 classes, but row 0 is 'cow'"),
        (SCORES, ["cat"] * 3, NAMES, ValueError, r"labels must have shape \(4,\)"),
        (SCORES, LABELS, NAMES[:2], ValueError, "classes must name the 3 columns of scores, but has 2 entries"),
        (SCORES, LABELS, ["a", "b", "a"], ValueError, "classes must all differ, but 'a' occurs more than once"),
        (SCORES, LABELS, "abc", TypeError, "classes must be the names of the columns"),
        (Frame(SCORES, NAMES), ["cat", "cow", "cat", "ant"], None, ValueError, "names of columns of scores .*'cow'"),
        (Frame(SCORES, [10, 20, 30]), LABELS, None, ValueError, "labels must be names of columns of scores .10, 20,"),
        (Frame(SCORES, ["a", "a", "b"]), LABELS, None, ValueError, "columns of different names"),
        (sparse.csr_array(SCORES), LABELS, None, TypeError, r"not a sparse one: give scores.toarray\(\)"),
        (np.ma.masked_less(SCORES, 0.15), LABELS, None, ValueError, "some entries are masked"),
        (SCORES.astype(complex), LABELS, None, TypeError, "scores must hold real numbers"),
        (SCORES.astype("m8[s]"), LABELS, None, TypeError, "scores must hold numbers, not values of dtype timedelta64"),
        (SCORES[:, 0], LABELS, None, ValueError, "scores must have 2 axes"),
        (np.ones((4, 6)), [0, 1, 2, 3], ["a", "b", "c", "d"], ValueError, "one-against-one decisions"),
    ]:
        yield lambda: cx.correct_ranks(scores, labels, classes=classes), message, error


def refused_left_out():
    for change, error, message in [
        (lambda s, m: (s, m.astype(int)), TypeError, "left_out must hold booleans, not values of dtype int64"),
        (lambda s, m: (s, m[:-1]), ValueError, r"left_out must have the shape of scores, \(14, 9\), but has \(13, 9\)"),
        (lambda s, m: (s, m | (np.arange(9) == 3)), ValueError, "but row 3 lacks its correct label"),
        (lambda s, _: (s, np.arange(9) != np.arange(14)[:, None] % 9), ValueError, "row 0 lacks all its wrong labels"),
        (lambda s, m: (np.full_like(s, np.nan), m), ValueError, "scores must be finite, but holds nan"),
    ]:
        scores, labels, mask = cases(np.random.default_rng(6))
        scores, mask = change(scores, mask)
        yield lambda: cx.correct_ranks(scores, labels, left_out=mask), message, error
    scores, labels, mask = cases(np.random.default_rng(7))
    ranks = cx.correct_ranks(scores, labels, left_out=mask)
    yield lambda: cx.extrapolate(ranks, n_classes=20, method="kernel-density"), "all the wrong labels"


def refused_ranks():
    for change, error, message in [
        ({"test": [[1.0], [2.0]]}, ValueError, r"same number of columns, but have 1 and 2"),
        ({"test": [[np.nan, 0.0], [1.0, 1.0]]}, ValueError, r"test must be finite, but holds nan at row 0, column 0"),
        ({"references": [1.0, 2.0]}, ValueError, r"references must have 2 axes"),
        ({"metric": "manhattan"}, ValueError, r"metric must be one of 'euclidean', 'inner_product', 'cosine'"),
        ({"labels": [0, 2]}, ValueError, r"labels must lie in 0..1, but row 1 is 2"),
        ({"reference_labels": [0, 2]}, ValueError, r"reference_labels must give every class.*class 1 has none"),
        ({"reference_labels": [0, 0]}, ValueError, r"number of classes in reference_labels must be an integer of at"),
        ({"reference_labels": ["a", "b"]}, ValueError, r"labels must be among the 2 classes, but row 0 is 0"),
        ({"test": [[1e200, 0.0], [1.0, 1.0]]}, ValueError, r"test must hold numbers of size at most 1e\+140, not"),
        ({"test": np.empty((0, 2))}, ValueError, r"test must have rows and columns, but its shape is \(0, 2\)"),
        ({"test": sparse.eye_array(2)}, ValueError, r"both sparse or both dense"),
        (
            {"test": sparse.eye_array(2), "references": sparse.eye_array(2)},
            ValueError,
            r"metric must be 'inner_product' or 'cosine' for sparse input",
        ),
        ({"aggregate": "median"}, ValueError, r"aggregate must be one of 'nearest', 'mean'"),
        ({"metric": "cosine", "references": [[0.0, 0.0], [1.0, 0.0]]}, ValueError, r"no zero row .* but row 0 is"),
    ]:
        good = {"test": [[0.0, 0.0], [1.0, 1.0]], "references": [[0.0, 0.1], [1.0, 1.1]], "labels": [0, 1]}
        yield lambda: cx.correct_ranks_from_embeddings(**{**good, **change}), message, error
