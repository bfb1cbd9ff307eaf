"""Attempts at the exercises on rank metrics and on sampled negatives."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import hypergeom, nbinom


def in_corpus(above, others, drawn, m):
    return hypergeom.cdf(m - 1 - np.arange(len(above)), others, np.array(above), drawn).mean()


def by_counting(above, others, drawn, m):
    ways = [
        sum(math.comb(h, b) * math.comb(others - h, drawn - b) for b in range(min(m - i, drawn + 1)))
        for i, h in enumerate(above)
    ]
    return sum(ways) / math.comb(others, drawn) / len(above)


def enough(rank, items, m, chance):
    # negatives until the m-th that is above the item
    return int(nbinom.ppf(1 - chance, m, (rank - 1) / (items - 1))) + m


ATTEMPTS = {
    "exr-labs-corpus": (
        [
            lambda above, others, drawn, m: np.mean([h * drawn / others + i < m for i, h in enumerate(above)]),
            lambda above, others, drawn, m: np.mean([hypergeom(others, h, drawn).cdf(m - 1) for h in above]),
            lambda above, others, drawn, m: in_corpus(sorted(above, reverse=True), others, drawn, m),
        ],
        [in_corpus, by_counting],
    ),
    "exr-labs-negatives": (
        [
            lambda rank, items, m, chance: enough(rank, items, m, 0.5 * chance),
            lambda rank, items, m, chance: enough(rank, items, m + 1, chance),
            lambda rank, items, m, chance: enough(rank, items, m, 1 - chance),
        ],
        [enough, lambda rank, items, m, chance: float(enough(rank, items, m, chance))],
    ),
}
