"""Notebooks of exercises with other numbers: which exercises, their texts, and how their keys are worked out."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from classex._validation import as_positive_int
from classex_book.course.exercises import exercise, numbers, variation, variation_names
from classex_book.course.texts import CHAPTERS, fill


def solution(name: str, variant: int) -> str:
    """Code of the key to a variant of an exercise, with its check."""
    key = _written(variation(name).key(**numbers(name, variant)))
    return f"answer = {key}\n\n{check_line(name, variant)}"


def check_line(name: str, variant: int) -> str:
    """Code that checks an answer to a variant of an exercise."""
    return f'check("{name}", answer, variant={variant})'


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
    return cell
