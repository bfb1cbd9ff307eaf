"""Editions: notebooks of exercises whose numbers are those of one variant, for graded work, and their keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from classex._validation import as_positive_int
from classex_book.effort import effort
from classex_book.exercises import expected
from classex_book.variants import numbers, variation, variation_names

__all__ = ["write_edition"]

_SETUP = "import numpy as np\nfrom scipy.stats import norm\n\nfrom classex_book import check"
_RULES = (
    "Write each answer into its cell, as an expression or with at least seven decimals. The last line of a cell says "
    "whether the answer is right; a helper may stand in any cell."
)


def write_edition(
    folder: str | Path, variant: int, *, chapters: Sequence[str] | None = None, n_exercises: int | None = None
) -> list[Path]:
    """Write a notebook of exercises with the numbers of a variant, and the key to it.

    Parameters
    ----------
    folder : str or Path
        Where ``exercises-N.ipynb`` and ``key-N.ipynb`` are written, N the variant. Give out the first alone.
    variant : int
        Number of the variant, at least 1: the same number makes the same edition again.
    chapters : sequence of str, optional
        Such as ``["ch1", "ch3"]``; by default all six.
    n_exercises : int, optional
        How many exercises to choose, spread over the chapters by the variant; by default all that have variants.

    Returns
    -------
    list of Path
        The two files.

    Raises
    ------
    ValueError
        If an argument is out of range, or a chapter has no exercise with variants.
    """
    seed = as_positive_int(variant, "variant")
    names = _chosen(seed, chapters, n_exercises)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in ("exercises", "key"):
        path = target / f"{kind}-{seed}.ipynb"
        path.write_text(json.dumps(_notebook(names, seed, with_key=kind == "key"), indent=1) + "\n", encoding="utf-8")
        written.append(path)
    return written


def _chosen(seed: int, chapters: Sequence[str] | None, n_exercises: int | None) -> list[str]:
    wanted = [f"ch{number}" for number in range(1, 7)] if chapters is None else list(chapters)
    pools = []
    rng = np.random.default_rng([seed, 18])
    for chapter in wanted:
        names = list(variation_names(chapter))
        if not names:
            raise ValueError(f"chapters must be among ch1, ..., ch6, not {chapter!r}")
        pools.append([names[i] for i in rng.permutation(len(names))])
    everything = [name for pool in pools for name in pool]
    count = len(everything) if n_exercises is None else as_positive_int(n_exercises, "n_exercises")
    if count > len(everything):
        raise ValueError(f"n_exercises must be at most {len(everything)} for these chapters, not {count}")
    # one of each chapter in turn, then sorted as in the book
    dealt = [pool[i] for i in range(max(map(len, pools))) for pool in pools if i < len(pool)][:count]
    return [name for name in variation_names() if name in dealt]


def _notebook(names: Sequence[str], seed: int, *, with_key: bool) -> dict[str, Any]:
    total = sum(effort(name).points for name in names)
    minutes = sum(effort(name).minutes for name in names)
    title = f"# {'Key to edition' if with_key else 'Exercises, edition'} {seed}"
    cells = [_cell("markdown", f"{title}\n\n{total} points, about {minutes} minutes. {_RULES}"), _cell("code", _SETUP)]
    for number, name in enumerate(names, 1):
        exercise, values = variation(name), numbers(name, seed)
        asked = effort(name)
        heading = f"## {number}. {exercise.title} ({asked.points} point{'s' if asked.points > 1 else ''})"
        answer = f"answer = {_written(exercise.key(**values))}" if with_key else "raise NotImplementedError"
        code = (
            f'# your answer: {exercise.expects or expected(name)}\n{answer}\n\ncheck("{name}", answer, variant={seed})'
        )
        cells += [_cell("markdown", f"{heading}\n\n{exercise.asked(values)}"), _cell("code", code)]
    for index, cell in enumerate(cells):
        cell["id"] = f"cell-{index}"
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "classex": {"variant": seed, "exercises": list(names)},
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _written(key: Any) -> str:
    if isinstance(key, list | tuple):
        return "[" + ", ".join(_written(one) for one in key) + "]"
    return str(key) if isinstance(key, int) else repr(float(key))


def _cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
        if "NotImplementedError" in source:
            cell["metadata"] = {"tags": ["raises-exception"]}
    return cell
