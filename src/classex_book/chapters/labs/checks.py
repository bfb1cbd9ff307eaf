"""Checkers of the tasks of the labs; the truth comes from plain loops, counting and quadrature."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, optimize, spatial, special, stats

from classex.distributions import restated_limits
from classex_book.case import words_case
from classex_book.course.answers import same_array, same_function
from classex_book.data import glyph_features, load_telugu, load_voxel_experiment
from classex_book.encoding import IdentificationModel

FloatArray = NDArray[np.float64]

SENSES = 4
VALUES = np.array([1.2, 0.7, 2.4, 1.9, 1.1, 1.6])


# faces
def check_sphere(answer: object, inner: float = 0.98) -> None:
    share = integrate.quad(lambda _: 0.5, -1, inner)[0]  # in three dimensions a coordinate is uniform
    k, chance = 1, 1.0
    while chance * share >= 0.5:
        k, chance = k + 1, chance * share
    same_array(answer, [share, np.prod([share] * 49), k])


def _below(inner: float, p: int) -> float:
    """Chance that a coordinate of a uniform point of the sphere is below `inner`, from its density."""

    def density(angle: float) -> float:
        return float(np.sin(angle) ** (p - 2))

    return float(integrate.quad(density, np.arccos(inner), np.pi)[0] / integrate.quad(density, 0, np.pi)[0])


def check_own_curve(answer: object) -> None:
    def truth(inner: FloatArray, p: int, k: int) -> float:
        return float(np.mean([_below(s, p) ** (k - 1) for s in inner]))

    inner = np.array([0.1, 0.25, 0.4, 0.55])
    cases = {f"p = {p} and k = {k:,}": (inner, p, k) for p in (3, 16, 128) for k in (2, 50, 10_000)}
    same_function(answer, truth, cases)


def check_balanced(answer: object) -> None:
    def truth(right: NDArray[np.bool_], people: NDArray[np.str_]) -> float:
        tested = sorted(set(people))
        return sum(float(right[people == name].mean()) for name in tested) / len(tested)

    right = np.array([True, True, True, False, True, False])
    same_function(
        answer,
        truth,
        {
            "one photograph each": (right[:4], np.array(["Ana", "Bo", "Cy", "Di"])),
            "four photographs of one person": (right, np.array(["Ana", "Ana", "Ana", "Ana", "Bo", "Cy"])),
        },
    )


# scanner
def check_population(answer: object, error: float = 0.3) -> None:
    n = VALUES.size
    mean = VALUES.sum() / n
    scatter = sum((value - mean) ** 2 for value in VALUES) / (n - 1)
    low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=np.sqrt(scatter / n))
    same_array(answer, [mean, (high - low) / 2, np.sqrt(scatter - error**2)])


def check_delays(answer: object) -> None:
    def truth(features: FloatArray, delays: tuple[int, ...], runs: NDArray[np.int64]) -> FloatArray:
        n, p = features.shape
        out = np.zeros((n, p * len(delays)))
        for row in range(n):
            for block, delay in enumerate(delays):
                if row >= delay and runs[row - delay] == runs[row]:
                    out[row, block * p : (block + 1) * p] = features[row - delay]
        return out

    features = np.arange(1.0, 17.0).reshape(8, 2)
    two = np.repeat([0, 1], 4)
    same_function(
        answer,
        truth,
        {
            "one run and delays 1 and 2": (features, (1, 2), np.zeros(8, dtype=int)),
            "two runs and delays 1 and 2": (features, (1, 2), two),
            "two runs and delays 0, 3 and 5": (features, (0, 3, 5), two),
        },
    )


def check_ceiling(answer: object) -> None:
    def truth(showings: FloatArray) -> FloatArray:
        r = len(showings)
        mean = np.mean(showings, axis=0)
        within = np.mean([np.var(showing - mean, axis=0, ddof=1) for showing in showings], axis=0)
        noise = within * r / (r - 1)
        of_mean = np.var(mean, axis=0, ddof=1)
        return np.asarray(np.clip((of_mean - noise / r) / of_mean, 0, 1))

    rng = np.random.default_rng(52)
    signal = np.array([0.0, 0.5, 2.0]) * rng.normal(size=(60, 3))
    cases = {f"{r} showings": (signal + rng.normal(size=(r, 60, 3)),) for r in (2, 8)}
    same_function(answer, truth, cases)


# telugu
def check_look_alikes(answer: object, others: int = 3, classes: int = 468) -> None:
    left = classes - 1 - others  # neither the syllable nor one of its look-alikes
    same_array(answer, [1 - comb(left, k - 1) / comb(classes - 1, k - 1) for k in (20, 100, classes)])


@cache
def _fonts() -> list[float]:
    train, labels, test, test_labels = glyph_features(load_telugu(), 100)
    first = np.arange(labels.size) % 50 < 25
    shares = []
    for points, truth in ((train[~first], labels[~first]), (test, test_labels)):
        nearest = spatial.distance.cdist(points, train[first]).argmin(axis=1)
        shares.append(float((labels[first][nearest] == truth).mean()))
    return shares


def check_fonts(answer: object) -> None:
    same_array(answer, _fonts())


@cache
def _families() -> list[float]:
    glyphs = load_telugu()
    train, labels, test, test_labels = glyph_features(glyphs, 100)
    means = np.array([train[labels == label].mean(axis=0) for label in range(100)])
    right = spatial.distance.cdist(test, means).argmin(axis=1) == test_labels
    family = glyphs.test_families[glyphs.test_labels < 100]
    return [float(right[family == one].mean()) for one in sorted(set(family))]


def check_families(answer: object) -> None:
    same_array(answer, _families())


# voxels
def check_two_voxels(answer: object, noise: float = 2.0, correlation: float = 0.5) -> None:
    def nats(covariance: FloatArray) -> float:
        return 0.5 * float(np.linalg.slogdet(covariance + 1)[1] - np.linalg.slogdet(covariance)[1])

    shared = noise * np.array([[1.0, correlation], [correlation, 1.0]])
    same_array(answer, [nats(shared[:1, :1]), nats(noise * np.eye(2)), nats(shared)])


@cache
def _implied(diagonal: bool) -> float:
    """Information of the likelihood's maximum, on the scores of plain quadratic forms."""
    experiment = load_voxel_experiment(n_voxels=60)
    model = IdentificationModel().fit(experiment.train_features, experiment.train_responses)
    covariance = np.diag(np.diag(model.covariance_)) if diagonal else model.covariance_
    scores = _quadratic(experiment.test_responses, model.predict(experiment.test_features), covariance)
    wins = (scores < np.diag(scores)[:, np.newaxis]).sum(axis=1)
    z = np.linspace(-7, 7, 1401)

    def deviance(shift: float) -> float:
        u = stats.norm.cdf(z + shift)[:, np.newaxis]
        chances = stats.binom.pmf(wins, len(wins) - 1, u) * stats.norm.pdf(z)[:, np.newaxis]
        return -float(np.log(chances.sum(axis=0)).sum())

    return float(optimize.minimize_scalar(deviance, bounds=(0, 6), method="bounded").x ** 2 / 2)


