"""Run one exercise of a returned notebook: ``python -m classex_book.one_exercise REPORT``, cells on stdin."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import classex_book

__all__ = ["run"]


def run(name: str, setup: str, cell: str) -> dict[str, Any]:
    """Execute the two cells and say whether `check` accepted the exercise, and the message if not."""
    accepted: list[str] = []
    original = classex_book.check

    def check(name: str, answer: object) -> None:
        original(name, answer)
        accepted.append(name)

    classex_book.check = check
    message = "the cell does not check this exercise"
    namespace: dict[str, Any] = {"__name__": "__main__"}
    try:
        for place, code in (("set-up cell", setup), ("exercise cell", cell)):
            exec(compile(code, f"<{place}>", "exec"), namespace)
    except NotImplementedError:
        message = "no solution yet"
    except classex_book.ExerciseError as error:
        message = str(error)
    except BaseException as error:  # whatever a student's code raises, SystemExit too
        message = f"{type(error).__name__}: {error}"
    finally:
        classex_book.check = original
    passed = name in accepted
    return {"passed": passed, "message": "" if passed else " ".join(message.split())}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(run(**json.load(sys.stdin))), encoding="utf-8")
