"""A bank of questions for a learning platform: every exercise that has variants, several times, with its answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from classex._validation import as_positive_int
from classex.io.tables import atomic_text
from classex_book.course.edition import chosen_exercises
from classex_book.course.exam import distinct_variants, draw_seed
from classex_book.course.exercises import exercise, numbers, variation

_TOLERANCE = 1e-3  # of the size of an answer: a platform's field wants decimals
_MATHEMATICS = re.compile(r"\$([^$]+)\$")


def write_bank(
    path: str | Path, *, each: int = 5, seed: str | None = None, chapters: Sequence[str] | None = None
) -> int:
    """Write a question bank in the XML of Moodle, which other platforms read as well.

    Parameters
    ----------
    path : str or Path
        The file.
    each : int
        Questions made of every exercise, with different numbers as far as it has so many.
    seed : str, optional
        A word that only you know: the same one makes the same bank again. By default one is drawn.
    chapters : sequence of str, optional
        Such as ``["ch1", "ch3"]``; by default all six.

    Returns
    -------
    int
        Number of questions.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Each number of an answer has a field of its own ("Cloze" questions). It is right within a thousandth of its
    size, or, where it is a count, if it is exact.
    """
    count = as_positive_int(each, "each")
    secret = draw_seed() if seed is None else str(seed)
    questions = [
        _question(name, number, variant, fields)
        for name in chosen_exercises(1, chapters, None)
        for number, (variant, fields) in enumerate(_fresh(name, secret, count), 1)
    ]
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n' + "\n".join(questions) + "\n</quiz>\n"
    atomic_text(Path(path), text)
    return len(questions)


def _fresh(name: str, seed: str, count: int) -> Iterator[tuple[int, list[str]]]:
    """Variants with different numbers, and the fields of their answers; none of an exercise that asks for more."""
    seen = set()
    for variant in distinct_variants(name, seed, count):
        values = numbers(name, variant)
        fields = _fields(variation(name).key(**values))
        if fields and repr(values) not in seen:
            seen.add(repr(values))
            yield variant, fields


def _fields(key: Any) -> list[str]:
    """A field for each number of an answer: counts are exact, everything else within a thousandth."""
    entries = key if isinstance(key, list | tuple) else [key]
    if not all(isinstance(one, int | float | Fraction) for one in entries):
        return []
    return [
        f"{{1:NUMERICAL:={float(one):.10g}:{0 if isinstance(one, int) else _TOLERANCE * max(abs(one), 1e-9):.3g}}}"
        for one in entries
    ]


def _question(name: str, number: int, variant: int, fields: list[str]) -> str:
    varied = variation(name)
    text = _MATHEMATICS.sub(r"\\(\1\\)", escape(varied.statement(numbers(name, variant)), quote=False))
    body = f"<p>{text}</p><p>{escape(varied.expects, quote=False)}: {' '.join(fields)}</p>"
    return (
        f'<question type="cloze">\n<name><text>{escape(f"{name} {number}: {varied.title}")}</text></name>\n'
        f'<questiontext format="html"><text><![CDATA[{body}]]></text></questiontext>\n'
        f"<defaultgrade>{exercise(name).points}</defaultgrade>\n</question>"
    )