def _quadratic(responses: FloatArray, predictions: FloatArray, covariance: FloatArray) -> FloatArray:
    gaps = responses[:, np.newaxis] - predictions
    return np.asarray(-0.5 * np.einsum("ijk,ijk->ij", gaps @ np.linalg.inv(covariance), gaps))


def check_uncorrelated(answer: object) -> None:
    same_array(answer, [_implied(False), _implied(True)], tolerance=5e-3)


@cache
def _pooled() -> list[float]:
    scores = []
    for subject in (0, 1):
        experiment = load_voxel_experiment(n_voxels=60, subject=subject)
        model = IdentificationModel().fit(experiment.train_features, experiment.train_responses)
        predictions = model.predict(experiment.test_features)
        scores.append(_quadratic(experiment.test_responses, predictions, model.covariance_))
    scores.append(scores[0] + scores[1])
    return [float((part.argmax(axis=1) == np.arange(len(part))).mean()) for part in scores]


def check_pooled(answer: object) -> None:
    same_array(answer, _pooled())


# words
def check_senses(answer: object, classes: int = 32_923) -> None:
    def accuracy(k: int) -> float:
        others = stats.hypergeom(classes - 1, SENSES - 1, k - 1)
        return sum(float(others.pmf(h)) / (1 + h) for h in range(SENSES))

    same_array(answer, [accuracy(k) for k in (100, 10_000, classes)])


