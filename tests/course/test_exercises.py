"""The register of exercises, the comparisons of answers, and the questions of quizzes."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from classex_book import ExerciseError, check, exercise_names
from classex_book.course.answers import (
    Mismatch,
    as_array,
    as_number,
    as_whole,
    call,
    honest_estimator,
    same_array,
    same_function,
    same_number,
)
from classex_book.course.exercises import exercise
from classex_book.course.questions import Option, Question, Quiz
from classex_book.course.texts import CHAPTERS, LABS, read_chapter


def test_an_error_names_the_exercise_what_was_expected_and_a_hint():
    with pytest.raises(ExerciseError) as caught:
        check("exr-ch1-ties", [0.5, 0.5])
    assert str(caught.value) == (
        "exr-ch1-ties: entry 1 of 2 (0.5) is not right. Expected: a pair of probabilities, for k = 2 and k = 3. "
        "Hint: With two classes the rival is a beaten label or a tied one; among all, the truth must win the "
        "tie."
    )
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("answer", [None, ...])
def test_no_answer_is_told_from_a_wrong_one(answer):
    with pytest.raises(ExerciseError, match="exr-ch1-ties: there is no answer yet"):
        check("exr-ch1-ties", answer)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exr-ch1-unheard-of", "name must be one of exr-ch1-wins, "),
        ("exr-ch99-wins", "chapter must be one that has exercises, such as 'ch1', not 'ch99'"),
        ("wins", "name must be the label of an exercise"),
        (1, "name must be the label of an exercise"),
    ],
)
def test_a_name_of_no_exercise_is_an_error(name, message):
    with pytest.raises(ExerciseError, match=message):
        check(name, 1)


def test_numbers_and_arrays():
    assert as_number(np.float32(0.5)) == 0.5
    assert as_whole(3.0, "a whole number") == 3
    same_number(3, 3.0)
    same_number(Fraction(3, 4), 0.75)
    same_number(1e9 + 1, 1e9)
    same_array([[1, 2]], [[1.0, 2.0]])
    same_array((Fraction(1, 3), Decimal("0.5"), 2), [1 / 3, 0.5, 2])
    assert as_array([1, 2, 3], (None,)).dtype == float
    for answer, message in [
        ("3", "must be a number, not '3'"),
        (True, "must be a number, not True"),
        (1j, "must be a number"),
        ([3.0], "must be a number, but it is a list of 1"),
        (np.inf, "the number is inf, and must be finite"),
        (3.1, "the number 3.1 is not right"),
        (300, "the number 300 is in per cent"),
    ]:
        with pytest.raises(Mismatch, match=message):
            same_number(answer, 3.0)
    for answer, message in [
        ([[1, 2], [3]], "rows differ in length"),
        ([1, 2], "the answer must be a list of 3 numbers, but it is a list of 2"),
        (Fraction(3, 4), "a list of 3 numbers, but it is the single number 0.75"),
        ([1, 2, np.nan], "entry 3 of 3 is nan, and must be finite"),
        ([1, 2, 4], r"^entry 3 of 3 \(4\) is not right$"),
        ([1, None, 4], "entry 2 of 3 is None"),
        ([0, 2, 4], r"^entry 1 of 3 \(0\) is not right; entry 3 of 3 \(4\) is not right$"),
        (["x" * 100], r"\.\.\.$"),
    ]:
        with pytest.raises(Mismatch, match=message):
            same_array(answer, [1, 2, 3])
    with pytest.raises(
        Mismatch, match=r"^entry 2 of 3 \(0.636\) is rounded: give .*; entry 3 of 3 \(0.63\) is rounded"
    ):
        same_array([0.75, 0.636, 0.63], [0.75, 7 / 11, 12 / 19])
    with pytest.raises(Mismatch, match=r"entry \[1, 0\] \(9\) is not right; .*and so on, 5 of 6 entries in all"):
        same_array([[1, 8, 8], [9, 8, 8]], np.arange(1, 7).reshape(2, 3))
    with pytest.raises(Mismatch, match=r"must be a whole number of spoons, not 2\.5"):
        as_whole(2.5, "a whole number of spoons")


def test_functions():
    def double(x):
        return 2 * x

    def spoil(x):
        x += 1
        return 2 * (x - 1)

    cases = {"x = 0": (np.zeros(2),), "x = 1": (np.ones(2),)}
    same_function(double, double, cases)
    same_function(spoil, double, cases)
    assert (cases["x = 0"][0] == 0).all()
    for function, message in [
        (lambda _: np.zeros(2), r"with x = 1, entry 1 of 2 \(0\) is not right"),
        (lambda _: None, "with x = 0, the result must be a list of 2 numbers"),
        (lambda: 0, r"the function raises TypeError \(.*\) with x = 0"),
        (3, "the answer must be a function, not 3"),
    ]:
        with pytest.raises(Mismatch, match=message):
            same_function(function, double, cases)
    with pytest.raises(Mismatch, match="the function must return True or False, not 1"):
        same_function(lambda _: 1, lambda _: True, cases)

    def unsolved():
        raise NotImplementedError

    with pytest.raises(Mismatch, match="there is no answer yet"):
        call(unsolved, case="nothing")


def mean_of(n, *, scale=1.0, shift=0.0):
    """An estimator of 0 whose standard error is multiplied by `scale` and whose value is shifted."""

    def estimate(rng):
        draws = rng.normal(size=n)
        return draws.mean() + shift, scale * draws.std(ddof=1) / np.sqrt(n)

    return estimate


def test_estimates_must_be_honest_about_their_error():
    honest_estimator(mean_of(10_000), 0.0, largest_error=0.02)
    honest_estimator(lambda rng: list(mean_of(10_000)(rng)), 0.0, largest_error=0.02)
    for answer, message in [
        ((0.01, 0.005), "must be a function, not"),
        (mean_of(10_000, scale=0.5), "too small: over 40 runs the values scatter"),
        (mean_of(40_000, scale=2), "too large: over 40 runs the values scatter"),
        (mean_of(10_000, shift=0.01), "more than 4 of its standard errors from the truth"),
        (mean_of(100), "must be at most 0.02: simulate more"),
        (lambda _: (0.0, 0.01), "returns the same with every generator"),
        (lambda _: (0.0, 0.0), "must be greater than 0"),
        (lambda _: 0.5, r"the result must be a pair \(value, standard error\), but it is the single number 0.5"),
    ]:
        with pytest.raises(Mismatch, match=message):
            honest_estimator(answer, 0.0, largest_error=0.02)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_computed_number_of_a_quiz_is_shown(chapter):
    computed = import_module(f"classex_book.chapters.{chapter}.quiz")
    own = {name for name, value in vars(computed).items() if getattr(value, "__module__", "") == computed.__name__}
    texts = read_chapter(chapter, "quiz")
    names = {name.replace("-", "_") for name in texts}
    assert {name for name in own if not name.startswith("_")} <= names
    for name, said in texts.items():
        shown = set(re.findall(r"«(\w+)", str(said)))
        assert shown == set(getattr(computed, name.replace("-", "_"), dict)())


def test_a_quiz_escapes_html_and_keeps_mathematics():
    options = (Option("& yes", "$1$", right=True), Option("b", "2 * 3"), Option("c", "z"))
    question = Question("Is `a < b` *always* so that $x < y$?", options)
    made = Quiz("ch1", (question,))
    assert repr(made) == "Quiz('ch1', 1 questions)"
    text = made._repr_html_()
    assert r"<p>Is <code>a &lt; b</code> <em>always</em> so that \(x &lt; y\)?</p>" in text
    assert "<summary>&amp; yes</summary><p><strong>Right.</strong> 1</p>" in text
    assert "<strong>Not so.</strong> 2 * 3</p>" in text
    assert made._repr_markdown_() == (
        "1. Is `a < b` *always* so that $x < y$?\n\n   - (a) & yes\n   - (b) b\n   - (c) c\n\n"
        "**Answers**\n\n1. (a) Right. $1$ (b) Not so. 2 * 3 (c) Not so. z"
    )


def test_what_is_solved_by_hand_takes_three_digits():
    pages = "".join(page.read_text(encoding="utf-8") for page in (Path(__file__).parents[2] / "notebooks").glob("*.md"))
    classes = dict(re.findall(r":label: (exr-\S+)\n:class: (.*)", pages))
    for chapter in (*CHAPTERS, LABS):
        for name in exercise_names(chapter):
            digits = 4 if name == "exr-ch6-hundred" else 3
            assert exercise(name).digits == (digits if "by-hand" in classes[name].split() else None)
    check("exr-ch1-copies", [0.75, 0.636, 0.632])
    with pytest.raises(ExerciseError, match="or at least 3 significant digits"):
        check("exr-ch1-copies", [0.75, 0.64, 0.63])
