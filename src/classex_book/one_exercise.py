"""Run one exercise of a returned notebook: ``python -m classex_book.one_exercise``, a job on standard input."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import classex_book

__all__ = ["run"]

_LONGEST = 600


def run(
    name: str, setup: str, helpers: Sequence[str], cell: str, variant: int | None = None, *, paper: bool = False
) -> dict[str, Any]:
    """Execute the cells and say whether `check` accepted the exercise, and the message if not.

    The cells of a paper of an exam do not know their variant: what they check is the one demanded.

    An error in the set-up or a helper cell is passed over, as a notebook does; where the exercise then lacks a name,
    the message says so.
    """
    accepted: list[str] = []
    wanted = name
    original = classex_book.check

    demanded = variant

    def check(name: str, answer: object, *, variant: int | None = None) -> None:
        if name != wanted:  # another exercise in the same cell must not stop this one
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

    classex_book.check = check
    message = "the cell does not check this exercise"
    namespace: dict[str, Any] = {"__name__": "__main__"}
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
        message = f"NameError: {error}; no other cell of the notebook defines it without an error"
    except BaseException as error:  # whatever a student's code raises, SystemExit too
        message = f"{type(error).__name__}: {error}"
    finally:
        classex_book.check = original
    passed = name in accepted
    return {"passed": passed, "message": "" if passed else " ".join(message.split())[:_LONGEST]}


def _main() -> None:
    job = json.load(sys.stdin)
    nonce = job.pop("nonce")
    # the report goes where standard output went; what the cells print goes nowhere
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as report:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        # Python was started with -P: files beside the notebook may be imported, but hide no installed package
        sys.path.append(os.getcwd())
        json.dump({"nonce": nonce, **run(**job)}, report)


if __name__ == "__main__":
    _main()