def check_ties(answer: object) -> None:
    def truth(scores: FloatArray, labels: NDArray[np.int64]) -> list[float]:
        generous, fair = 0.0, 0.0
        for row, label in zip(scores, labels, strict=True):
            if row[label] == max(row):
                generous += 1
                fair += 1 / list(row).count(max(row))
        return [generous / len(labels), fair / len(labels)]

    blank = np.zeros((3, 5))
    mixed = np.array([[3.0, 1.0, 2.0], [2.0, 2.0, 1.0], [0.0, 1.0, 1.0], [4.0, 0.0, 4.0]])
    cases = {"nothing but ties": (blank, np.arange(3)), "some ties": (mixed, np.array([0, 1, 0, 2]))}
    same_function(answer, truth, cases)


@cache
def _one_file(name: str = "verb.contact", k: int = 20) -> list[float]:
    case = words_case()
    members = np.flatnonzero(case.words.lexicographer_files[: len(case.labels)] == name)
    found = []
    for columns in (members, case.labels):
        total = 0.0
        for row in members:
            scores = case.scores[row, columns[columns != row]]
            own = case.scores[row, row]
            beaten, equal = int((scores < own).sum()), int((scores == own).sum())
            sets = [comb(equal, h) * comb(beaten, k - 1 - h) / (1 + h) for h in range(min(equal, k - 1) + 1)]
            total += sum(sets) / comb(len(columns) - 1, k - 1)
        found.append(total / len(members))
    return found


def check_one_file(answer: object) -> None:
    same_array(answer, _one_file())


# rank_metrics
def check_corpus(answer: object) -> None:
    def truth(above: tuple[int, ...], others: int, drawn: int, m: int) -> float:
        found = [
            before + 1 + sum(other < higher for other in chosen) <= m  # others are numbered from the best one down
            for chosen in combinations(range(others), drawn)
            for before, higher in enumerate(above)
        ]
        return float(np.mean(found))

    cases = [((0, 2, 5), 8, 4, 3), ((3,), 9, 9, 3), ((3,), 9, 5, 2), ((1, 1, 6, 7), 10, 0, 2)]
    same_function(answer, truth, {f"above = {a}, {n} others and {d} drawn": (a, n, d, m) for a, n, d, m in cases})


# sampled_negatives
def check_negatives(answer: object) -> None:
    def truth(rank: int, items: int, m: int, chance: float) -> int:
        below = (items - rank) / (items - 1)
        numbers = np.arange(m, 100_000)
        # a binomial distribution function is an incomplete beta function
        return int(numbers[special.betainc(numbers - m + 1, m, below) <= chance][0])

    cases = [(100, 10_000, 10, 0.05), (12, 1_000, 10, 0.05), (50, 100, 5, 0.01), (2, 30, 1, 0.5)]
    same_function(answer, truth, {f"rank {r} of {n:,}, m = {m}": (r, n, m, c) for r, n, m, c in cases})


# restating
def check_restate(answer: object) -> None:
    def truth(a: float, n: int, k: int) -> FloatArray:
        return np.asarray(restated_limits(a, n, k)[0])

    cases = [(0.62, 50, 200), (0.62, 50, 2), (0.9, 7, 8), (0.3, 3, 2)]
    same_function(answer, truth, {f"a = {a}, n = {n} and k = {k}": (a, n, k) for a, n, k in cases})


