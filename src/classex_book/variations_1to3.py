"""Exercises of Chapters 1 to 3 with other numbers."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, log

import numpy as np

from classex.models import RandomCode
from classex_book.variants import Numbers, Variation

__all__ = ["VARIATIONS"]


def _wins_key(wins: list[int]) -> list[Fraction]:
    return [Fraction(sum(comb(w, k - 1) for w in wins), 5 * comb(4, k - 1)) for k in (2, 3, 5)]


def _draw_kinds(rng: np.random.Generator) -> Numbers:
    return {"easy": float(rng.choice([0.85, 0.9, 0.95])), "hard": float(rng.choice([0.3, 0.4, 0.5, 0.6]))}


def _budget_key(easy: float, hard: float) -> list[float]:
    between = ((easy - hard) / 2) ** 2
    within = (easy * (1 - easy) + hard * (1 - hard)) / 2
    return [(between / k + within / 1000) ** 0.5 for k in (10, 100, 1000)]


def _most_key(length: int, crossover: float) -> int:
    code = RandomCode(length=length, crossover=crossover)
    low, high = 1, 2
    while code.average_accuracy(high) >= 0.9:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if code.average_accuracy(middle) >= 0.9 else (low, middle)
    return low


def _boxes_key(near: list[int], far: list[int]) -> list[Fraction]:
    return [Fraction(sum(min(4, b - a) for a, b in zip(s, [*s[1:], s[-1] + 4], strict=True)), 12) for s in (near, far)]


def _draw_boxes(rng: np.random.Generator) -> Numbers:
    second = int(rng.integers(1, 3))
    return {
        "near": [0, second, second + int(rng.integers(1, 3))],
        "far": [0, second, second + 4 * int(rng.integers(2, 5))],
    }


def _line_key(k: int) -> list[float]:
    g = 2 * (k - 1) / k
    turn = exp(log(g / (k - 1)) / (k - 2))
    return [1 + g, 2 * (g * turn - turn ** (k - 1)) + 1 - g]


VARIATIONS = (
    Variation(
        "exr-ch1-wins",
        "Wins",
        "Five classes, one test point of each. The truth beats «wins» of its four rivals. What is the average test "
        "accuracy with two, three and five classes?",
        lambda rng: {"wins": sorted((int(w) for w in rng.choice([4, 4, 3, 3, 2, 1, 0], 5)), reverse=True)},
        _wins_key,
    ),
    Variation(
        "exr-ch1-budget",
        "A thousand photographs",
        "Half of all people are recognised with probability «easy», the others with probability «hard», whoever "
        "else is "
        "in the gallery. You can afford 1,000 test photographs: $k$ people, drawn at random, with $1000/k$ photographs "
        "each. What is the standard deviation of the test accuracy for $k = 10$, 100 and 1,000?",
        _draw_kinds,
        _budget_key,
    ),
    Variation(
        "exr-ch1-copies",
        "Meeting oneself",
        "A recogniser never errs. Somebody draws $n$ of its $n$ classes with replacement, tests it on the resample and "
        "breaks ties at random. What is the expected accuracy for $n = $ «few», for $n = $ «many», and in the limit?",
        lambda rng: {"few": int(rng.integers(2, 6)), "many": int(rng.choice([20, 30, 40, 60, 80]))},
        lambda few, many: [*(1 - (1 - Fraction(1, n)) ** n for n in (few, many)), 1 - exp(-1)],
    ),
    Variation(
        "exr-ch1-most-codewords",
        "As many codewords as possible",
        "Bits are flipped with probability «crossover». What is the largest number of random codewords of "
        "«length» bits "
        "that are recognised with average accuracy 0.9 at least?",
        lambda rng: {"length": int(rng.integers(25, 56)), "crossover": float(rng.choice([0.05, 0.08, 0.12, 0.15]))},
        _most_key,
    ),
    Variation(
        "exr-ch2-boxes",
        "Boxes",
        "An observation of class $x$ is uniform on the interval from $x$ to $x + 1$. Three classes stand at «near» "
        "quarters. What is their Bayes accuracy? And if they stand at «far» quarters?",
        _draw_boxes,
        _boxes_key,
    ),
    Variation(
        "exr-ch2-unmistakable",
        "Unmistakable classes",
        "One class in «one_in» is unmistakable, and all other classes look exactly alike. Draw two classes. Find the "
        "average Bayes accuracy $\\mathrm{ABA}_2$, the variance of the Bayes accuracy, and the bound $d(1-d)/k$.",
        lambda rng: {"one_in": int(rng.choice([2, 4, 5, 6]))},
        lambda one_in: [
            1 - Fraction(one_in - 1, one_in) ** 2 / 2,
            Fraction(one_in - 1, one_in) ** 2 * (1 - Fraction(one_in - 1, one_in) ** 2) / 4,
            Fraction(one_in - 1, one_in) ** 2 * (1 - Fraction(one_in - 1, one_in) ** 2) / 2,
        ],
    ),
    Variation(
        "exr-ch2-price",
        "The price of Chebyshev",
        "Let each class have very many test points. How many times as many classes does the bound of the thesis "
        "need as "
        "the joint bound, to lie equally far below the test accuracy? Answer for $\\alpha$ = «alphas».",
        lambda rng: {"alphas": [float(rng.choice([0.1, 0.08, 0.04])), float(rng.choice([0.02, 0.01, 0.005]))]},
        lambda alphas: [1 / (a * log(1 / a)) for a in alphas],
    ),
    Variation(
        "exr-ch2-budget",
        "People or photographs",
        "To recruit a person costs as much as «person» photographs. For a given width of the joint bound, which "
        "number of "
        "photographs per person is the cheapest? How many times as much does the experiment cost with one "
        "photograph of "
        "each person, and with «person»?",
        lambda rng: {"person": int(rng.integers(4, 13)) ** 2},
        lambda person: [round(person**0.5), *2 * [2 * (1 + person) / (1 + person**0.5) ** 2]],
    ),
    Variation(
        "exr-ch3-two-kinds",
        "Two kinds of photographs",
        "A share «clear» of all test points is so clear that no wrong class ever beats them. The others have "
        "favourability «other». What is the average accuracy with 2 and with 10 classes, and what is its limit as the "
        "number of classes grows?",
        lambda rng: {"clear": float(rng.choice([0.2, 0.3, 0.4, 0.6])), "other": float(rng.choice([0.8, 0.85, 0.95]))},
        lambda clear, other: [*(clear + (1 - clear) * other ** (k - 1) for k in (2, 10)), clear],
    ),
    Variation(
        "exr-ch3-power",
        "One pair decides all",
        "Suppose you know that $D(u) = u^a$ for some $a \\ge 1$. Accuracy with two classes is «two». What is $a$, and "
        "what is the accuracy with 100 classes?",
        lambda rng: {"two": float(rng.choice([0.75, 0.8, 0.95, 0.96, 0.98]))},
        lambda two: [two / (1 - two), two / (1 - two) / (two / (1 - two) + 99)],
    ),
    Variation(
        "exr-ch3-unbiased-power",
        "A power without bias",
        "A test point beats «wins» of «n» wrong labels. What does the squared share of wins say about $p^2$, "
        "its chance "
        "among three classes? And which function of the wins is unbiased for $p^2$? Give the two estimates.",
        lambda rng: {"wins": int(rng.integers(12, 22)), "n": int(rng.integers(23, 31))},
        lambda wins, n: [Fraction(wins, n) ** 2, Fraction(comb(wins, 2), comb(n, 2))],
    ),
    Variation(
        "exr-ch3-line",
        "The price of a line",
        "Somebody observes $\\mathrm{AGA}_2$ alone, fits $D(u) = \\beta u$ to it, and predicts the accuracy with «k» "
        "classes. By what factors is the error $\\delta$ of the basis multiplied, in the simple and in the sharp form?",
        lambda rng: {"k": int(rng.choice([20, 40, 50, 80, 200]))},
        _line_key,
    ),
)
