"""Exercises of Chapters 4 to 6 with other numbers."""

from __future__ import annotations

from math import ceil, exp, expm1, log, sqrt

import numpy as np
from scipy.stats import norm

from classex.information import identification_information, information_bound
from classex_book.variants import Numbers, Variation

__all__ = ["VARIATIONS"]


def _two_classes_key(c: float) -> list[float]:
    zeta = expm1(c) / c
    accuracy = (exp(c) * (c - 1) + 1) / c**2 / zeta
    return [c * accuracy - log(zeta), accuracy]


def _channels_key(signal: float, candidates: int) -> int:
    return ceil(float(identification_information(0.5, candidates)) / (log(1 + signal) / 2))


def _draw_screening(rng: np.random.Generator) -> Numbers:
    ill = int(rng.choice([30, 50, 60, 80]))
    return {"ill": ill, "found": ill - int(rng.integers(5, 15)), "alarms": int(rng.integers(10, 45))}


def _screening_key(ill: int, found: int, alarms: int) -> list[float]:
    errors = ill - found + alarms
    return [1 - errors / 2000, 1 - errors / ill]


def _five_numbers_key(gap: float, own: float, rival: float, with_truth: float, between: float) -> list[float]:
    alone, left = rival - between, own + between - 2 * with_truth
    return [gap / sqrt(alone), sqrt(left / alone), norm.cdf(gap / sqrt(alone + left))]


def _draw_labels(rng: np.random.Generator) -> Numbers:
    mode = int(rng.integers(0, 4))
    return {"labels": [mode] * 3 + (mode + np.cumsum(rng.integers(1, 6, 7))).tolist()}


def _constants_key(labels: list[int]) -> list[float]:
    return [sum(labels) / 10, (labels[4] + labels[5]) / 2, (labels[8] + labels[9]) / 2, labels[0]]


def _draw_folds(rng: np.random.Generator) -> Numbers:
    drawn: Numbers = {}
    for fold, ill in (("first", int(rng.integers(1, 3))), ("second", int(rng.integers(2, 4)))):
        true = [0] * (5 - ill) + [1] * ill
        wrong = rng.choice(5, int(rng.integers(1, 3)), replace=False)
        drawn[fold] = true
        drawn[f"{fold}_called"] = [1 - label if i in wrong else label for i, label in enumerate(true)]
    return drawn


def _folds_key(first: list[int], first_called: list[int], second: list[int], second_called: list[int]) -> list[float]:
    def advantage(true: list[int], called: list[int]) -> float:
        errors = sum(a != b for a, b in zip(true, called, strict=True))
        return 1 - errors / min(sum(true), len(true) - sum(true))

    both = (advantage(first, first_called), advantage(second, second_called))
    return [sum(both) / 2, advantage(first + second, first_called + second_called)]


def _above_key(classes: int, margin: float) -> list[list[int]]:
    # two large classes that are never confused, and rare ones that are always missed
    del margin
    large = [[1000 if i == j else 0 for j in range(classes)] for i in range(2)]
    return large + [[1] + [0] * (classes - 1)] * (classes - 2)


def _cost_key(missed: int, alarms: int, lost: int) -> list[float]:
    well, sick = 10 * missed, 90
    return [float(sick < well), 1 - (alarms + lost * missed) / min(well, sick)]


