"""Exercises: what each says, the check of an answer, and variants with other numbers.

The texts are in ``exercises.toml`` of each chapter, see `classex_book.chapters`. The number of a variant is a seed from
which its numbers are drawn. The checker works out the truth from them as it does from the numbers of the book; the key
of a variant is worked out in another way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any
from zlib import crc32

import numpy as np

from classex._checks import as_positive_int
from classex_book.course.answers import Mismatch, Probe, rounded
from classex_book.course.texts import CHAPTERS, LABS, PAGES, Numbers, fill, read_chapter

_NAME = re.compile(r"exr-(ch[0-9]+|labs)-([a-z0-9-]+)")


class ExerciseError(ValueError):
    """An answer that is missing or wrong, or the name of no exercise.

    Attributes
    ----------
    share : float
        Share of the numbers of a wrong answer that are right.

    Examples
    --------
    >>> from classex_book import ExerciseError, check
    >>> try:
    ...     check("exr-ch1-ties", [3 / 4, 3 / 4])
    ... except ExerciseError as error:
    ...     print(str(error).partition(". ")[0])
    exr-ch1-ties: entry 2 of 2 (0.75) is not right
    """

    share = 0.0


@dataclass(frozen=True)
class Exercise:
    """What an exercise says.

    Attributes
    ----------
    name : str
        Its label in the chapter, such as ``"exr-ch1-wins"``.
    title : str
        Its title.
    page : str
        Name of the page on which it stands, such as ``"01d_exercises"``.
    points : int
        Its difficulty: 1 applies a formula, 2 combines two ideas or wants a function, 3 wants an idea or a study.
    minutes : int
        Time for a student who has read the chapter.
    expects : str
        What kind of thing the answer is, such as "a probability"; never the answer itself.
    hint : str
        A sentence that helps.
    digits : int, optional
        Significant digits that suffice, where it is solved by hand.
    """

    name: str
    title: str
    page: str
    points: int
    minutes: int
    expects: str
    hint: str
    digits: int | None = None

    @property
    def chapter(self) -> str:
        """Its chapter, such as ``"ch1"``, or ``"labs"``."""
        return self.name.split("-")[1]

    def verify(self, answer: object, numbers: Numbers) -> None:
        """Raise `classex_book.course.answers.Mismatch` unless the answer is right for these numbers."""
        checks = import_module(f"classex_book.chapters.{self.chapter}.checks")
        short = self.name.removeprefix(f"exr-{self.chapter}-")
        getattr(checks, "check_" + short.replace("-", "_"))(answer, **numbers)


@dataclass(frozen=True)
class Variation:
    """An exercise with other numbers.

    Attributes
    ----------
    title, text, expects, hint : str
        As in `Exercise`; in the text and the hint, names between angle quotes such as «wins» stand for numbers.
    draw : callable
        Numbers from a generator, under the names that the checker knows.
    key : callable
        The answer for given numbers.
    """

    title: str
    text: str
    expects: str
    hint: str
    draw: Callable[[np.random.Generator], Numbers]
    key: Callable[..., Any]

    def statement(self, numbers: Numbers) -> str:
        """Return the text with these numbers."""
        return fill(self.text, numbers)


def exercise_names(chapter: str) -> tuple[str, ...]:
    """Names of a chapter's exercises, in their order.

    Parameters
    ----------
    chapter : str
        Such as ``"ch1"``, or ``"labs"`` for the tasks of the labs.

    Raises
    ------
    ExerciseError
        If there are no exercises for it.

    Examples
    --------
    >>> from classex_book import exercise_names
    >>> exercise_names("ch1")[0]
    'exr-ch1-wins'
    """
    if chapter not in (*CHAPTERS, LABS):
        raise ExerciseError(f"chapter must be one that has exercises, such as 'ch1', not {chapter!r}")
    return tuple(f"exr-{chapter}-{name}" for name in read_chapter(chapter, "exercises"))


def exercise(name: str) -> Exercise:
    """Return an exercise by its label, such as ``"exr-ch1-wins"``.

    Raises
    ------
    ExerciseError
        If there is no such exercise.

    Examples
    --------
    >>> from classex_book.course.exercises import exercise
    >>> exercise("exr-ch1-ties").expects
    'a pair of probabilities, for k = 2 and k = 3'
    """
    parts = _NAME.fullmatch(name) if isinstance(name, str) else None
    if parts is None:
        raise ExerciseError(f"name must be the label of an exercise, such as 'exr-ch1-wins', not {name!r}")
    known = exercise_names(parts[1])
    if name not in known:
        raise ExerciseError(f"name must be one of {', '.join(known)}, not {name!r}")
    entry = read_chapter(parts[1], "exercises")[parts[2]]
    page = entry.get("page") or PAGES[parts[1]]
    expects, hint = (fill(entry[part], {}) for part in ("expects", "hint"))
    return Exercise(name, entry["title"], page, entry["points"], entry["minutes"], expects, hint, entry.get("digits"))


def check(name: str, answer: object, *, variant: int | None = None) -> None:
    """Compare the answer to an exercise with the truth, which is worked out anew in another way.

    Prints one line if the answer is right.

    Parameters
    ----------
    name : str
        Label of the exercise, such as ``"exr-ch1-wins"``.
    answer : object
        What the exercise asks for: a number, an array, a function.
    variant : int, optional
        Number of an edition of the exercise with other numbers (see `numbers`).

    Raises
    ------
    ExerciseError
        If the answer is missing or wrong, with what was expected and a hint; or if there is no such exercise. If some
        numbers of the answer are right, a note says how many points they would win.

    Examples
    --------
    >>> from classex_book import check
    >>> check("exr-ch1-ties", [3 / 4, 1 / 2])
    exr-ch1-ties: right
    """
    try:
        judge(name, answer, variant=variant)
    except ExerciseError as error:
        if error.share:
            worth = exercise(name).points
            points = f"{worth * error.share:.3g} of {worth} point{'s' * (worth > 1)}"
            error.add_note(f"The other numbers are right: {points}.")
        raise
    print(f"{name}: right")


def judge(name: str, answer: object, *, variant: int | None = None, digits: int | None = None) -> None:
    """Raise `ExerciseError` unless the answer is right; `digits` are those that suffice, by default the exercise's."""
    found: Exercise | Variation = exercise(name)
    own: Numbers = {}
    if variant is not None:
        found, own = variation(name), numbers(name, variant)
    try:
        if answer is None or answer is Ellipsis:
            raise Mismatch("there is no answer yet")
        with rounded(digits or exercise(name).digits):
            exercise(name).verify(answer, own)
    except Mismatch as problem:
        hint = fill(found.hint, own)
        error = ExerciseError(f"{name}: {problem}. Expected: {found.expects}. Hint: {hint}.")
        error.share = problem.share
        raise error from None


