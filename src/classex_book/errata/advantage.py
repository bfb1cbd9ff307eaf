"""Corrections on the prediction advantage."""

from __future__ import annotations

import numpy as np

from classex.advantage import confusion_measures, prediction_advantage
from classex_book.errata._entry import Values, erratum

# true classes in rows; the rare class is always missed
THREE = np.array([[500, 0, 0], [0, 490, 0], [10, 0, 0]])


@erratum("P1")
def rates_instead_of_counts() -> Values:
    """Balanced accuracy, TP 40, FN 10, FP 20, TN 30."""
    tp, fn, fp, tn = 40, 10, 20, 30
    measured = confusion_measures(np.array([[tn, fp], [fn, tp]]))
    return (tp + tn) / 2, (tp / (tp + fn) + tn / (tn + fp)) / 2, float(measured.balanced_accuracy), 0.0


@erratum("P2", "lower bound")
def bound_of_balanced_accuracy() -> Values:
    """Balanced accuracy, three classes, the rare one always missed."""
    measured = confusion_measures(THREE)
    shares = THREE.sum(axis=1) / THREE.sum()
    # the error is the mean of the missed shares, so at most K p_min of it is hidden in the mean recall
    error = (1 - measured.prediction_advantage) * (1 - shares.max())
    recall = np.diag(THREE) / THREE.sum(axis=1)
    return float(measured.prediction_advantage), 1 - error / (3 * shares.min()), recall.mean(), 0.0


@erratum("P3", "lower bound")
def bound_of_the_f_measure() -> Values:
    """Macro-averaged F1 of the same."""
    measured = confusion_measures(THREE)
    precision_first = 500 / 510
    by_hand = (2 * precision_first / (precision_first + 1) + 1 + 0) / 3
    return float(measured.prediction_advantage), float(measured.macro_f), by_hand, 0.0


@erratum("P4", "lower bound")
def bound_of_matthews_coefficient() -> Values:
    """Matthews' coefficient, TP 10, FN 2, FP 12, TN 0."""
    measured = confusion_measures(np.array([[0, 12], [2, 10]]))
    coefficient = (10 * 0 - 12 * 2) / np.sqrt((10 + 12) * (10 + 2) * (0 + 12) * (0 + 2))
    return float(measured.prediction_advantage), -1.0, coefficient, 0.0


@erratum("P5", "lower bound")
def bound_with_a_marginal_from_elsewhere() -> Values:
    """Kappa, 9 of 10 labels are 1, the mode of the training labels is 0, always predicted 1."""
    y_true, y_pred = np.repeat([1, 0], [9, 1]), np.ones(10, dtype=int)
    elsewhere = prediction_advantage(y_true, y_pred, marginal_prediction=0)
    agreement, expected = np.mean(y_true == y_pred), 0.9 * 1.0 + 0.1 * 0.0
    return elsewhere, prediction_advantage(y_true, y_pred), (agreement - expected) / (1 - expected), 0.0


@erratum("P6", "lower bound")
def guess_under_a_loss_that_is_not_convex() -> Values:
    """Risk of a fair guess between the labels 0 and 2, equally frequent, zero-one loss."""
    labels, guesses = np.array([0, 2]), np.array([0, 2])
    mean_guess = guesses.mean()  # 1, which is never right
    best_constant = min(np.mean(labels != guess) for guess in guesses)
    return np.mean(labels != mean_guess), best_constant, np.mean(labels[:, np.newaxis] != guesses), 0.0
