"""The default's intervals on laws that were not in sight when its numbers were chosen.

``python -m benchmarks.coverage_communities.other_laws --jobs 4`` (about ten minutes of one core) draws favourabilities
from six more laws, the wins of 400 points against a hundred sampled negatives each, and asks for the metrics among
10,000 items, as in the study. Some of these laws go on as curves of recognisers do, some do not: points that are nearly
all alike, or of two kinds. ``other_laws.csv`` has the coverage of nominal 95 % intervals, law by law.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import special, stats

from benchmarks.coverage_communities import __main__ as study
from benchmarks.coverage_communities import tables
from benchmarks.misfits import misfits_expected

KIND, SEED, RUNS = "other laws", 77, 2000
FloatArray = NDArray[np.float64]


def two_kinds(n: int, rng: np.random.Generator) -> FloatArray:
    """Two in five points are hard, the others easy."""
    middle = np.where(rng.random(n) < 0.4, 0.8, 2.6)
    return np.asarray(stats.norm.cdf(middle + 0.5 * rng.standard_normal(n)))


LAWS: Mapping[str, study.Draw] = {
    "probit-normal, wide": lambda n, rng: stats.norm.cdf(1.6 + 1.1 * rng.standard_normal(n)),
    "probit-normal, narrow": lambda n, rng: stats.norm.cdf(2.6 + 0.5 * rng.standard_normal(n)),
    "beta (30, 1.5)": lambda n, rng: 1 - rng.beta(1.5, 30.0, n),
    "beta (6, 1)": lambda n, rng: 1 - rng.beta(1.0, 6.0, n),
    "two kinds of points": two_kinds,
    "logit-logistic": lambda n, rng: special.expit(rng.logistic(4.0, 1.8, n)),
}


@misfits_expected()
def chunk(law: str, part: int, runs: int) -> FloatArray:
    """Interval ends of some runs: (runs, metrics, 2)."""
    rng = np.random.default_rng([SEED, list(LAWS).index(law), part])
    return np.array([study.sampled_ends(LAWS[law], rng) for _ in range(runs)])


def rows(law: str, ends: FloatArray) -> tables.Rows:
    """Rows of the table for one law."""
    targets = [f"{metric} at {study.CATALOGUE}" for metric in study.SAMPLED]
    return tables.coverage_rows(KIND, law, targets, study.catalogue_truth(LAWS[law]), ends)


def main() -> None:
    """Run all laws and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    jobs = parser.parse_args().jobs
    parts = range(RUNS // study.CHUNK)
    found = Parallel(jobs)(delayed(chunk)(law, part, study.CHUNK) for law in LAWS for part in parts)
    made: tables.Rows = []
    for place, law in enumerate(LAWS):
        made += rows(law, np.concatenate(found[place * len(parts) : (place + 1) * len(parts)]))
    file = study.HERE / "other_laws.csv"
    cells = [(KIND, law) for law in LAWS]
    tables.write(file, tables.HEADER, made, cells, "python -m benchmarks.coverage_communities.other_laws")


if __name__ == "__main__":
    main()
