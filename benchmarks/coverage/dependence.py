"""Coverage of nominal 95 % intervals where rows are not independent, with and without the argument that says so.

Fields other than accuracy curves, which `clusters.py` and `units.py` have. True values are exact, or counted in the
population from which samples are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from warnings import catch_warnings

import numpy as np
from scipy import special

import classex as cx
from classex.fields.open_set import verification_curve
from classex.fields.reidentification import population_risk

TABLE = "coverage_dependence/coverage"
HEADER = "field,shared,n_units,argument,truth,experiments,without,with,width_without,width_with"
# of speakers: the standard deviations of a speaker's genuine and impostor scores, next to 1 of a pair
SPEAKERS = {"speakers alike": (0.0, 0.0), "speakers differ": (0.5, 0.3), "speakers differ much": (0.8, 0.5)}
# people, combinations of town and occupation that households share, and values of what they do not
PEOPLE, COMBINATIONS, ATTRIBUTES = 100_000, 18_000, {"households share the cell": 1, "households share a part of it": 3}
CELLS = (
    ("verification", "one effect on all pairs", 10),
    *(("verification", kind, n) for kind in SPEAKERS for n in (10, 15, 40)),
    *(("right links", kind, 1000) for kind in ATTRIBUTES),
    *(("growth", "groups of unequal spread", n) for n in (3, 5, 10)),
)


def speakers(shared: str, n: int, rng: np.random.Generator) -> tuple[Any, Any, Any, float]:
    """Return genuine and impostor scores, their people, and the equal error rate."""
    if shared not in SPEAKERS:
        effect, own, other = rng.normal(size=n), np.repeat(range(n), 10), np.repeat(range(n), 90)
        genuine, impostor = (effect[who] + rng.normal(0, 0.5, who.size) for who in (own, other))
        return 2 + genuine, impostor, (own, other), float(special.ndtr(-2 / (2 * np.sqrt(1.25))))
    of_genuine, of_impostor = SPEAKERS[shared]
    a, b = of_genuine * rng.normal(size=n), of_impostor * rng.normal(size=n)
    own, one = np.repeat(range(n), 10), rng.integers(n, size=100 * n)
    other = (one + rng.integers(1, n, size=one.size)) % n
    genuine, impostor = a[own] + rng.normal(size=own.size), b[one] + b[other] + rng.normal(size=one.size)
    rate = special.ndtr(-3 / (np.sqrt(1 + of_genuine**2) + np.sqrt(1 + 2 * of_impostor**2)))
    return 3 + genuine, impostor, (own, np.stack([one, other], axis=1)), float(rate)


def verification(shared: str, n: int, rng: np.random.Generator) -> tuple[float, Iterator[Any]]:
    """Return the equal error rate and its intervals, without and with the people of pairs."""
    genuine, impostor, people, truth = speakers(shared, n, rng)
    found = (verification_curve(genuine, impostor, units).equal_error_rate().interval for units in (None, people))
    return truth, ((ends.low, ends.high) for ends in found)


def right_links(shared: str, n: int, rng: np.random.Generator) -> tuple[float, Iterator[Any]]:
    """Return the share of right links among 100,000 people, and its intervals from n households of 1 to 5 people."""
    size = rng.integers(1, 6, 50_000)
    size = size[np.cumsum(size) <= PEOPLE]
    house, weight = np.repeat(np.arange(size.size), size), rng.gamma(0.5, size=COMBINATIONS)
    cell = ATTRIBUTES[shared] * rng.choice(COMBINATIONS, size.size, p=weight / weight.sum())[house]
    cell += rng.integers(ATTRIBUTES[shared], size=cell.size)
    some = np.isin(house, rng.permutation(size.size)[:n])
    cells, among = cell[some], {"n_people": cell.size}
    with catch_warnings(action="ignore", category=UserWarning):
        found = (
            population_risk(np.unique(cells, return_counts=True)[1], **among),
            population_risk(cells, clusters=house[some], **among),
        )
    return np.unique(cell).size / cell.size, (one.of("marketer risk")[1][0] for one in found)


def grouped(n: int, rng: np.random.Generator, repeats: int) -> tuple[Any, Any, Any]:
    """Return scores, labels and groups of 20 Gaussian classes each, with a spread of the group's own."""
    group = np.repeat(np.arange(n), 20)
    labels = np.repeat(np.arange(group.size), repeats)
    place = np.sqrt(0.5) * (rng.normal(size=(n, 10))[group] + rng.normal(size=(group.size, 10)))
    spread = np.sqrt(0.5) * np.exp(0.5 * rng.normal(size=n))[group]
    test = place[labels] + spread[labels, np.newaxis] * rng.normal(size=(labels.size, 10))
    return 2 * test @ place.T - np.square(place).sum(axis=1), labels, group


@lru_cache(maxsize=1)
def with_more_groups(n: int) -> float:
    """Mean accuracy with ten times as many groups, over 40 populations."""
    drawn = (grouped(10 * n, np.random.default_rng([20261128, n, i, 1]), 1) for i in range(40))
    return float(np.mean([(scores.argmax(axis=1) == labels).mean() for scores, labels, _ in drawn]))


def growth(_: str, n: int, rng: np.random.Generator) -> tuple[float, Iterator[Any]]:
    """Return the accuracy with ten times as many groups, and its intervals from n of them."""
    scores, labels, group = grouped(n, rng, 2)
    named = {"groups": group, "growth": "more groups"}
    with catch_warnings(action="ignore", category=UserWarning):
        found = [cx.extrapolate(scores, labels, n_classes=200 * n, **of) for of in ({}, named)]
    return with_more_groups(n), (np.ravel(one.interval) for one in found)


FIELDS = {
    "verification": (verification, "units", 400),
    "right links": (right_links, "clusters", 40),
    "growth": (growth, "groups", 40),
}


def rows(field: str, shared: str, n_units: int) -> list[list[object]]:
    """Coverage and mean width in one setting."""
    function, argument, experiments = FIELDS[field]
    covered, width = np.zeros((2, experiments, 2))
    for number in range(experiments):
        truth, both = function(shared, n_units, np.random.default_rng([20261128, n_units, number]))
        low, high = np.array(list(both)).T
        covered[number], width[number] = (low <= truth) & (truth <= high), high - low
    means = [f"{value:.4f}" for value in (*covered.mean(axis=0), *width.mean(axis=0))]
    return [[field, shared, n_units, argument, f"{truth:.5f}", experiments, *means]]