# decoding
def check_fewer(answer: object) -> None:
    def truth(rank: int, n: int, k: int, m: int) -> float:
        kept = list(combinations(range(1, n), k - 1))  # of the others, the first rank - 1 are better
        return sum(sum(other < rank for other in some) < m for some in kept) / len(kept)

    cases = [(1, 9, 4, 1), (3, 9, 4, 1), (4, 9, 5, 2), (9, 9, 2, 1), (6, 9, 9, 5), (5, 9, 6, 3)]
    same_function(answer, truth, {f"rank {r} of {n}, k = {k} and m = {m}": (r, n, k, m) for r, n, k, m in cases})


# choice
def check_guess(answer: object) -> None:
    def truth(a: float, n: int, k: int) -> float:
        # U is 1 for a known answer and uniform for a guess
        guess = [integrate.quad(lambda u, size=size: u ** (size - 1), 0, 1)[0] for size in (n, k)]
        known = optimize.brentq(lambda s: s + (1 - s) * guess[0] - a, 0, 1)
        return float(known + (1 - known) * guess[1])

    cases = [(0.62, 4, 10), (0.9, 5, 2), (0.3, 4, 100), (0.5, 3, 3)]
    same_function(answer, truth, {f"a = {a}, n = {n} and k = {k}": (a, n, k) for a, n, k in cases})


# pass_at_k
def check_verifier(answer: object) -> None:
    def truth(p: FloatArray, f: float, k: int) -> float:
        # one attempt after another: right now, and rejected before
        rejected = (1 - p) * (1 - f)
        return float(np.mean([p * rejected**j for j in range(k)]) * k)

    cases = [([0.5, 0.0], 0.1, 1), ([0.3, 0.02, 0.0], 0.05, 7), ([0.9, 0.01], 0.001, 200), ([0.2, 0.2], 1.0, 3)]
    same_function(answer, truth, {f"p = {p}, f = {f} and k = {k}": (np.array(p), f, k) for p, f, k in cases})


# growth
def check_near_far(answer: object) -> None:
    def truth(wins: tuple[int, int], rivals: tuple[int, int], drawn: tuple[int, int]) -> float:
        # one rival after another
        shares = [(w - i) / (n - i) for w, n, d in zip(wins, rivals, drawn, strict=True) for i in range(d)]
        return float(np.prod(np.maximum(shares, 0.0)))

    cases = [((3, 8), (4, 9), (2, 3)), ((1, 9), (4, 9), (2, 1)), ((4, 5), (4, 9), (0, 5)), ((0, 7), (3, 9), (0, 2))]
    same_function(answer, truth, {f"wins {w}, rivals {n} and {d} drawn": (w, n, d) for w, n, d in cases})


# open sets
def check_strangers(answer: object) -> None:
    def truth(matches: NDArray[np.int64], enrolled: int, n: int) -> float:
        # one enrolled identity after another
        quiet = [np.prod([max(enrolled - m - i, 0) / (enrolled - i) for i in range(n)]) for m in matches.tolist()]
        return float(1 - np.mean(quiet))

    cases = [([0, 0, 3, 1], 10, 4), ([0, 9, 2], 10, 2), ([5, 5], 6, 6), ([1, 0], 300, 100)]
    same_function(
        answer,
        truth,
        {f"matches {m}, {k} enrolled and n = {n}": (np.array(m), k, n) for m, k, n in cases},
    )


# reidentification
def check_cells(answer: object) -> None:
    def truth(sizes: list[int], n: int) -> float:
        # each person: with h of the others of the cell among the n, the link is right with probability 1/(1 + h)
        people, total = sum(sizes), 0.0
        for size in sizes:
            ways = [comb(size - 1, h) * comb(people - size, n - 1 - h) / (1 + h) for h in range(min(size, n))]
            total += size * sum(ways)
        return total / comb(people - 1, n - 1) / people

    cases = [([1, 1, 2, 5], 3), ([4, 4], 2), ([1, 1, 1], 2), ([1, 2, 3, 30], 36)]
    same_function(answer, truth, {f"sizes {sizes} and n = {n}": (sizes, n) for sizes, n in cases})
