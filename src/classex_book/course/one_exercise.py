"""Run one exercise of a returned notebook: ``python -m classex_book.course.one_exercise``, a job on standard input."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import classex_book
from classex_book.course import exercises

_LONGEST = 600
_MOST_CALLED = 200


def run(
    name: str, setup: str, helpers: Sequence[str], cell: str, variant: int | None = None, *, paper: bool = False
) -> dict[str, Any]:
    """Execute the cells and say whether `check` accepted the exercise, and the message if not.

    The cells of a paper of an exam do not know their variant: what they check is the one demanded.

    An error in the set-up or a helper cell is passed over, as a notebook does; where the exercise then lacks a name,
    the message says so.
    """
    accepted: list[str] = []
    own = name
    original = exercises.check

    demanded = variant

    def check(name: str, answer: object, *, variant: int | None = None) -> None:
        if name != own:  # another exercise in the same cell must not stop this one
            return
        if paper and variant is None:
            variant = demanded
        if variant != demanded:
            words = ["the book's own numbers" if one is None else f"variant {one}" for one in (variant, demanded)]
            raise classex_book.ExerciseError(
                f"{name}: this checks {words[0]}, and {words[1]} {'were' if demanded is None else 'was'} set"
            )
        original(name, answer, variant=variant)
        accepted.append(name)

    message = _execute(setup, helpers, cell, check) or "the cell does not check this exercise"
    passed = name in accepted
    return {"passed": passed, "message": "" if passed else message}


def trial(setup: str, helpers: Sequence[str], cell: str) -> dict[str, Any]:
    """Execute the cells and say for which exercises `check` is called; no answer is looked at.

    The message says what ended the cell before its time, if anything did.
    """
    called: list[str] = []

    def check(name: object, answer: object = None, *, variant: int | None = None) -> None:
        del answer, variant
        called.append(str(name))

    message = _execute(setup, helpers, cell, check)
    return {"called": list(dict.fromkeys(called))[:_MOST_CALLED], "message": message}


def _execute(setup: str, helpers: Sequence[str], cell: str, check: Callable[..., None]) -> str:
    """Execute the cells with this function in the place of `check`, and say what went wrong, if anything."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    message = ""
    with _instead(check):
        try:
            for code in (setup, *helpers):
                with contextlib.suppress(Exception):
                    exec(compile(code, "<another cell>", "exec"), namespace)
            exec(compile(cell, "<exercise cell>", "exec"), namespace)
        except NotImplementedError:
            message = "no solution yet"
        except classex_book.ExerciseError as error:
            message = str(error)
        except NameError as error:
            lacking = "no other cell of the notebook defines it without an error"
            if error.name == "answer":
                lacking = "no cell above sets an answer that is not another exercise's"
            message = f"NameError: {error}; {lacking}"
        except BaseException as error:  # whatever a student's code raises, SystemExit too
            message = f"{type(error).__name__}: {error}"
    return " ".join(message.split())[:_LONGEST]


@contextlib.contextmanager
def _instead(check: Callable[..., None]) -> Iterator[None]:
    """Put another function in the place of `check`, under both names by which it is imported."""
    original = exercises.check
    classex_book.check = exercises.check = check
    try:
        yield
    finally:
        classex_book.check = exercises.check = original


def _main() -> None:
    job = json.load(sys.stdin)
    nonce = job.pop("nonce")
    # the report goes where standard output went; what the cells print goes nowhere
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as report:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        # Python was started with -P: files beside the notebook may be imported, but hide no installed package
        sys.path.append(os.getcwd())
        done = trial(**job) if job.pop("trial", False) else run(**job)
        json.dump({"nonce": nonce, **done}, report)


if __name__ == "__main__":
    _main()
