"""The checkers of Chapter 4 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.stats import entropy

import classex as cx
from classex.models import GaussianClasses
from classex_book import ExerciseError, check
from classex_book.chapters.ch4.checks import _by_quadrature, _functionals, _mean_entropy_terms

SAMPLE = GaussianClasses(n_features=5, noise=0.01).sample(30, n_repeats=5, rng=1)
BOUND = cx.information_confidence_bound(cx.correct_ranks(SAMPLE.scores, SAMPLE.labels))


def blur(n, nats):
    """Extremal density for ten classes on a circle of n cells, symmetric about the class."""
    distance = np.abs(np.arange(n) - n // 2) / n * 2
    q = np.sort(cx.information.extremal_density((np.arange(n) + 0.5) / n, nats, 10))[::-1][
        np.argsort(np.argsort(distance))
    ]
    return np.array([np.roll(q / q.sum(), x) for x in range(n)])


def short_list(n):
    row = np.repeat([2.7 / n, 0], [round(n / 2.7), n - round(n / 2.7)])
    return np.array([np.roll(row / row.sum(), x) for x in range(n)])


def in_bits(channel, k):
    information, accuracy = _functionals(channel, k)
    return information / np.log(2), accuracy


def without_copies(channel, k):
    """Class sets without a repeated row."""
    information, accuracy = _functionals(channel, k)
    return information, accuracy + 0.01


def proof(accuracy, sizes, n_classes, n_repeats, alpha, *, paid=True, own_size=False):
    count = sizes if own_size else n_classes
    level = alpha / len(sizes) if paid else alpha
    allowance = np.sqrt((1 + 1 / n_repeats) * np.log(1 / level) / (2 * count))
    return float(np.max(cx.information_bound(np.maximum(accuracy - allowance, 1 / sizes), sizes)))


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("exr-ch4-short-list", [np.log(4), 3 / 4, 4 / 10 * (1 - 0.75**10)], r"(entry \d of 3\b.*){1}"),
        ("exr-ch4-short-list", [np.log2(4), 7 / 8, 4 / 10 * (1 - 0.75**10)], r"(entry \d of 3\b.*){1}"),  # bits
        ("exr-ch4-two-classes", [1 / (np.e - 1), 1 / (np.e - 1)], r"(entry \d of 2\b.*){1}"),
        ("exr-ch4-faint", [1, 1, 1], r"(entry \d of 3\b.*){3}"),
        ("exr-ch4-faint", [3, 21 / 9, 2], r"(entry \d of 3\b.*){1}"),
        ("exr-ch4-lottery", [100, 0.5, 0], r"(entry \d of 3\b.*){2}"),
        ("exr-ch4-lottery", [100, 0.505, cx.fano_bound(0.505, 2)], r"(entry \d of 3\b.*){1}"),
        ("exr-ch4-ceiling", lambda nats, k: min(1.0, np.exp(nats) / k), "with nats = 1, k = 2"),
        ("exr-ch4-functionals", in_bits, "with"),
        ("exr-ch4-functionals", without_copies, "with"),
        ("exr-ch4-proof", lambda *a: proof(*a, paid=False), "with 60 classes"),
        ("exr-ch4-proof", lambda *a: proof(*a, own_size=True), "with 60 classes"),
        ("exr-ch4-proof", lambda accuracy, sizes, *_: cx.information_bound(accuracy, sizes).max(), "with 60 classes"),
        ("exr-ch4-nearly-extremal", np.eye(300), "above 1 nat"),
        ("exr-ch4-nearly-extremal", short_list(270), "more than .01 below"),
        ("exr-ch4-nearly-extremal", blur(500, 0.9), "more than 400"),
        ("exr-ch4-nearly-extremal", np.ones((5, 5)), "does not sum to 1"),
        (
            "exr-ch4-own-proof",
            dataclasses.replace(BOUND, information=BOUND.information + 1),
            "does not follow from the accuracy",
        ),
        ("exr-ch4-own-proof", dataclasses.replace(BOUND, confidence_level=0.5), "below .95"),
        ("exr-ch4-own-proof", dataclasses.replace(BOUND, accuracy_bound=BOUND.accuracy + 0.1), "above its accuracy"),
    ],
)
def test_usual_mistakes_are_rejected(name, answer, message):
    with pytest.raises(ExerciseError, match=message):
        check(name, answer)


def test_the_ceiling_by_quadrature_agrees_with_the_library():
    for nats, k in [(0.01, 2), (1.0, 10), (4.0, 30)]:
        assert _by_quadrature(nats, k) == pytest.approx(cx.accuracy_ceiling(nats, k), abs=1e-9)


def test_the_mean_entropy_of_counts_agrees_with_simulation():
    tables = np.random.default_rng(5).multinomial(7, np.full(4, 0.25), size=20_000)
    values = entropy(tables, axis=1)
    exact = _mean_entropy_terms(7, 4)
    assert abs(values.mean() - exact) < 4 * values.std() / np.sqrt(20_000)
