"""A confusion matrix given as scores draws a warning; most scores that are whole numbers do not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import classex as cx
from classex.cli import main


def confusion(k, accuracy, tests, seed=0):
    """Counts of a classifier of that accuracy; errors fall on the other classes alike."""
    rng = np.random.default_rng(seed)
    chance = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(chance, accuracy)
    return np.array([rng.multinomial(n, row) for n, row in zip(tests, chance, strict=True)])


MATRICES = [
    confusion(3, 0.9, [20, 30, 40]),
    confusion(10, 0.6, range(40, 50)),
    confusion(100, 0.3, [20] * 50 + [30] * 50),
    confusion(40, 0.05, [9] * 39 + [8]),
    confusion(8, 0.4, [30] * 8),
    20 * np.eye(3, dtype=int),
]


@pytest.mark.parametrize("matrix", MATRICES, ids=["good", "fair", "many classes", "poor", "balanced", "all right"])
@pytest.mark.parametrize("form", [np.int64, np.float64, list])
def test_a_confusion_matrix_draws_a_warning_that_says_what_is_assumed(matrix, form):
    given = matrix.tolist() if form is list else matrix.astype(form)
    for call in (cx.correct_ranks, lambda *data: cx.extrapolate(*data, n_classes=1000)):
        with pytest.warns(UserWarning, match=r"taken as the scores of one test point.*confusion_information"):
            call(given, range(len(matrix)))


def test_the_same_numbers_as_scores_are_computed():
    """Whole numbers are not refused by guess: the curve is that of the same scores over 1.7."""
    scores = 2 * np.eye(20, dtype=np.int64)
    scores[:, 0], scores[0, 0] = 3, 5
    with pytest.warns(UserWarning, match="taken as the scores of one test point"):
        whole = cx.accuracy_curve(cx.correct_ranks(scores, range(20)))
    other = cx.accuracy_curve(cx.correct_ranks(scores / 1.7, range(20)))
    np.testing.assert_array_equal(whole.accuracy, other.accuracy)


@pytest.mark.parametrize(
    ("matrix", "warned"),
    [
        (4 * np.eye(8, dtype=int), False),
        (6 * np.eye(8, dtype=int), True),
        (np.full((10, 10), 20) + np.diag([2] * 10), False),
        (np.full((10, 10), 20) + np.diag([9] * 10), True),
        (1.2e9 * np.eye(8), False),
        (8e8 * np.eye(8), True),
    ],
)
def test_few_tests_or_an_accuracy_near_chance_draw_none(matrix, warned):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cx.correct_ranks(matrix, range(len(matrix)))
    assert ["confusion matrix" in str(one.message) for one in caught] == [True] * warned


@pytest.mark.filterwarnings("default:each row of scores")
def test_as_a_file(tmp_path, capsys):
    rows = "\n".join(f"{name},{','.join(map(str, row))}" for name, row in zip("abc", MATRICES[0].tolist(), strict=True))
    (tmp_path / "confusion.csv").write_text(f"label,a,b,c\n{rows}\n", encoding="utf-8")
    for command in (["extrapolate", "--to", "9"], ["bound"]):
        assert main([command[0], str(tmp_path / "confusion.csv"), *command[1:]]) == 0
        error = capsys.readouterr().err
        assert "give their accuracy to classex bound or classex extrapolate --curve" in error
