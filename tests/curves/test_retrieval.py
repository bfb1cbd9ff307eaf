"""Retrieval metrics against enumeration of all parts of a corpus and of all orders of ties, and the sources' numbers."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

import classex as cx
from classex.curves import retrieval_curve
from classex.ranks import relevant_ranks
from classex.results import RelevantRanks

METRICS = ["recall@2", "precision@3", "hit@2", "map", "map@2", "mrr", "mrr@2", "ndcg", "ndcg@3"]


def plain(gains, metric):
    """A metric of one list of gains in the order of the search, by its definition."""
    kind, _, m = metric.partition("@")
    top, relevant = gains[: int(m or len(gains))], sum(g > 0 for g in gains)
    places = [i for i, g in enumerate(top, start=1) if g > 0]
    ideal = sorted(gains, reverse=True)[: len(top)]
    return {
        "recall": lambda: len(places) / relevant,
        "precision": lambda: len(places) / int(m),
        "hit": lambda: float(len(places) > 0),
        "map": lambda: sum(n / place for n, place in enumerate(places, start=1)) / relevant,
        "mrr": lambda: 1 / places[0] if places else 0.0,
        "ndcg": lambda: (
            sum(g / np.log2(i + 1) for i, g in enumerate(top, start=1))
            / sum(g / np.log2(i + 1) for i, g in enumerate(ideal, start=1))
        ),
    }[kind]()


def over_ties(scores, gains, metric):
    """Mean of the metric over all orders of items with the same score."""
    levels = sorted(set(scores), reverse=True)
    orders = product(*(permutations([g for s, g in zip(scores, gains, strict=True) if s == level]) for level in levels))
    return np.mean([plain([g for part in order for g in part], metric) for order in orders])


def by_enumeration(scores, gains, size, metric, relevant):
    """Mean over all parts of the corpus with `size` items: those with all relevant items, or with at least one."""
    some = []
    for part in combinations(range(len(scores)), size):
        held = [gains[i] for i in part]
        if (sum(g > 0 for g in held) == sum(g > 0 for g in gains)) if relevant == "fixed" else any(held):
            some.append(over_ties([scores[i] for i in part], held, metric))
    return np.mean(some)


def searches(tied, graded, seed=0, n_items=8):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (4, n_items)).astype(float) if tied else rng.normal(size=(4, n_items))
    relevance = np.zeros((4, n_items))
    for q, n in enumerate((1, 2, 3, 4)):
        where = rng.choice(n_items, n, replace=False)
        relevance[q, where] = rng.integers(1, 4, n) if graded else 1
    return scores, relevance


@pytest.mark.parametrize("relevant", ["fixed", "growing"])
@pytest.mark.parametrize(("tied", "graded"), [(False, True), (True, False), (True, True)])
@pytest.mark.parametrize("metric", METRICS)
def test_equals_enumeration(metric, tied, graded, relevant):
    if tied and graded and relevant == "growing" and metric.startswith("ndcg"):
        pytest.skip("refused: see test_refusals")
    scores, relevance = searches(tied, graded)
    sizes = range(4 if relevant == "fixed" else 1, 9)
    curve = retrieval_curve(relevant_ranks(scores, relevance), list(sizes), metric=metric, relevant=relevant)
    each = [
        [by_enumeration(list(s), list(g), k, metric, relevant) for k in sizes]
        for s, g in zip(scores, relevance, strict=True)
    ]
    np.testing.assert_allclose(curve.accuracy, np.mean(each, axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(curve.standard_error, np.std(each, axis=0, ddof=1) / 2, rtol=1e-9, atol=1e-12)