@lru_cache(maxsize=100)  # more than the exercises that want a function
def arguments(name: str) -> tuple[tuple[Any, ...], ...]:
    """Return the arguments of each call that the checker makes of an answer, if the answer is a function."""
    probe = Probe()
    with suppress(Mismatch, ExerciseError):
        exercise(name).verify(probe, {})
    return tuple(probe.cases)


@cache
def _variations() -> dict[str, Variation]:
    found = {}
    for chapter in CHAPTERS:
        functions = import_module(f"classex_book.chapters.{chapter}.checks").VARIATIONS
        for short, entry in read_chapter(chapter, "exercises").items():
            if short in functions:
                draw, key = functions[short]
                own = {part: entry[part] for part in ("title", "expects", "hint")} | entry["variation"]
                found[f"exr-{chapter}-{short}"] = Variation(draw=draw, key=key, **own)
    return found


def variation_names(chapter: str | None = None) -> tuple[str, ...]:
    """Names of the exercises whose numbers vary, of all chapters or of one.

    Examples
    --------
    >>> from classex_book.course.exercises import variation_names
    >>> variation_names("ch1")[0]
    'exr-ch1-wins'
    """
    return tuple(name for name in _variations() if chapter is None or name.startswith(f"exr-{chapter}-"))


def variation(name: str) -> Variation:
    """Return the exercise with other numbers.

    Raises
    ------
    ValueError
        If there is no such exercise, or its numbers are fixed.
    """
    known = _variations()
    if name not in known:
        raise ValueError(f"name must be an exercise whose numbers vary, one of {', '.join(known)}, not {name!r}")
    return known[name]


def numbers(name: str, variant: int) -> Numbers:
    """Return the numbers of an exercise in a variant.

    Parameters
    ----------
    name : str
        Label of the exercise.
    variant : int
        Number of the variant, at least 1.

    Examples
    --------
    >>> from classex_book.course.exercises import numbers
    >>> numbers("exr-ch3-power", 1) == numbers("exr-ch3-power", 1)
    True
    """
    found = variation(name)
    seed = [as_positive_int(variant, "variant"), crc32(name.encode())]
    return found.draw(np.random.default_rng(seed))
