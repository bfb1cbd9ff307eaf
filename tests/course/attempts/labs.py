"""Attempts at the tasks of the labs."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
from scipy.special import betainc
from scipy.stats import beta, binom, hypergeom, norm, t

import classex as cx
from classex_book.case import words_case
from classex_book.data import CLASSIFIERS, glyph_features, glyph_scores, load_telugu, load_voxel_experiment
from classex_book.encoding import IdentificationModel
from classex_book.recordings import delay_features, noise_ceiling
from tests.course.attempts import searches

VALUES = np.array([1.2, 0.7, 2.4, 1.9, 1.1, 1.6])
HALF = t.ppf(0.975, 5) * VALUES.std(ddof=1) / np.sqrt(6)
BETWEEN = np.sqrt(VALUES.var(ddof=1) - 0.09)


def own_curve(inner, p, k, *, power=1, half=1):
    return np.mean(beta.cdf((1 + inner) / 2, (p - half) / 2, (p - half) / 2) ** (k - power))


def by_the_incomplete_beta(inner, p, k):
    return float(np.exp((k - 1) * np.log(betainc((p - 1) / 2, (p - 1) / 2, (1 + inner) / 2))).mean())


def of_the_mean(inner, p, k):
    return own_curve(np.array([np.mean(inner)]), p, k)


def among_the_best(rank, n, k, m):
    better = range(min(rank, m))
    return sum(math.comb(rank - 1, b) * math.comb(n - rank, k - 1 - b) for b in better) / math.comb(n - 1, k - 1)


def by_bincount(right, people):
    _, index = np.unique(people, return_inverse=True)
    return (np.bincount(index, right) / np.bincount(index)).mean()


def by_dictionary(right, people):
    shares = {name: [r for r, other in zip(right, people, strict=True) if other == name] for name in people}
    return np.mean([np.mean(share) for share in shares.values()])


def worst_of_each(right, people):
    return np.mean([right[people == name].min() for name in np.unique(people)])


def over_runs(features, delays, _runs):
    return delay_features(features, delays)


def rolled(features, delays, _runs):
    return np.hstack([np.roll(features, delay, axis=0) for delay in delays])


def interleaved(features, delays, runs):
    made = delay_features(features, delays, runs=runs).reshape(len(features), len(delays), -1)
    return made.transpose(0, 2, 1).reshape(len(features), -1)


def run_by_run(features, delays, runs):
    parts = []
    for run in np.unique(runs):
        part = features[runs == run]
        parts.append(
            np.hstack([np.vstack([np.zeros((min(d, len(part)), part.shape[1])), part])[: len(part)] for d in delays])
        )
    return np.vstack(parts)


def signal_over_one(showings):
    signal = noise_ceiling(showings)[0]
    return np.clip(signal / showings.var(axis=1, ddof=1).mean(axis=0), 0, 1)


def biased(showings):
    mean = showings.mean(axis=0).var(axis=0, ddof=1)
    return np.clip(mean / showings.var(axis=1, ddof=1).mean(axis=0), 0, 1)


def by_pairs(showings):
    centred = showings - showings.mean(axis=1, keepdims=True)
    pairs = list(itertools.combinations(range(len(showings)), 2))
    signal = np.mean([(centred[a] * centred[b]).sum(axis=0) / (showings.shape[1] - 1) for a, b in pairs], axis=0)
    return np.clip(signal / showings.mean(axis=0).var(axis=0, ddof=1), 0, 1)


def avoided(k, others=3):
    return 1 - np.prod([(468 - k - i) / (467 - i) for i in range(others)])


@cache
def fonts(half=25):
    train, labels, test, test_labels = glyph_features(load_telugu(), 100)
    first = np.tile(np.arange(50) < half, 100)
    model = CLASSIFIERS["1-nearest neighbour"].make().fit(train[first], labels[first])
    rest = first if half == 50 else ~first
    pairs = (train[rest], labels[rest]), (test, test_labels)
    return [float((model.decision_function(x).argmax(axis=1) == y).mean()) for x, y in pairs]


@cache
def families(name="nearest centroid"):
    glyphs = load_telugu()
    scores, labels = glyph_scores(name, glyphs, 100)
    right = scores.argmax(axis=1) == labels
    own = glyphs.test_families[glyphs.test_labels < 100]
    return [right[own == family].mean() for family in np.unique(own)]


@cache
def decoded(subject=0):
    data = load_voxel_experiment(n_voxels=60, subject=subject)
    model = IdentificationModel().fit(data.train_features, data.train_responses)
    sides = data.test_responses, model.predict(data.test_features)
    return model, sides, model.scores(data.test_features, data.test_responses)


@cache
def uncorrelated(which):
    model, (y, predicted), scores = decoded()
    deviation = np.sqrt(np.diag(model.covariance_)) if which == "diagonal" else 1.0
    a, b = y / deviation, predicted / deviation
    found = scores if which == "full" else a @ b.T - 0.5 * np.square(b).sum(axis=1)
    return cx.implied_information(cx.correct_ranks(found, np.arange(208))).value


@cache
def pooled(rule):
    parts = [decoded(subject)[2] for subject in (0, 1)]
    if rule == "product":
        both = parts[0] * parts[1]
    elif rule == "shares":
        both = np.exp(parts[0] - parts[0].max()) + np.exp(parts[1] - parts[1].max())
    else:
        both = parts[0] + parts[1]
    return [float((part.argmax(axis=1) == np.arange(208)).mean()) for part in (*parts, both)]


def pooled_by_curves():
    parts = [decoded(subject)[2] for subject in (0, 1)]
    ranks = [cx.correct_ranks(part, np.arange(208)) for part in (*parts, np.mean(parts, axis=0))]
    return [float(cx.accuracy_curve(found, 208).accuracy[0]) for found in ranks]


def senses_by_recursion(k, total=32_923):
    """Through the order in which the classes were drawn: P(exactly h of three among k - 1 of total - 1)."""
    inside, outside, n = k - 1, total - k, total - 1
    ways = [outside * (outside - 1) * (outside - 2), 3 * inside * outside * (outside - 1)]
    ways += [3 * inside * (inside - 1) * outside, inside * (inside - 1) * (inside - 2)]
    return sum(way / (1 + h) for h, way in enumerate(ways)) / (n * (n - 1) * (n - 2))


def senses_by_combinations(k, total=32_923):
    p = [1.0]
    for drawn in range(3):  # add the three senses one by one
        here = [(k - 1 - h) / (total - 1 - drawn) for h in range(len(p))]
        p = [
            (p[h] * (1 - here[h]) if h < len(p) else 0) + (p[h - 1] * here[h - 1] if h else 0)
            for h in range(len(p) + 1)
        ]
    return sum(value / (1 + h) for h, value in enumerate(p))


def first_of_the_ties(scores, labels):
    top = scores.max(axis=1)
    own = scores[np.arange(len(labels)), labels]
    return [(own == top).mean(), (scores.argmax(axis=1) == labels).mean()]


def shared(scores, labels):
    top = scores == scores.max(axis=1, keepdims=True)
    own = top[np.arange(len(labels)), labels]
    return [own.mean(), (own / top.sum(axis=1)).mean()]


def by_ranks(scores, labels):
    own = scores[np.arange(len(labels)), labels]
    ranks = cx.correct_ranks(scores, labels)
    k = scores.shape[1]
    fair = [1 / (1 + tie) if win + tie == k - 1 else 0 for win, tie in zip(ranks.wins, ranks.ties, strict=True)]
    return np.array([(own >= scores.max(axis=1)).mean(), np.mean(fair)])


@cache
def one_file(k=20, rows="file"):
    case = words_case()
    members = np.flatnonzero(case.words.lexicographer_files[:500] == "verb.contact")
    here = case.scores[np.ix_(members, members)]
    found = cx.accuracy_curve(cx.correct_ranks(here, np.arange(members.size)), k).accuracy[0]
    chosen = members if rows == "file" else np.arange(500)
    mixed = cx.accuracy_curve(cx.correct_ranks(case.scores[chosen], chosen), k).accuracy[0]
    return [float(found), float(mixed)]


def alike(a, n, k):
    """The accuracy with k candidates of points that are all alike."""
    return np.exp((k - 1) * np.log(a) / (n - 1))


def subsets(wins, rivals, drawn):
    """Share of the sets of each kind of rival that the point beats."""
    return [math.comb(w, d) / math.comb(n, d) for w, n, d in zip(wins, rivals, drawn, strict=True)]


def met_cells(sizes, n):
    """Expected number of cells that n people drawn without replacement belong to."""
    people = sum(sizes)
    return sum(1 - math.comb(people - s, n) / math.comb(people, n) for s in sizes)


def by_ties(sizes, n):
    own = np.repeat(sizes, sizes)
    return float(cx.accuracy_curve(cx.ranks_from_wins(own.size - own, own.size, ties=own - 1), n).accuracy[0])


ATTEMPTS = {
    "exr-labs-sphere": (
        [[0.98, 0.98**49, 35], [0.99, 0.99**50, 69], [0.99, 0.99**49, 70]],
        [[0.99, 0.99**49, 69], (1.98 / 2, np.exp(49 * np.log(0.99)), 1 + int(np.log(0.5) / np.log(0.99)))],
    ),
    "exr-labs-own-curve": (
        [
            lambda inner, p, k: own_curve(inner, p, k, power=0),
            lambda inner, p, k: own_curve(inner, p, k, half=0),
            of_the_mean,
            lambda inner, p, k: np.mean(norm.cdf(inner * np.sqrt(p)) ** (k - 1)),
        ],
        [own_curve, by_the_incomplete_beta],
    ),
    "exr-labs-balanced": (
        [lambda right, _people: right.mean(), worst_of_each, lambda right, people: right.sum() / len(set(people))],
        [by_bincount, by_dictionary],
    ),
    "exr-labs-population": (
        [
            [VALUES.mean(), 2 * VALUES.std(ddof=1) / np.sqrt(6), BETWEEN],
            [VALUES.mean(), 1.96 * 0.3 / np.sqrt(6), BETWEEN],
            [VALUES.mean(), HALF, VALUES.std(ddof=1)],
        ],
        [
            [VALUES.mean(), HALF, BETWEEN],
            (
                (group := cx.identification.random_effects(VALUES, np.full(6, 0.3))).value,
                (group.interval.high - group.interval.low) / 2,
                group.between,
            ),
        ],
    ),
    "exr-labs-delays": (
        [over_runs, rolled, interleaved],
        [lambda features, delays, runs: delay_features(features, delays, runs=runs), run_by_run],
    ),
    "exr-labs-ceiling": (
        [signal_over_one, biased, lambda showings: noise_ceiling(showings)[0]],
        [lambda showings: noise_ceiling(showings)[1], by_pairs],
    ),
    "exr-labs-look-alikes": (
        [
            [3 * 19 / 467, 3 * 99 / 467, 1],
            [1 - (1 - 20 / 468) ** 3, 1 - (1 - 100 / 468) ** 3, 1],
            [avoided(k, 4) for k in (20, 100, 468)],
        ],
        [[avoided(k) for k in (20, 100, 468)], np.array([avoided(20), avoided(100), 1.0])],
    ),
    "exr-labs-fonts": (
        [fonts(50), fonts()[::-1], [fonts()[0], fonts(50)[1]]],
        [fonts(), np.array(fonts())],
    ),
    "exr-labs-families": (
        [families()[::-1], families("naive Bayes"), [np.mean(families())] * 12],
        [families(), tuple(families())],
    ),
    "exr-labs-two-voxels": (
        [
            np.log([1.5, 2, 5 / 3]),
            [np.log(1.5) / 2, np.log(1.5), np.log(1.5)],
            [np.log(1.5) / 2, np.log(2) / 2, np.log(3) / 2],
        ],
        [np.log([1.5, 2, 5 / 3]) / 2, [0.5 * np.log1p(1 / 2), 0.5 * np.log1p(1), 0.5 * np.log1p(2 / 3)]],
    ),
    "exr-labs-uncorrelated": (
        [
            [uncorrelated("diagonal"), uncorrelated("full")],
            [uncorrelated("full"), uncorrelated("none")],
            np.array([uncorrelated("full"), uncorrelated("diagonal")]) / np.log(2),
        ],
        [
            [uncorrelated("full"), uncorrelated("diagonal")],
            np.array([uncorrelated("full"), uncorrelated("diagonal")]) + 1e-3,
        ],
    ),
    "exr-labs-pooled": (
        [pooled("product"), pooled("shares"), [*pooled("sum")[:2], sum(pooled("sum")[:2])]],
        [pooled("sum"), pooled_by_curves()],
    ),
    "exr-labs-senses": (
        [
            [1 / (1 + 3 * (k - 1) / 32_922) for k in (100, 10_000, 32_923)],
            [0.25, 0.25, 0.25],
            [1.0, 1.0, 0.25],
        ],
        [
            [senses_by_recursion(k) for k in (100, 10_000, 32_923)],
            [senses_by_combinations(k) for k in (100, 10_000, 32_923)],
        ],
    ),
    "exr-labs-ties": (
        [first_of_the_ties, lambda *case: shared(*case)[::-1], lambda *case: shared(*case)[:1] * 2],
        [shared, by_ranks],
    ),
    "exr-labs-one-file": (
        [lambda: one_file(29), lambda: one_file(20, "all"), lambda: one_file()[::-1]],
        [one_file, lambda: np.array(one_file())],
    ),
    **searches.ATTEMPTS,
    "exr-labs-restate": (
        [
            lambda a, n, k: [a ** ((k - 1) / (n - 1)), a],
            lambda a, n, k: sorted([a ** (k / n), a]),
            lambda a, n, k: [a * n / k, a],
        ],
        [
            lambda a, n, k: sorted([a ** ((k - 1) / (n - 1)), a]),
            lambda a, n, k: (min(a, alike(a, n, k)), max(a, alike(a, n, k))),
        ],
    ),
    "exr-labs-fewer": (
        [
            lambda rank, n, k, m: hypergeom.cdf(m - 1, n, rank, k),
            lambda rank, n, k, m: hypergeom.cdf(m, n - 1, rank - 1, k - 1),
            lambda rank, n, k, m: binom.cdf(m - 1, k - 1, (rank - 1) / (n - 1)),
        ],
        [
            lambda rank, n, k, m: hypergeom.cdf(m - 1, n - 1, rank - 1, k - 1),
            among_the_best,
        ],
    ),
    "exr-labs-guess": (
        [
            lambda a, n, k: a * n / k,
            lambda a, n, k: a - 1 / n + 1 / k,
            lambda a, n, k: a ** ((k - 1) / (n - 1)),
        ],
        [
            lambda a, n, k: 1 - (1 - a) * (1 - 1 / k) / (1 - 1 / n),
            lambda a, n, k: ((n * a - 1) + (1 - a) * n / k) / (n - 1),
        ],
    ),
    "exr-labs-verifier": (
        [
            lambda p, f, k: np.mean((1 - (1 - p) ** k) * p / (p + (1 - p) * f)),
            lambda p, f, k: np.mean(1 - ((1 - p) * (1 - f)) ** k),
            lambda p, f, k: np.mean((1 - ((1 - p) * (1 - f)) ** k) * p),
        ],
        [
            lambda p, f, k: np.mean(p * (1 - ((1 - p) * (1 - f)) ** k) / (p + (1 - p) * f)),
            lambda p, f, k: sum((p * ((1 - p) * (1 - f)) ** j).mean() for j in range(k)),
        ],
    ),
    "exr-labs-near-far": (
        [
            lambda wins, rivals, drawn: (wins[0] / rivals[0]) ** drawn[0] * (wins[1] / rivals[1]) ** drawn[1],
            lambda wins, rivals, drawn: math.comb(sum(wins), sum(drawn)) / math.comb(sum(rivals), sum(drawn)),
            lambda wins, rivals, drawn: sum(subsets(wins, rivals, drawn)) / 2,
        ],
        [
            lambda wins, rivals, drawn: math.prod(subsets(wins, rivals, drawn)),
            lambda wins, rivals, drawn: float(np.prod(subsets(wins, rivals, drawn))),
        ],
    ),
    "exr-labs-strangers": (
        [
            lambda matches, enrolled, n: 1 - (1 - np.mean(matches) / enrolled) ** n,
            lambda matches, enrolled, n: float(np.mean(1 - (1 - matches / enrolled) ** n)),
            lambda matches, enrolled, n: float(np.mean(hypergeom(enrolled, matches, n).pmf(0))),
        ],
        [
            lambda matches, k, n: 1 - np.mean([math.comb(k - m, n) for m in matches.tolist()]) / math.comb(k, n),
            lambda matches, enrolled, n: float(np.mean(1 - hypergeom(enrolled, matches, n).pmf(0))),
        ],
    ),
    "exr-labs-cells": (
        [
            lambda sizes, _: len(sizes) / sum(sizes),
            lambda sizes, n: sum(1 - (1 - s / sum(sizes)) ** n for s in sizes) / n,
            lambda sizes, n: met_cells(sizes, n) / len(sizes),
        ],
        [lambda sizes, n: met_cells(sizes, n) / n, by_ties],
    ),
}
