"""Uniqueness and right links in populations ten and a hundred times the sample, where cells are finite.

Run ``python -m benchmarks.cells`` (ten minutes on an idle core). A structure is a population whose cells are all known:
four are drawn from fixed seeds, and five are sets of columns of the census table that comes with the book. From each,
forty samples are drawn without replacement, at two sizes. `classex.reidentification.population_risk`, the default of
`classex.extrapolate` and the Pitman-Yor process predict the population.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks import study
from classex.fields.reidentification import population_risk
from classex_book.data import load_census

COMMAND = "python -m benchmarks.cells"
N_PEOPLE, GROWTH, SAMPLES = 200_000, (10, 100), 40
QUANTITIES = ("unique", "marketer risk")
# columns of the census table; no choice was made for the sake of "employer" and "neighbour"
CENSUS = {
    "acquaintance": (0, 1, 2, 3, 4),
    "colleague": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    "relative": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
    "employer": (4, 7, 8, 13),
    "neighbour": (0, 4, 7, 9),
}
SAMPLES_FILE, SUMMARY_FILE = Path(__file__).parent / "samples.csv", study.STORED / "cells" / "summary.csv"
HEADER = (
    "structure,growth,quantity,sample,truth,value,low,high,limit_low,limit_high,reach,default,default_low,default_high,"
    "pitman_yor"
)
SUMMARY_HEADER = (
    "structure,growth,quantity,samples,truth,mean,rmse,low,high,covered,limit_low,limit_high,limits_covered,warned,"
    "default,default_rmse,default_covered,pitman_yor,pitman_yor_rmse"
)
Codes = NDArray[np.int64]


def zipf(rng: np.random.Generator, k: int, power: float = 1.0) -> Codes:
    """Draw numbers below k with chances that fall with the rank."""
    p = 1 / np.arange(1, k + 1) ** power
    return rng.choice(k, N_PEOPLE, p=p / p.sum())


def ages_and_occupations(rng: np.random.Generator) -> list[Codes]:
    """Age and one of sixty occupations, independent: 6,000 cells."""
    return [np.clip(rng.gamma(4, 10, N_PEOPLE).astype(np.int64), 0, 99), zipf(rng, 60)]


def with_sex_and_status(rng: np.random.Generator) -> list[Codes]:
    """The same with sex and marital status: 60,000 cells."""
    status = rng.choice(5, N_PEOPLE, p=[0.45, 0.35, 0.1, 0.06, 0.04])
    return [*ages_and_occupations(rng), rng.integers(2, size=N_PEOPLE), status]


def districts(rng: np.random.Generator) -> list[Codes]:
    """District, year of birth, an occupation that depends on it, and for one in ten another nationality."""
    year = rng.integers(18, 80, N_PEOPLE)
    nation = np.where(rng.random(N_PEOPLE) < 0.9, 0, 1 + zipf(rng, 80, 1.2))
    return [zipf(rng, 40, 0.7), year, (zipf(rng, 30) + year // 10 * 5) % 45, nation]


def equal_cells(rng: np.random.Generator) -> list[Codes]:
    """5,600 cells of the same chance."""
    return [rng.integers(5_600, size=N_PEOPLE)]


DRAWN = {
    "age, occupation": ages_and_occupations,
    "age, occupation, sex, status": with_sex_and_status,
    "district, year, occupation, nation": districts,
    "equal cells": equal_cells,
}
STRUCTURES = (*DRAWN, *CENSUS)


@cache
def cells(structure: str) -> Codes:
    """Number of each person's cell."""
    if structure in CENSUS:
        columns = load_census().codes[:, list(CENSUS[structure])]
    else:
        columns = np.stack(DRAWN[structure](np.random.default_rng([53, STRUCTURES.index(structure)])), axis=1)
    return np.unique(columns, axis=0, return_inverse=True)[1].ravel()


def predicted(structure: str, growth: int, sample: int) -> list[list[Any]]:
    """Truth and predictions from one sample: a row for each quantity."""
    people = cells(structure)
    n_people, n = people.size, people.size // growth
    rng = np.random.default_rng([53, STRUCTURES.index(structure), growth, sample])
    sizes = np.unique(rng.choice(people, n, replace=False), return_counts=True)[1]
    with warnings.catch_warnings(action="ignore"):
        found = population_risk(sizes, n_people=n_people)
        size, whole = np.repeat(sizes, sizes), np.bincount(people)
        rivals = cx.ranks_from_wins(n - size, n), cx.ranks_from_wins(n - size, n, ties=size - 1)
        truth = (whole == 1).sum() / n_people, whole.size / n_people
        rows = []
        for quantity, true, ranks in zip(QUANTITIES, truth, rivals, strict=True):
            default = cx.extrapolate(ranks, n_classes=n_people)
            process = cx.Extrapolator("pitman-yor").fit_ranks(ranks).predict(n_people)
            value, ends, limits = found.of(quantity)
            numbers = (true, *value, *ends[0], *limits[0], found.reach)
            others = (*default.accuracy, *default.interval[0], *process)
            rows.append([structure, growth, quantity, sample, *(f"{x:.6g}" for x in (*numbers, *others))])
    return rows


def summary(rows: list[list[Any]]) -> Iterator[list[Any]]:
    """Means, errors, widths and coverage over the samples of each structure and size."""
    for structure, growth, quantity in product(STRUCTURES, GROWTH, QUANTITIES):
        some = [row[4:] for row in rows if row[:3] == [structure, growth, quantity]]
        truth, value, low, high, least, most, reach, default, default_low, default_high, process = np.array(
            some, dtype=np.float64
        ).T

        def rmse(x: NDArray[np.float64], truth: NDArray[np.float64] = truth) -> float:
            return float(np.sqrt(np.square(x - truth).mean()))

        def covered(a: Any, b: Any, truth: NDArray[np.float64] = truth) -> int:
            return int(((a <= truth) & (truth <= b)).sum())

        numbers = (truth[0], value.mean(), rmse(value), low.mean(), high.mean(), covered(low, high))
        limits = (least.mean(), most.mean(), covered(least, most), int((reach < cells(structure).size).sum()))
        others = (default.mean(), rmse(default), covered(default_low, default_high), process.mean(), rmse(process))
        yield [structure, growth, quantity, len(some), *(f"{x:.4g}" for x in (*numbers, *limits, *others))]


def main() -> None:
    """Predict from every sample, and write the tables."""
    jobs = study.parser(COMMAND, __doc__).parse_args().jobs
    settings = [(*cell, sample) for sample, *cell in product(range(SAMPLES), STRUCTURES, GROWTH)]
    rows = [row for found in study.run(predicted, settings, "cells", jobs) for row in found]
    study.write(SAMPLES_FILE, COMMAND, HEADER, rows)
    study.write(SUMMARY_FILE, COMMAND, SUMMARY_HEADER, summary(rows))


if __name__ == "__main__":
    main()
