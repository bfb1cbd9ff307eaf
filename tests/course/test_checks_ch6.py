"""The checkers of Chapter 6 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex_book import ExerciseError, check
from classex_book.course.exercises import numbers


def over_the_mean(true, predicted, loss):
    """The mean label as the constant, whatever the loss."""
    return 1 - np.mean(loss(predicted, true)) / np.mean(loss(np.full(len(true), np.mean(true)), true))


def over_the_mode(true, predicted, loss):
    """The most frequent label as the constant, whatever the loss."""
    return 1 - np.mean(loss(predicted, true)) / np.mean(loss(np.full(len(true), np.bincount(true).argmax()), true))


def over_the_predicted(true, predicted, loss):
    """The best constant among the predicted labels, none of which need be a true one."""
    blind = min(np.mean(loss(np.full(len(true), a), true)) for a in np.unique(predicted))
    return 1 - np.mean(loss(predicted, true)) / blind


def over_all(true, predicted, loss):
    """The best constant among all labels, true or predicted."""
    blind = min(np.mean(loss(np.full(len(true), a), true)) for a in np.union1d(true, predicted))
    return 1 - np.mean(loss(predicted, true)) / blind


def even_chance(counts):
    """Kappa with 1/K for the agreement by chance."""
    error = 1 - np.trace(counts) / counts.sum()
    return [1 - error / (1 - counts.sum(axis=1).max() / counts.sum()), 1 - error / (1 - 1 / len(counts))]


def transposed(counts):
    """The predicted class taken for the true one."""
    m = cx.advantage.confusion_measures(counts.T)
    return [float(m.prediction_advantage), float(m.kappa)]


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("exr-ch6-screening", [0.98, 0.75], r"(entry \d of 2\b.*){1}"),  # the share of patients found
        ("exr-ch6-screening", [0.98, 0.96], r"(entry \d of 2\b.*){1}"),  # over an even guess
        ("exr-ch6-constants", [5, 2.5, 18.0, 5], "for zero-one loss"),
        ("exr-ch6-constants", [2.5, 2.5, 16, 0], "for squared loss"),
        ("exr-ch6-constants", [5, 5, 16, 0], "for absolute loss"),
        ("exr-ch6-constants", [5, 2, 0, 0], "for pinball loss"),
        ("exr-ch6-cost", [0, 1 - 30 / 200], r"(entry \d of 2\b.*){2}"),  # the mode as the blind decision
        ("exr-ch6-cost", [1, 1 - 210 / 90], r"(entry \d of 2\b.*){1}"),  # the matrix read the wrong way round
        ("exr-ch6-normal", [0.64, 0.64], r"(entry \d of 2\b.*){1}"),
        ("exr-ch6-normal", [0.8, 0.4], r"(entry \d of 2\b.*){1}"),
        (
            "exr-ch6-hundred",
            [0.9 - 0.1, 0.6 - 0.001, 0.9],
            r"(entry \d of 3\b.*){3}",
        ),  # chance subtracted, nothing divided
        ("exr-ch6-hundred", [8 / 9, 599 / 999, 8 / 9], r"(entry \d of 3\b.*){1}"),
        ("exr-ch6-folds", [0.5, 0.5], r"(entry \d of 2\b.*){1}"),
        ("exr-ch6-advantage", over_the_mean, "with "),
        ("exr-ch6-advantage", over_the_mode, "with absolute loss"),
        ("exr-ch6-advantage", over_the_predicted, "loss and predictions beside all labels"),
        ("exr-ch6-kappa", even_chance, "with two classes"),
        ("exr-ch6-kappa", transposed, "with "),
        ("exr-ch6-above", [[98, 2], [2, 98]], "at least three classes"),
        ("exr-ch6-above", np.diag([5, 5, 5]), "at least one error"),
        ("exr-ch6-above", [[9, 1, 0], [1, 9, 0], [0, 1, 9]], "by 0.2"),
        ("exr-ch6-above", [[9, 1, 0], [1, 9, 0], [0, 0, 0]], "at least one row"),
        ("exr-ch6-above", [[9.5, 1, 0], [1, 9, 0], [0, 0, 1]], "whole"),
    ],
)
def test_usual_mistakes_are_rejected(name, answer, message):
    with pytest.raises(ExerciseError, match=message):
        check(name, answer)


def test_a_constant_among_all_labels_does_as_well_as_one_among_the_true_ones():
    check("exr-ch6-advantage", over_all)


@pytest.mark.parametrize("variant", range(1, 30))
def test_a_variant_of_any_loss_tells_predicted_labels_from_true_ones(variant):
    values = numbers("exr-ch6-advantage", variant)
    true, predicted = np.array(values["true"]), np.array(values["predicted"])
    wrong = over_the_predicted(true, predicted, lambda a, y: np.minimum(np.abs(a - y), values["cap"]))
    with pytest.raises(ExerciseError, match="is not right"):
        check("exr-ch6-advantage", float(wrong), variant=variant)