VARIATIONS = (
    Variation(
        "exr-ch4-short-list",
        "A short list",
        "Every observation leaves one class in «left» of the population, all of them equally likely, and excludes the "
        "others. How many nats does it carry about the class? What is the average Bayes accuracy with 2 and with 10?",
        lambda rng: {"left": int(rng.choice([2, 3, 5, 6, 8]))},
        lambda left: [log(left), *(left / k * (1 - (1 - 1 / left) ** k) for k in (2, 10))],
    ),
    Variation(
        "exr-ch4-two-classes",
        "The ceiling in closed form",
        "With two classes the extremal density is proportional to $e^{ct}$. Take $c = $ «c». Find the "
        "information and the "
        "accuracy, in this order.",
        lambda rng: {"c": float(rng.choice([0.5, 1.5, 2.0, 2.5, 3.0]))},
        _two_classes_key,
    ),
    Variation(
        "exr-ch4-faint",
        "Faint signals",
        "Let the accuracy be only just above guessing, $a = \\frac1k + \\delta$ with small $\\delta$. How many times "
        "as much information does $C_k^{-1}(a)$ prove as Fano's inequality? Give the limit of the ratio as "
        "$\\delta \\to 0$, for $k = $ «few», for $k = $ «many», and as $k \\to \\infty$.",
        lambda rng: {"few": int(rng.choice([3, 4, 5, 6])), "many": int(rng.choice([15, 25, 60]))},
        lambda few, many: [(2 * few - 1) / (few - 1), (2 * many - 1) / (many - 1), 2],
    ),
    Variation(
        "exr-ch4-lottery",
        "A lottery",
        "There are $n$ equally likely classes. One observation in «one_in» names its class, the others say "
        "nothing. How "
        "large must $\\log n$ be for one nat of information? What is then the average Bayes accuracy with two classes "
        "(neglect that the two may be the same), and how many nats does that accuracy prove?",
        lambda rng: {"one_in": int(rng.choice([20, 25, 40, 50, 80]))},
        lambda one_in: [one_in, 0.5 + 0.5 / one_in, float(information_bound(0.5 + 0.5 / one_in, 2))],
    ),
    Variation(
        "exr-ch5-two-candidates",
        "Two candidates",
        "On the limit curve, with which information, in nats, are two candidates told apart in a share "
        "«accuracy» of the "
        "cases?",
        lambda rng: {"accuracy": float(rng.choice([0.8, 0.85, 0.9, 0.97, 0.99]))},
        lambda accuracy: norm.ppf(accuracy) ** 2,
    ),
    Variation(
        "exr-ch5-five-numbers",
        "Five numbers become two",
        "Scores are jointly normal. The truth's has a mean that is «gap» above that of each rival. The truth's has "
        "variance «own», each rival's «rival». The truth has covariance «with_truth» with every rival, and rivals have "
        "covariance «between» with each other. Find $\\mu$ and $\\nu$ of the lemma on normal scores, and the accuracy "
        "with two candidates.",
        lambda rng: {
            "gap": float(rng.choice([1.0, 1.5, 2.5, 3.0])),
            "own": float(rng.choice([2.0, 2.5, 3.0])),
            "rival": float(rng.choice([1.25, 1.5, 2.0])),
            "with_truth": float(rng.choice([0.25, 0.5])),
            "between": float(rng.choice([0.25, 0.5])),
        },
        _five_numbers_key,
    ),
    Variation(
        "exr-ch5-tilt",
        "What a histogram tells",
        "You compute the log likelihood ratio of many *unrelated* pairs of stimulus and response, in a model of high "
        "dimension. The histogram is normal with standard deviation «sd». What is the mutual information, what is the "
        "mean, and how often does an unrelated pair look more like a true one?",
        lambda rng: {"sd": float(rng.choice([1.0, 1.5, 2.0, 2.5, 4.0]))},
        lambda sd: [sd**2 / 2, -(sd**2) / 2, norm.cdf(-sd / 2)],
    ),
    Variation(
        "exr-ch5-channels",
        "Channels",
        "Each channel has signal variance «signal» against noise of variance 1. On the limit curve, what is the "
        "smallest "
        "number of channels with which the right one of «candidates» candidates is found at least half of the time?",
        lambda rng: {
            "signal": float(rng.choice([0.01, 0.03, 0.05])),
            "candidates": int(rng.choice([50, 100, 400, 1000])),
        },
        _channels_key,
    ),
    Variation(
        "exr-ch6-screening",
        "Screening",
        "A test screens 2,000 people, of whom «ill» are ill. It finds «found» of these and raises «alarms» "
        "false alarms. "
        "What are its accuracy and its prediction advantage under zero–one loss?",
        _draw_screening,
        _screening_key,
    ),
    Variation(
        "exr-ch6-constants",
        "Four constants",
        "The labels are «labels». Find a best constant prediction for squared loss, for absolute loss, for pinball "
        "loss with quantile 0.9, and for zero–one loss. Where there are several, take any.",
        _draw_labels,
        _constants_key,
    ),
    Variation(
        "exr-ch6-cost",
        "The price of an error",
        "Of 100 people, 90 are well and 10 are ill. A test calls «alarms» of the well ones ill, and «lost» of "
        "the ill ones "
        "well. A missed patient costs «missed», a false alarm 1, a right answer nothing. Which decision does the blind "
        "guesser take (0 for calling everybody well, 1 for calling everybody ill), and what is the advantage?",
        lambda rng: {
            "missed": int(rng.choice([5, 8, 12, 15, 30])),
            "alarms": int(rng.integers(5, 15)),
            "lost": int(rng.integers(1, 4)),
        },
        _cost_key,
    ),
    Variation(
        "exr-ch6-normal",
        "Half of the variance, less of the error",
        "Let $(X, Y)$ be bivariate normal with correlation $\\rho = $ «rho». What is the advantage of the best "
        "prediction "
        "from $X$ under squared loss, and what is it under absolute loss?",
        lambda rng: {"rho": float(rng.choice([0.3, 0.5, 0.6, 0.7, 0.9]))},
        lambda rho: [rho**2, 1 - sqrt(1 - rho**2)],
    ),
    Variation(
        "exr-ch6-hundred",
        "Ten classes and a thousand",
        "Recogniser A is right in a share «a» of the cases with ten classes, recogniser B in a share «b» with a "
        "thousand, "
        "all equally likely. What are their advantages? And suppose that A knows some of the answers and "
        "guesses the rest "
        "evenly: what would its accuracy be with two classes?",
        lambda rng: {"a": float(rng.choice([0.7, 0.8, 0.85, 0.95])), "b": float(rng.choice([0.3, 0.4, 0.5, 0.7]))},
        lambda a, b: [(10 * a - 1) / 9, (1000 * b - 1) / 999, 0.5 + (10 * a - 1) / 18],
    ),
    Variation(
        "exr-ch6-folds",
        "Two folds",
        "In one fold of a cross-validation the true labels are «first» and the predictions «first_called»; in the "
        "other the truths are «second» and the predictions «second_called». Compute the mean of the two advantages, "
        "and the advantage of all ten rows together.",
        _draw_folds,
        _folds_key,
    ),
    Variation(
        "exr-ch6-above",
        "Above balanced accuracy",
        "With two classes the advantage is never above balanced accuracy. Construct a confusion matrix of counts with "
        "exactly «classes» classes in which it exceeds balanced accuracy by at least «margin».",
        lambda rng: {"classes": int(rng.integers(3, 7)), "margin": float(rng.choice([0.15, 0.25, 0.3]))},
        _above_key,
    ),
)
