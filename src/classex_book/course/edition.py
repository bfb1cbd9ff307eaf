"""Editions: notebooks of exercises whose numbers are those of one variant, for graded work, and their keys."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from classex._validation import as_positive_int
from classex.io.tables import atomic_text
from classex_book.course.exercises import exercise, numbers, variation, variation_names
from classex_book.course.texts import CHAPTERS, fill

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
    names = chosen_exercises(seed, chapters, n_exercises)
    own = dict.fromkeys(names, seed)
    stub = '# your answer: {}\nraise NotImplementedError\n\ncheck("{}", answer, variant={})'
    stubs = [stub.format(variation(name).expects, name, seed) for name in names]
    solved = [solution(name, seed) for name in names]
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = []
    for kind, title, codes in (("exercises", "Exercises, edition", stubs), ("key", "Key to edition", solved)):
        content = notebook(own, codes, f"{title} {seed}", _RULES, _SETUP, variant=seed)
        paths.append(target / f"{kind}-{seed}.ipynb")
        atomic_text(paths[-1], json.dumps(content, indent=1) + "\n")
    return paths


def solution(name: str, variant: int) -> str:
    """Code of the key to a variant of an exercise, with its check."""
    key = _written(variation(name).key(**numbers(name, variant)))
    return f'answer = {key}\n\ncheck("{name}", answer, variant={variant})'


def worked(name: str, variant: int) -> str:
    """How the key to a variant is worked out, as text below the question."""
    varied, own = variation(name), numbers(name, variant)
    book = exercise(name)
    code = inspect.cleandoc(inspect.getsource(varied.key))
    return (
        f"\n\n**Solution.** {fill(varied.hint, own)}. With {own} the key is what this code returns:\n\n"
        f"```python\n{code}\n```\n\nThe solution with the book's numbers is at `{book.page}.html#{name}`."
    )


def chosen_exercises(seed: int, chapters: Sequence[str] | None, n_exercises: int | None) -> list[str]:
    """Choose exercises that have variants, spread over the chapters, in the order of the book."""
    chosen = CHAPTERS if chapters is None else chapters
    pools = []
    rng = np.random.default_rng([seed, 18])
    for chapter in chosen:
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


def notebook(
    own: Mapping[str, int],
    codes: Sequence[str],
    title: str,
    words: str,
    setup: str,
    written: Sequence[tuple[Any, str]] = (),
    **about: object,
) -> dict[str, Any]:
    """Notebook of exercises: the variant of each, the code of its cell, and what the metadata say besides.

    Questions that are answered in words come last, each with the text of the cell below it.
    """
    questions = [*map(exercise, own), *(question for question, _ in written)]
    total = sum(one.points for one in questions)
    minutes = sum(one.minutes for one in questions)
    heading = f"# {title}\n\n{total} points, about {minutes} minutes. {words}"
    cells = [_cell("markdown", heading), _cell("code", setup)]
    for number, ((name, variant), code) in enumerate(zip(own.items(), codes, strict=True), 1):
        varied = variation(name)
        head = _heading(number, varied.title, exercise(name).points)
        cells += [_cell("markdown", f"{head}\n\n{varied.statement(numbers(name, variant))}"), _cell("code", code)]
        cells[-1]["metadata"]["classex"] = {"exercise": name}  # by which `classex mark` knows an answer without a label
    for number, (question, below) in enumerate(written, len(own) + 1):
        head = _heading(number, question.title, question.points)
        cells += [_cell("markdown", f"{head}\n\n{question.text.strip()}"), _cell("markdown", below)]
    for index, cell in enumerate(cells):
        cell["id"] = f"cell-{index}"
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "classex": {**about, "exercises": list(own)},
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _heading(number: int, title: str, points: int) -> str:
    return f"## {number}. {title} ({points} point{'s' if points > 1 else ''})"


def _written(key: Any) -> str:
    """Python that gives the key."""
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
