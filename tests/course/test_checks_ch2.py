"""The checkers of Chapter 2 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import classex as cx
from classex_book import ExerciseError, check
from classex_book.chapters.ch2.checks import _moments

RIGHT = np.array([18, 20, 17, 19, 20, 15])


def sharp(n_classes: int, n_columns: int) -> np.ndarray:
    """Half of the rows unmistakable, the others alike."""
    half = n_classes // 2
    channel = np.zeros((n_classes, n_columns))
    channel[np.arange(half), np.arange(half)] = 1
    channel[half:, -1] = 1
    return channel


def own(bound: float, right: object = RIGHT, repeats: float = 20, tried: float = 3) -> tuple[object, ...]:
    return (right, repeats, tried, bound)


def coverage_of_clopper_pearson(n, p, alpha):
    counts = np.arange(n + 1)
    bound = binom.ppf(alpha, n, p) / n
    return binom.pmf(counts, n, p)[counts / n >= bound].sum()


def without_repeated_rows(channel, k):
    rows = np.arange(len(channel))
    accuracy = [channel[np.roll(rows, shift)[:k]].max(axis=0).sum() / k for shift in rows]
    return np.mean(accuracy), np.var(accuracy)


def unbiased_variance(channel, k):
    mean, variance = _moments(channel, k)
    n = len(channel) ** k
    return mean, variance * n / (n - 1)


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("exr-ch2-boxes", [7 / 4, 5 / 2], r"(entry \d of 2\b.*){2}"),  # not divided by the number of classes
        ("exr-ch2-boxes", [1 / 3, 5 / 6], r"(entry \d of 2\b.*){1}"),
        ("exr-ch2-unmistakable", [7 / 9, 5 / 81, 1 / 8], r"(entry \d of 3\b.*){1}"),  # the bound for every model
        ("exr-ch2-unmistakable", [7 / 9, np.sqrt(5) / 9, 10 / 81], r"(entry \d of 3\b.*){1}"),  # a standard deviation
        (
            "exr-ch2-price",
            1 / np.sqrt(np.array([0.05, 0.001]) * np.log([20, 1000])),
            r"(entry \d of 2\b.*){2}",
        ),  # ratio of widths
        ("exr-ch2-price", [1 / 0.05, 1 / 0.001], r"(entry \d of 2\b.*){2}"),
        ("exr-ch2-budget", [100, 2, 2], r"(entry \d of 3\b.*){3}"),
        ("exr-ch2-coverage", coverage_of_clopper_pearson, "with n = 60"),
        ("exr-ch2-coverage", lambda _n, _p, alpha: 1 - alpha, "with n = 10"),  # the promise instead of the truth
        ("exr-ch2-enumerate", without_repeated_rows, "with"),
        ("exr-ch2-enumerate", unbiased_variance, "with"),
        ("exr-ch2-enumerate", lambda channel, k: _moments(channel, k)[0], "with"),
        ("exr-ch2-winner", lambda _n_classifiers, _n, p: p, "with 2 classifiers"),
        ("exr-ch2-winner", lambda n_classifiers, n, p: binom.ppf(1 - 1 / n_classifiers, n, p) / n, "with"),
        ("exr-ch2-restless", np.eye(400), "is below"),
        ("exr-ch2-restless", np.full((10, 10), 0.1), "is below"),
        ("exr-ch2-restless", sharp(600, 301), "more than 500"),
        ("exr-ch2-restless", 2 * sharp(400, 201), "does not sum to 1"),
        ("exr-ch2-restless", sharp(400, 201) - 1, "must not be negative"),
        ("exr-ch2-own-bound", own(RIGHT.mean() / 20), "above what these data allow"),
        ("exr-ch2-own-bound", own(0.05), "below the thesis's bound"),
        ("exr-ch2-own-bound", own(0.3, RIGHT[:4]), "fewer than five classes"),
        ("exr-ch2-own-bound", own(0.3, RIGHT + 0.5), "must be whole numbers from 0"),
        ("exr-ch2-own-bound", own(0.3, tried=0), "must be a whole number"),
        ("exr-ch2-own-bound", (RIGHT, 20), "a tuple of four"),
    ],
)
def test_usual_mistakes_are_rejected(name, answer, message):
    with pytest.raises(ExerciseError, match=message):
        check(name, answer)


def test_moments_by_multisets_agree_with_the_integral_over_favourability():
    channel = np.random.default_rng(3).dirichlet(np.ones(4), size=5)
    for k in (1, 2, 4):
        assert _moments(channel, k)[0] == pytest.approx(cx.bayes.average_bayes_accuracy(channel, k), abs=1e-12)
