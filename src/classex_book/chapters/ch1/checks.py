"""Checkers of the exercises of Chapter 1; the truth comes from enumeration, quadrature or exact integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, exp, expm1, factorial, log, log1p, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import norm

from classex.models import RandomCode
from classex_book.arguments import Rule, centred, cosine_about_mean, distance, softmax, standardised, two_nearest
from classex_book.course.answers import (
    Mismatch,
    as_array,
    as_whole,
    honest_estimator,
    require,
    same_array,
    same_function,
    same_number,
)
from classex_book.course.texts import Numbers, Variations


def _by_enumeration(scores: NDArray[np.float64], k: int) -> float:
    """Accuracy over all k-subsets of the columns, with one test point of each class (its row) and no ties."""
    subsets = [list(subset) for subset in combinations(range(scores.shape[1]), k)]
    right = [scores[i, subset].max() == scores[i, i] for subset in subsets for i in subset]
    return float(np.mean(right))


def check_wins(answer: object, wins: Sequence[int] = (4, 4, 3, 1, 0)) -> None:
    # row i beats the first wins[i] of the other labels and loses to the rest
    scores = np.zeros((5, 5))
    for i, won in enumerate(wins):
        others = [label for label in range(5) if label != i]
        scores[i, others] = [-1.0 - n if n < won else 1.0 + n for n in range(4)]
    same_array(answer, [_by_enumeration(scores, k) for k in (2, 3, 5)])


def check_ties(answer: object, beaten: int = 1, tied: int = 1) -> None:
    # labels: 0 the truth, then the beaten, then the tied; every order of the tie-breaking draws is equally likely
    rivals = range(1, beaten + tied + 1)
    truth = []
    for k in (2, beaten + tied + 1):
        cases = [
            all(label <= beaten or order[label] < order[0] for label in drawn)
            for drawn in combinations(rivals, k - 1)
            for order in permutations(range(beaten + tied + 1))
        ]
        truth.append(np.mean(cases))
    same_array(answer, truth)


def check_three_points(answer: object, left: float = 2.0, right: float = 0.0) -> None:
    rho = np.sqrt(0.5)
    grid, step = np.linspace(-10, 10, 400_001, retstep=True)
    truth = []
    half = (left + right) / 2
    for classes in ((-half, 0.0, half), (-half, left - half, half)):
        centres = rho * np.array(classes)[:, np.newaxis]
        density = np.exp(-((grid - centres) ** 2) / (2 * (1 - rho**2))) / np.sqrt(2 * np.pi * (1 - rho**2))
        truth.append(density.max(axis=0).sum() * step / 3)
    same_array(answer, truth, tolerance=1e-5)


def check_budget(answer: object, easy: float = 0.9, hard: float = 0.5) -> None:
    truth = []
    for k in (10, 100, 1000):
        r = 1000 // k
        # distribution of one class's test accuracy: both kinds of class, all numbers of right answers
        cases = [
            (0.5 * comb(r, right) * p**right * (1 - p) ** (r - right), right / r)
            for p, right in product((easy, hard), range(r + 1))
        ]
        weight, value = np.array(cases).T
        truth.append(np.sqrt((weight @ value**2 - (weight @ value) ** 2) / k))
    same_array(answer, truth)


def check_copies(answer: object, few: int = 2, many: int = 50) -> None:
    truth = []
    for n in (few, many):
        share = Fraction(1, n)
        terms = (comb(n - 1, c) * share**c * (1 - share) ** (n - 1 - c) / (c + 1) for c in range(n))
        truth.append(float(sum(terms)))
    # the number of copies tends to a Poisson variable with mean 1
    truth.append(sum(exp(-1) / factorial(c) / (c + 1) for c in range(30)))
    same_array(answer, truth)


def _ata(wins: list[int], n_classes: int, k: int) -> float:
    """Average accuracy by exact integers."""
    return float(sum(Fraction(comb(won, k - 1), comb(n_classes - 1, k - 1)) for won in wins) / len(wins))


def check_every_subset(answer: object, **rows: list[int]) -> None:
    if rows:
        same_array(answer, [_by_enumeration(np.array(list(rows.values()), dtype=float), k) for k in (2, 3)])
        return
    rng = np.random.default_rng(11)
    cases = {}
    for repeats in ([1, 1, 1, 1], [1, 4, 2, 3, 5], [3, 3, 3, 3, 3, 3]):
        labels = np.repeat(np.arange(len(repeats)), repeats)
        scores = rng.normal(size=(labels.size, len(repeats)))
        scores[np.arange(labels.size), labels] += 1
        for k in (1, 2, len(repeats) - 1, len(repeats)):
            cases[f"{len(repeats)} classes with {repeats} points and k = {k}"] = (scores, labels, k)

    def truth(scores: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> float:
        shares = []
        for i in range(scores.shape[1]):
            rows = scores[labels == i]
            wins = (rows < rows[:, [i]]).sum(axis=1)
            shares.append(_ata(wins.tolist(), scores.shape[1], k))
        return float(np.mean(shares))

    same_function(answer, truth, cases)


def _order_is_kept(rule: Rule, points: NDArray[np.float64], references: NDArray[np.float64]) -> bool:
    """Whether any pair of classes changes its order at a point when a third one is left out."""
    classes, full = range(len(references)), rule(points, references)
    for out in classes:
        rest = [i for i in classes if i != out]
        left = rule(points, references[rest])
        for (a, i), (b, j) in combinations(enumerate(rest), 2):
            if ((left[:, a] < left[:, b]) != (full[:, i] < full[:, j])).any():
                return False
    return True


def check_marginal(answer: object, **chosen: str) -> None:
    rng = np.random.default_rng(12)
    points, references = rng.normal(size=(60, 2)), rng.normal(size=(5, 2)) * [1.0, 3.0]
    rules: dict[str, tuple[Rule, bool]] = {
        "minus the distance": (distance, True),
        "the softmax of minus the distance": (softmax, True),
        "the distance after subtracting the mean of all classes": (centred, True),
        "the distance after dividing by the standard deviation of all classes": (standardised, False),
        "the cosine after subtracting the mean of all classes": (cosine_about_mean, False),
        "the distance to the two nearest, the standardised distance to all others": (two_nearest, False),
    }
    if chosen:
        same_array(answer, [float(_order_is_kept(rules[name][0], points, references)) for name in chosen.values()])
        return
    keeps = dict(rules.values())
    cases = {case: (rule, points, references) for case, (rule, _) in rules.items()}
    same_function(answer, lambda rule, *_: keeps[rule], cases)


def _code_accuracy(length: int, crossover: float, k: int) -> float:
    """The formula of the proposition, term by term, its probabilities from exact integers."""
    value, nearer = 0.0, 0
    for h in range(length + 1):
        ways, farther = comb(length, h), 2**length - nearer
        # survivors^k - (survivors - equal)^k, without cancellation where both are close to 1
        log_survive = log1p(-nearer / 2**length) if nearer < farther else log(farther / 2**length)
        lost = -expm1(k * log1p(-ways / farther)) if ways < farther else 1.0
        share = ways * crossover**h * (1 - crossover) ** (length - h)
        value += share * exp(k * log_survive) * lost / (k * (ways / 2**length))
        nearer += ways
    return value


def check_most_codewords(answer: object, length: int = 63, crossover: float = 0.1) -> None:
    k = as_whole(answer, "a whole number of codewords")
    few, more = (_code_accuracy(length, crossover, count) for count in (k, k + 1))
    require(few >= 0.9, "with this many codewords the accuracy is below 0.9")
    require(more < 0.9, "with one more codeword the accuracy is still at least 0.9")


def check_circle(answer: object, noise: float | None = None, classes: int = 5) -> None:
    sd = 0.5 if noise is None else noise
    # a rival is nearer with probability |error|/pi, the error wrapped into (-pi, pi]
    error, step = np.linspace(-9, 9, 240_001, retstep=True)
    density = np.exp(-(error**2) / (2 * sd**2)) / (sd * np.sqrt(2 * np.pi))
    favourability = 1 - np.abs((error + np.pi) % (2 * np.pi) - np.pi) / np.pi
    truth = float((density * favourability ** (classes - 1)).sum() * step)
    if noise is None:
        honest_estimator(answer, truth, largest_error=0.005)
    else:
        same_number(answer, truth, tolerance=0.003)


def check_crossing(answer: object, few: float = 0.2, many: float = 0.2) -> None:
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Mismatch("the answer must be a pair of arrays")
    curves = []
    for name, wins in zip("AB", answer, strict=True):
        array = as_array(wins, (None,))
        require(array.size > 0, f"classifier {name} has no test point")
        require(np.isin(array, np.arange(100)).all(), f"the wins of {name} must be whole numbers between 0 and 99")
        curves.append([_ata(array.astype(int).tolist(), 100, k) for k in (2, 100)])
    (a2, a100), (b2, b100) = curves
    require(a2 >= b2 + few, f"with 2 classes A is not better than B by {few:g}")
    require(b100 >= a100 + many, f"with 100 classes B is not better than A by {many:g}")


def check_own_data(answer: Any) -> None:
    for name in ("n_classes", "accuracy", "standard_error"):
        require(hasattr(answer, name), f"the answer has no {name}")
    sizes = as_array(answer.n_classes, (None,))
    require(sizes.size >= 5 and (sizes == np.arange(1, sizes.size + 1)).all(), "n_classes does not run 1, 2, 3, ...")
    accuracy, error = (as_array(values, (sizes.size,)) for values in (answer.accuracy, answer.standard_error))
    same_number(accuracy[0], 1.0)
    require((np.diff(accuracy) <= 1e-12).all(), "the accuracy rises with the number of classes")
    require((accuracy[1:] > 1 / sizes[1:]).all(), "the accuracy is not above 1/k, the accuracy of guessing")
    require((accuracy >= 0).all() and (error >= 0).all(), "accuracies and standard errors must not be negative")
    require((error[1:] > 0).any() or (accuracy == 1).all(), "the standard error is 0 everywhere")


# Other numbers: drawn from a seed, with a key that is worked out in another way than the checkers' truth

# whether the order of the labels survives when a class is left out
_KEEPS_ORDER = {
    "minus the distance": 1,
    "the softmax of minus the distance": 1,
    "the distance after subtracting the mean of all classes": 1,
    "the distance after dividing by the standard deviation of all classes": 0,
    "the cosine after subtracting the mean of all classes": 0,
    "the distance to the two nearest, the standardised distance to all others": 0,
}
_PLACES = ("first", "second", "third", "fourth")


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


def _ties_key(beaten: int, tied: int) -> list[Fraction]:
    return [(beaten + Fraction(tied, 2)) / (beaten + tied), Fraction(1, tied + 1)]


def _draw_gaps(rng: np.random.Generator) -> Numbers:
    left, right = sorted(float(gap) for gap in rng.choice([0.5, 1.0, 1.5, 2.0, 2.5, 3.0], 2, replace=False))
    return {"left": left, "right": right}


def _gaps_key(left: float, right: float) -> list[float]:
    same = (left + right) / 2
    return [float(2 * norm.cdf(a / 2) + 2 * norm.cdf(b / 2) - 1) / 3 for a, b in ((same, same), (left, right))]


def _draw_scores(rng: np.random.Generator) -> Numbers:
    return {name: [int(score) for score in rng.permutation(4) + 1] for name in _PLACES}


def _scores_key(**scores: list[int]) -> list[Fraction]:
    wins = [sum(other < row[i] for other in row) for i, row in enumerate(scores[name] for name in _PLACES)]
    return [Fraction(sum(comb(won, k - 1) for won in wins), 4 * comb(3, k - 1)) for k in (2, 3)]


def _draw_rules(rng: np.random.Generator) -> Numbers:
    return dict(zip(_PLACES, map(str, rng.choice(list(_KEEPS_ORDER), 4, replace=False)), strict=True))


def _circle_key(noise: float, classes: int) -> float:
    def weighted(error: float) -> float:
        turns = (norm.pdf(error + 2 * pi * turn, scale=noise) for turn in range(-2, 3))
        return float(2 * sum(turns) * (1 - error / pi) ** (classes - 1))

    return float(quad(weighted, 0, pi)[0])


def _draw_margins(rng: np.random.Generator) -> Numbers:
    many = float(rng.choice([0.1, 0.2, 0.3, 0.4, 0.5]))
    return {"few": round(0.95 - many, 2), "many": many}


def _crossing_key(few: float, many: float) -> list[list[int]]:
    won = round(10 * many)
    assert few + many < 98 / 99
    return [[98] * 10, [99] * won + [0] * (10 - won)]


VARIATIONS: Variations = {
    "wins": (
        lambda rng: {"wins": sorted((int(w) for w in rng.choice([4, 4, 3, 3, 2, 1, 0], 5)), reverse=True)},
        _wins_key,
    ),
    "ties": (lambda rng: {"beaten": int(rng.integers(2, 5)), "tied": int(rng.integers(1, 4))}, _ties_key),
    "three-points": (_draw_gaps, _gaps_key),
    "budget": (_draw_kinds, _budget_key),
    "copies": (
        lambda rng: {"few": int(rng.integers(2, 6)), "many": int(rng.choice([20, 30, 40, 60, 80]))},
        lambda few, many: [*(1 - (1 - Fraction(1, n)) ** n for n in (few, many)), 1 - exp(-1)],
    ),
    "every-subset": (_draw_scores, _scores_key),
    "marginal": (_draw_rules, lambda **rules: [_KEEPS_ORDER[rules[name]] for name in _PLACES]),
    "most-codewords": (
        lambda rng: {"length": int(rng.integers(25, 56)), "crossover": float(rng.choice([0.05, 0.08, 0.12, 0.15]))},
        _most_key,
    ),
    "circle": (
        lambda rng: {"noise": float(rng.choice([0.3, 0.4, 0.6, 0.9])), "classes": int(rng.choice([3, 4, 6, 8]))},
        _circle_key,
    ),
    "crossing": (_draw_margins, _crossing_key),
}
