"""Every checker tells three wrong answers that students give from two right ones, written differently."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from classex_book import ExerciseError, check, exercise_names
from classex_book.chapters.ch1.checks import _code_accuracy
from classex_book.course.exercises import exercise

# other tests run the same lines of the package, and the tracer would take up to as much time again
pytestmark = pytest.mark.no_cover

CHAPTERS = [*(f"ch{number}" for number in range(1, 7)), "labs"]
TABLES = {chapter: import_module(f"tests.course.attempts.{chapter}").ATTEMPTS for chapter in CHAPTERS}
ATTEMPTS = {name: attempts for table in TABLES.values() for name, attempts in table.items()}


def most_codewords() -> int:
    """The largest k that passes, by the exact sum of the checker's module, one at a time from below."""
    low, high = 1, 2**40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _code_accuracy(63, 0.1, middle) >= 0.9 else (low, middle)
    return low


def made(name, attempt):
    """The attempt itself, or what takes too long for a table that every test run reads."""
    if name == "exr-labs-one-file":
        return attempt()
    return attempt(most_codewords()) if name == "exr-ch1-most-codewords" else attempt


def test_each_exercise_has_three_wrong_and_two_right_attempts():
    for chapter, table in TABLES.items():
        assert tuple(table) == exercise_names(chapter)
        for wrong, right in table.values():
            assert len(wrong) >= 3
            assert len(right) >= 2


@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_right_answer_passes_however_it_is_written(name, capsys):
    for attempt in ATTEMPTS[name][1]:
        check(name, made(name, attempt))
        assert capsys.readouterr().out == f"{name}: right\n"


@pytest.mark.parametrize("name", ATTEMPTS)
def test_the_message_says_where_an_answer_is_wrong_and_what_form_is_wanted(name):
    for number, attempt in enumerate(ATTEMPTS[name][0]):
        with pytest.raises(ExerciseError) as caught:
            check(name, made(name, attempt))
        said, _, rest = str(caught.value).partition(" Expected: ")
        problem = said.removeprefix(f"{name}: ")
        assert rest.startswith(f"{exercise(name).expects}. Hint: "), number
        assert not re.fullmatch(r"the answer is not right\.?", problem)
        # an entry, a case, a condition that the answer fails, or its form
        assert re.search(
            r"\bentry \d|\bentry \[|^with |the number|must be|must have|has no|there is|for \w+ loss|below|above|"
            r"differ|sum to|rises|does not|not above|by 0\.2|whole|over 40 runs|returns the same|promises|between|"
            r"more than|cannot have|is not that of",
            problem,
        ), problem
