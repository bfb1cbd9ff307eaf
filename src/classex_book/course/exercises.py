"""The register of exercises: what each expects, its hint, and the function that verifies an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from classex_book.course.answers import Mismatch

__all__ = ["ExerciseError", "check", "exercise", "exercise_names", "expected", "hint"]

_Verify = Callable[..., None]
_Hint = str | Callable[..., str]
_NAME = re.compile(r"exr-(ch[0-9]+)-[a-z0-9-]+")


class ExerciseError(ValueError):
    """An answer that is missing or wrong, or the name of no exercise.

    Examples
    --------
    >>> from classex_book import ExerciseError, check
    >>> try:
    ...     check("exr-ch1-ties", [3 / 4, 3 / 4])
    ... except ExerciseError as error:
    ...     print(str(error).partition(". ")[0])
    exr-ch1-ties: entry 2 of 2 (0.75) is not right
    """


@dataclass(frozen=True)
class _Exercise:
    expects: str
    hint: _Hint
    verify: _Verify

    def hint_for(self, numbers: dict[str, object]) -> str:
        """Return the hint for these numbers of the exercise; for the book's if there are none."""
        return (self.hint if isinstance(self.hint, str) else self.hint(**numbers)).rstrip(".")


_REGISTER: dict[str, _Exercise] = {}


def exercise(name: str, *, expects: str, hint: _Hint) -> Callable[[_Verify], _Verify]:
    """Register the decorated function as the checker of an exercise.

    The function takes the answer, and the numbers of the exercise as keywords if they can vary; where the book wants
    a function, its variants ask for one value of it, and the keywords are its arguments. It raises
    `classex_book.course.answers.Mismatch`, mostly through the comparisons of that module, if the answer is not right.

    Parameters
    ----------
    name : str
        Label of the exercise in its chapter, such as ``exr-ch1-wins``.
    expects : str
        What kind of thing the answer is, such as "a probability"; never the answer itself.
    hint : str or callable
        A sentence that helps. Where it speaks of numbers that vary, a function that makes it of them: it takes the
        same keywords as the checker, with the numbers of the book as defaults.

    Examples
    --------
    >>> from classex_book.course.answers import Mismatch
    >>> from classex_book.course.exercises import exercise
    >>> @exercise(
    ...     "exr-ch99-coin", expects="a probability", hint="A coin has two sides."
    ... )
    ... def coin(answer):
    ...     if answer != 0.5:
    ...         raise Mismatch("no fair coin falls so")
    >>> coin(0.5)  # nothing to object to
    """

    def register(verify: _Verify) -> _Verify:
        if not _NAME.fullmatch(name):
            raise ValueError(f"name must look like 'exr-ch1-wins', not {name!r}")
        if name in _REGISTER and _REGISTER[name].verify.__module__ != verify.__module__:
            raise ValueError(f"name must be new, but {name!r} has a checker already")
        _REGISTER[name] = _Exercise(expects.rstrip("."), hint, verify)
        return verify

    return register


def exercise_names(chapter: str) -> tuple[str, ...]:
    """Names of a chapter's exercises, in the order of their checkers.

    Parameters
    ----------
    chapter : str
        Such as ``"ch1"``.

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
    module = f"classex_book.chapters.{chapter}.checks"
    if not re.fullmatch("ch[1-6]", str(chapter)):
        raise ExerciseError(f"chapter must be one that has exercises, such as 'ch1', not {chapter!r}")
    import_module(module)
    return tuple(name for name in _REGISTER if name.startswith(f"exr-{chapter}-"))


def expected(name: str) -> str:
    """Say what kind of thing the answer to an exercise is.

    Parameters
    ----------
    name : str
        Label of the exercise, such as ``"exr-ch1-wins"``.

    Raises
    ------
    ExerciseError
        If there is no such exercise.

    Examples
    --------
    >>> from classex_book.course.exercises import expected
    >>> expected("exr-ch1-ties")
    'a pair of probabilities, for k = 2 and k = 3'
    """
    return _find(name).expects


def hint(name: str, **numbers: object) -> str:
    """Return the hint of an exercise, for the numbers of a variant or those of the book.

    Parameters
    ----------
    name : str
        Label of the exercise, such as ``"exr-ch1-wins"``.
    **numbers
        The numbers of a variant, as `classex_book.course.variants.numbers` returns them.

    Examples
    --------
    >>> from classex_book.course.exercises import hint
    >>> hint("exr-ch6-blind-entropy", faces=4, rolls=15).partition(",")[0]
    'Draw many samples of 15 rolls'
    """
    return _find(name).hint_for(numbers)


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
        Number of an edition of the exercise with other numbers (see `classex_book.course.variants`).

    Raises
    ------
    ExerciseError
        If the answer is missing or wrong, with what was expected and a hint; or if there is no such exercise.

    Examples
    --------
    >>> from classex_book import check
    >>> check("exr-ch1-ties", [3 / 4, 1 / 2])
    exr-ch1-ties: right
    """
    found, wanted = _find(name), expected(name)
    numbers: dict[str, object] = {}
    if variant is not None:
        variants = import_module("classex_book.course.variants")  # which imports this module
        numbers = variants.numbers(name, variant)
        wanted = variants.variation(name).expects or wanted
    try:
        if answer is None or answer is Ellipsis:
            raise Mismatch("there is no answer yet")
        found.verify(answer, **numbers)
    except Mismatch as problem:
        raise ExerciseError(f"{name}: {problem}. Expected: {wanted}. Hint: {found.hint_for(numbers)}.") from None
    print(f"{name}: right")


def _find(name: str) -> _Exercise:
    parts = _NAME.fullmatch(name) if isinstance(name, str) else None
    if parts is None:
        raise ExerciseError(f"name must be the label of an exercise, such as 'exr-ch1-wins', not {name!r}")
    known = exercise_names(parts[1])
    if name not in known:
        raise ExerciseError(f"name must be one of {', '.join(known)}, not {name!r}")
    return _REGISTER[name]
