"""The checkers of Chapter 1 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import comb
from scipy.stats import norm

import classex as cx
from classex.models import RandomCode
from classex_book import ExerciseError, check
from classex_book.chapters.ch1.checks import _code_accuracy

WINS = np.array([4, 4, 3, 1, 0]) / 4


def over_points(scores, labels, k):
    """Average over points instead of classes."""
    wins = cx.correct_ranks(scores, labels).wins
    return np.mean(comb(wins, k - 1) / comb(scores.shape[1] - 1, k - 1))


def same_scores(rule, points, references):
    """The letter of the definition: scores, not their order."""
    full = rule(points, references)
    return all(
        np.allclose(rule(points, np.delete(references, i, axis=0)), np.delete(full, i, axis=1))
        for i in range(len(references))
    )


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        (
            "exr-ch1-wins",
            np.mean(WINS[:, np.newaxis] ** [1, 2, 4], axis=0),
            r"(entry \d of 3\b.*){2}",
        ),  # drawn with replacement
        ("exr-ch1-wins", [0.6, 0.5], "a list of 3 numbers, but it is a list of 2"),
        ("exr-ch1-ties", [3 / 4, 1], r"(entry \d of 2\b.*){1}"),  # a tie counted as a win
        ("exr-ch1-ties", [1 / 2, 0], r"(entry \d of 2\b.*){2}"),  # a tie counted as a loss
        ("exr-ch1-three-points", 2 * norm.cdf([0.5, 1]) - 1, r"(entry \d of 2\b.*){2}"),
        ("exr-ch1-budget", np.full(3, np.sqrt(0.21 / 1000)), r"(entry \d of 3\b.*){2}"),  # the binomial formula
        ("exr-ch1-budget", 0.04 / np.array([10, 100, 1000]) + 0.17 / 1000, r"(entry \d of 3\b.*){3}"),  # variances
        ("exr-ch1-copies", [0.5, 0.98**50, np.exp(-1)], r"(entry \d of 3\b.*){3}"),
        ("exr-ch1-every-subset", over_points, "with 5 classes with"),
        ("exr-ch1-marginal", same_scores, "with the softmax"),
        ("exr-ch1-most-codewords", 10**6, "below 0.9"),
        ("exr-ch1-most-codewords", 2, "still at least 0.9"),
        ("exr-ch1-most-codewords", 2.5, "whole number"),
        ("exr-ch1-crossing", ([98], [98, 0]), "with 100 classes"),
        ("exr-ch1-crossing", ([99], [99, 99]), "with 2 classes"),
        ("exr-ch1-crossing", ([100], [99, 0]), "whole numbers between 0 and 99"),
        ("exr-ch1-crossing", ([], [99, 0]), "no test point"),
        ("exr-ch1-own-data", cx.AccuracyCurve(np.arange(1, 6), 1 / np.arange(1, 6), np.ones(5)), "of guessing"),
        ("exr-ch1-own-data", cx.AccuracyCurve(np.arange(2, 7), np.ones(5), np.ones(5)), "does not run 1, 2, 3"),
        (
            "exr-ch1-own-data",
            cx.AccuracyCurve(np.arange(1, 6), np.array([1, 0.8, 0.7, 0.6, 0.6]), np.zeros(5)),
            "is 0",
        ),
        (
            "exr-ch1-own-data",
            cx.AccuracyCurve(np.arange(1, 6), np.array([1, 0.8, 0.7, 0.6, 0.7]), np.ones(5)),
            "rises",
        ),
    ],
)
def test_usual_mistakes_are_rejected(name, answer, message):
    with pytest.raises(ExerciseError, match=message):
        check(name, answer)


def test_the_exact_code_accuracy_agrees_with_the_library():
    for length, crossover, k in [(5, 0.2, 2), (5, 0.2, 7), (63, 0.1, 10**6), (15, 0.3, 1)]:
        truth = RandomCode(length=length, crossover=crossover).average_accuracy(k)
        assert _code_accuracy(length, crossover, k) == pytest.approx(truth, abs=1e-11)
