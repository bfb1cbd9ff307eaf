"""The numbers of the quiz of Chapter 6, by question."""

from __future__ import annotations

from math import log

import numpy as np

from classex.advantage import advantage_of_accuracy, confusion_measures, prediction_advantage, related_measures
from classex_book.course.texts import Numbers


def rare() -> Numbers:
    true = np.repeat([0, 1], [980, 20])
    predicted = np.where(np.arange(1000) < 10, 1 - true, true)
    value = prediction_advantage(true, predicted)
    return {"value": value}


def dice() -> Numbers:
    shares = np.array([0.7, 0.2, 0.1])
    dice = 1 - float(shares @ shares)
    return {"dice": dice, "constant": 1 - shares.max(), "even": 1 - 1 / 3}


def never() -> Numbers:
    rare = confusion_measures([[500, 0, 0], [0, 490, 0], [10, 0, 0]])
    worse = confusion_measures([[0, 12], [2, 10]])
    return {
        "rare_advantage": float(rare.prediction_advantage),
        "rare_balanced": float(rare.balanced_accuracy),
        "worse_advantage": float(worse.prediction_advantage),
        "worse_matthews": float(worse.matthews),
    }


def thousand() -> Numbers:
    ten, hundred, thousand = (0.7 + 0.3 / k for k in (10, 100, 1000))
    linear = 2 * hundred - ten
    share = float(advantage_of_accuracy(hundred, 100))
    return {"ten": ten, "hundred": hundred, "share": share, "linear": linear, "thousand": thousand}


def declining() -> Numbers:
    kept = np.repeat([0, 1], [90, 10])
    answers = np.where(np.arange(100) < 5, 1, 0)
    risk = float(np.mean(kept != answers))
    value = prediction_advantage(kept, answers)
    return {"risk": risk, "value": value}


def shifted() -> Numbers:
    true, predicted = np.repeat([0, 1], [10, 90]), np.ones(100)
    value = prediction_advantage(true, predicted, marginal_prediction=0)
    kappa = float(related_measures(true, predicted).kappa)
    return {"value": value, "kappa": kappa}


def objective() -> Numbers:
    bits = log(2)
    return {"bits": bits}
