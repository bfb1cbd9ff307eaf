"""Exercises of Chapter 4 with other numbers."""

from __future__ import annotations

from math import exp, expm1, log, sqrt

import numpy as np

from classex.information import accuracy_ceiling, information_bound
from classex_book.chapters.drawn_tables import draw_channel, mean_entropy, stacked
from classex_book.course.variants import Numbers, Variation

__all__ = ["VARIATIONS"]


def _two_classes_key(c: float) -> list[float]:
    zeta = expm1(c) / c
    accuracy = (exp(c) * (c - 1) + 1) / c**2 / zeta
    return [c * accuracy - log(zeta), accuracy]


def _functionals_key(k: int, **rows: list[float]) -> list[float]:
    channel = stacked(rows)
    p_y = channel.mean(axis=0)
    q = np.sort(channel, axis=0) / p_y
    steps = np.diff((np.arange(4) / 3) ** k) / k
    return [float(p_y @ (q * np.log(q)).mean(axis=0)), float(p_y @ (steps @ q))]


def _draw_proof(rng: np.random.Generator) -> Numbers:
    return {
        "accuracy": [round(float(rng.uniform(0.5, 0.7)), 2), round(float(rng.uniform(0.75, 0.9)), 2)],
        "sizes": [int(rng.choice([50, 60, 80])), int(rng.choice([8, 10, 12]))],
        "n_classes": int(rng.choice([100, 150, 200])),
        "n_repeats": int(rng.choice([4, 5, 10])),
        "alpha": float(rng.choice([0.02, 0.05, 0.1])),
    }


def _proof_key(accuracy: list[float], sizes: list[int], n_classes: int, n_repeats: int, alpha: float) -> float:
    allowance = sqrt((1 + 1 / n_repeats) * log(len(sizes) / alpha) / (2 * n_classes))
    return max(float(information_bound(max(a - allowance, 1 / k), k)) for a, k in zip(accuracy, sizes, strict=True))


def _guessing_key(labels: int, points: int) -> float:
    return mean_entropy(labels, labels * points) - mean_entropy(labels, points)


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
        "exr-ch4-ceiling",
        "Build the ceiling",
        "What is the largest average Bayes accuracy with «k» classes that «nats» nats of information allow? Compute it "
        "from the theorem as it stands: find $c$, then integrate.",
        lambda rng: {"nats": float(rng.choice([0.3, 0.8, 1.5, 2.5])), "k": int(rng.choice([3, 5, 8, 20, 30]))},
        lambda nats, k: float(accuracy_ceiling(nats, k)),
        "a probability",
    ),
    Variation(
        "exr-ch4-functionals",
        "Two functionals of one density",
        "An observation is one of three letters. Three classes are equally frequent. They send the letters with "
        "probabilities «first» (the first class), «second» (the second) and «third» (the third). Draw «k» classes; two "
        "may be the same. Find the information in nats and the average Bayes accuracy.",
        draw_channel,
        _functionals_key,
        "a pair: information in nats, average Bayes accuracy",
    ),
    Variation(
        "exr-ch4-proof",
        "From accuracies to a proof",
        "A classifier was tested on «n_classes» random classes with «n_repeats» test points each. Its average test "
        "accuracy is «accuracy» in tasks of «sizes» classes; these sizes were named in advance. How many nats are "
        "proven with error probability «alpha», by the joint allowance?",
        _draw_proof,
        _proof_key,
        "a number of nats",
    ),
    Variation(
        "exr-ch4-nearly-extremal",
        "Close to the ceiling",
        "Every observation leaves one class in «left» of the population, all of them equally likely, and excludes the "
        "others. How far is its average Bayes accuracy with «k» classes below the ceiling for as much information?",
        lambda rng: {"left": int(rng.choice([2, 3, 5, 6, 8])), "k": int(rng.choice([2, 3, 5, 10, 20]))},
        lambda left, k: float(accuracy_ceiling(log(left), k)) - left / k * (1 - (1 - 1 / left) ** k),
        "a difference of probabilities",
    ),
    Variation(
        "exr-ch4-guessing",
        "What guessing seems to know",
        "A recogniser guesses one of «labels» labels at random, whatever the input. There are «points» test points for "
        "each class. What is the mean of the plug-in information of its confusion matrix, in nats, with each class "
        "weighing the same? Three digits will do.",
        lambda rng: {"labels": int(rng.choice([20, 30, 40, 80])), "points": int(rng.choice([3, 4, 8, 10]))},
        _guessing_key,
        "a number of nats, right to three digits",
    ),
)
