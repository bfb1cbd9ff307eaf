"""A bank of questions for a learning platform: exercises with other numbers, and the quizzes of the chapters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from classex._checks import as_positive_int
from classex.io.tables import atomic_text
from classex_book.course.exam import chosen_exercises, distinct_variants, secret_word
from classex_book.course.exercises import exercise, numbers, variation
from classex_book.course.questions import Question, inline, quiz
from classex_book.course.texts import CHAPTERS, fill

_DIGITS = 3  # significant digits that a question asks for
_ROUNDING = 0.6  # units of the last digit: half of one is lost by rounding, the rest is room for binary fractions
_WITHIN = re.compile(r"within ([0-9.]+)")  # what some exercises accept


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
    Each number of an answer has a field of its own ("Cloze" questions). It is right if its first three significant
    digits are, or if it is as close as the exercise asks; a count must be exact. Each exercise has a category of
    its own, from which a platform can draw one question at random, and the quiz of each chapter has another
    ("multichoice" questions). Format: Moodle documentation, "Moodle XML format".
    """
    count = as_positive_int(each, "each")
    secret = secret_word(seed)
    banks = {
        (exercise(name).chapter, variation(name).title): list(_fresh(name, secret, count))
        for name in chosen_exercises(1, chapters, None)
    }
    for chapter in CHAPTERS if chapters is None else chapters:
        asked = enumerate(quiz(chapter).questions, 1)
        banks[chapter, "Quiz"] = [_multichoice(chapter, number, question) for number, question in asked]
    parts = [part for place, made in banks.items() if made for part in (_category(*place), *made)]
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n' + "\n".join(parts) + "\n</quiz>\n"
    atomic_text(Path(path), text)
    return sum(map(len, banks.values()))


def _fresh(name: str, seed: str, count: int) -> Iterator[str]:
    """Questions with different numbers; none of an exercise whose answer is not made of numbers."""
    drawn = [numbers(name, variant) for variant in distinct_variants(name, seed, count)]
    for number, values in enumerate({repr(one): one for one in drawn}.values(), 1):
        key = variation(name).key(**values)
        entries = key if isinstance(key, list | tuple) else [key]
        if all(isinstance(one, int | float | Fraction) for one in entries):
            yield _cloze(name, number, values, entries)


def _category(chapter: str, title: str) -> str:
    place = f"$course$/top/ClassEx/Chapter {chapter.removeprefix('ch')}/{title.replace('/', '//')}"
    return f'<question type="category">\n<category><text>{escape(place)}</text></category>\n</question>'


def _cloze(name: str, number: int, values: dict[str, Any], entries: Sequence[Any]) -> str:
    varied = variation(name)
    within = _WITHIN.search(varied.expects)
    fields = " ".join(_field(one, float(within[1]) if within else None) for one in entries)
    rounded = not within and "digits" not in varied.expects and not all(isinstance(one, int) for one in entries)
    asked = varied.expects.removeprefix("an array of ") + f", to {_DIGITS} significant digits" * rounded
    body = f"<p>{inline(varied.statement(values))}</p><p>Enter {inline(asked)}: {fields}</p>"
    answers = ", ".join(f"{one:,}" if isinstance(one, int) else f"{float(one):.{_DIGITS + 1}g}" for one in entries)
    feedback = f"<p>{inline(fill(varied.hint, values))}.</p><p>Answer: {answers}</p>"
    tags = (exercise(name).chapter, name, f"points: {exercise(name).points}")
    return _question("cloze", f"{name} {number}: {varied.title}", body, feedback, tags, exercise(name).points)


def _field(value: Any, within: float | None) -> str:
    """A field that takes a count exactly, and another number as closely as asked."""
    unit = 10.0 ** (math.floor(math.log10(abs(value) or 1)) + 1 - _DIGITS)
    error = 0 if isinstance(value, int) else within or _ROUNDING * unit
    return f"{{1:NUMERICAL:={float(value):.10g}:{error:.3g}}}"


def _multichoice(chapter: str, number: int, question: Question) -> str:
    answers = "".join(
        f'<answer fraction="{100 * option.right}" format="html">{_text(inline(option.text))}\n'
        f'<feedback format="html">{_text(inline(f"{option.verdict} {option.why}"))}</feedback></answer>\n'
        for option in question.options
    )
    settings = "<single>true</single>\n<shuffleanswers>true</shuffleanswers>\n<answernumbering>abc</answernumbering>\n"
    why = next(inline(option.why) for option in question.options if option.right)
    body = f"<p>{inline(question.text)}</p>"
    return _question(
        "multichoice", f"{chapter} quiz {number}", body, f"<p>{why}</p>", (chapter, "quiz"), 1, settings + answers
    )


def _question(
    kind: str, name: str, body: str, feedback: str, tags: Sequence[str], points: int, inside: str = ""
) -> str:
    marks = "".join(f"<tag><text>{escape(tag)}</text></tag>" for tag in tags)
    return (
        f'<question type="{kind}">\n<name><text>{escape(name)}</text></name>\n'
        f'<questiontext format="html">{_text(body)}</questiontext>\n'
        f'<generalfeedback format="html">{_text(feedback)}</generalfeedback>\n'
        f"<defaultgrade>{points}</defaultgrade>\n{inside}<tags>{marks}</tags>\n</question>"
    )


def _text(html: str) -> str:
    return f"<text><![CDATA[{html}]]></text>"
