"""Papers of an exam that come back: which cell answers which exercise, whatever the student moved or deleted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

LABEL = re.compile(r"exr-(?:ch[0-9]+|labs)-[a-z0-9-]+")
_NAMED = re.compile(rf"^[ \t]*#[ \t]*({LABEL.pattern}):", re.MULTILINE)  # a cell's own comment
_HEADING = re.compile(r"^##[ \t]+([0-9]{1,4})\.", re.MULTILINE)  # over the cell of an exercise
_TITLE = re.compile(r"^#[ \t]+Exam, paper (\S+)", re.MULTILINE)
_ANSWER = re.compile(r"^[ \t]*answer[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
WORDS_HERE = "*Replace this line by your answer in words. Formulas stand between dollar signs.*"
_STUB = re.compile(r"^[ \t]*answer[ \t]*=[ \t]*\.\.\.[ \t]*(?:#.*)?$", re.MULTILINE)


class Cell(NamedTuple):
    """A cell of a notebook: its kind, its source without magics, the exercise that its metadata name."""

    kind: str
    source: str
    label: str = ""


def paper_of_heading(cells: Sequence[Cell]) -> str:
    """Return the paper that the title says this is, or nothing."""
    titles = (_TITLE.search(cell.source) for cell in cells if cell.kind == "markdown")
    return next((title[1] for title in titles if title), "")


def answer_cells(cells: Sequence[Cell], exercises: Sequence[str]) -> dict[str, int]:
    """Return which code cell of a paper holds the answer to each exercise.

    A cell belongs to the exercise that its comment names, else its metadata, else the heading above it; cells that a
    student inserted below belong to the same one. Where all of these are gone, and as many cells set `answer` as there
    are exercises, the order decides. The last cell of an exercise that sets `answer` holds it.

    Parameters
    ----------
    cells : sequence of Cell
        All cells.
    exercises : sequence of str
        The exercises of the paper, in their order.

    Examples
    --------
    >>> from classex_book.course.papers import Cell, answer_cells
    >>> cells = [
    ...     Cell("markdown", "## 1. Ties"),
    ...     Cell("code", "half = 1 / 2"),
    ...     Cell("code", "answer = [1.5 * half, half]"),
    ... ]
    >>> answer_cells(cells, ["exr-ch1-ties"])
    {'exr-ch1-ties': 1}
    """
    sources, labels, current = [], [], ""
    for cell in cells:
        if cell.kind == "markdown":
            heading = _HEADING.search(cell.source)
            current = dict(enumerate(exercises, 1)).get(int(heading[1]), "") if heading else current
        elif cell.kind == "code":
            current = _label(cell) or current
            labels.append(current)
            sources.append(cell.source)
    answers = [i for i, code in enumerate(sources) if _ANSWER.search(code)]
    if not any(labels) and len(answers) == len(exercises):
        return dict(zip(exercises, answers, strict=True))
    return {
        label: _last_answer(sources, [i for i, own in enumerate(labels) if own == label])
        for label in set(labels) - {""}
    }


def words_below(cells: Sequence[Cell], exercises: Sequence[str], written: Sequence[str]) -> dict[str, str]:
    """Return the answers in words: what stands in cells below the headings of these questions, which come last."""
    words: dict[str, list[str]] = {label: [] for label in written}
    label = ""
    for cell in cells:
        heading = _HEADING.search(cell.source) if cell.kind == "markdown" else None
        if heading:
            label = dict(enumerate(written, len(exercises) + 1)).get(int(heading[1]), "")
        elif label and cell.source.strip() != WORDS_HERE:
            words[label].append(cell.source.strip())
    return {label: "\n\n".join(parts) for label, parts in words.items()}


def _label(cell: Cell) -> str:
    """The exercise that a cell itself names."""
    named = _NAMED.search(cell.source)
    label = named[1] if named else cell.label
    return label if LABEL.fullmatch(label) else ""


def _last_answer(sources: Sequence[str], indices: Sequence[int]) -> int:
    """The last of these cells that sets `answer`, to more than three dots if one does; else the first."""
    setting = [i for i in indices if _ANSWER.search(sources[i])]
    filled = [i for i in setting if len(_ANSWER.findall(sources[i])) > len(_STUB.findall(sources[i]))]
    return (filled or setting or [indices[0]])[-1]
