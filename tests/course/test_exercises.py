"""The register of exercises, the comparisons of answers, and the questions of quizzes."""

from __future__ import annotations

import numpy as np
import pytest

from classex.results import Estimate
from classex_book import ExerciseError, check, exercise_names, quiz
from classex_book.answers import (
    Mismatch,
    as_array,
    as_number,
    call,
    honest_estimate,
    same_array,
    same_function,
    same_number,
)
from classex_book.exercises import exercise
from classex_book.questions import Question, Quiz, no, yes


def test_an_error_names_the_exercise_what_was_expected_and_a_hint():
    with pytest.raises(ExerciseError) as caught:
        check("exr-ch1-ties", [0.5, 0.5])
    assert str(caught.value) == (
        "exr-ch1-ties: 1 of 2 entries are not right. Expected: a pair of probabilities, for k = 2 and k = 3. "
        "Hint: With two classes the rival is either the beaten label or the tied one, each half of the time."
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


@pytest.mark.parametrize("chapter", ["ch99", "1", "", None, "ch1.x"])
def test_a_chapter_without_exercises_is_an_error(chapter):
    with pytest.raises(ExerciseError, match="chapter must be one that has exercises"):
        exercise_names(chapter)
    with pytest.raises(ValueError, match="chapter must be one that has a quiz"):
        quiz(chapter)


@pytest.mark.parametrize(
    ("name", "message"), [("ch1-wins", "must look like"), ("exr-ch1-wins", "has a checker already")]
)
def test_a_checker_has_a_new_name_of_the_right_form(name, message):
    exercise_names("ch1")
    with pytest.raises(ValueError, match=message):
        exercise(name, expects="x", hint="y")(lambda _: None)


def test_numbers_and_arrays():
    assert as_number(np.float32(0.5)) == 0.5
    same_number(3, 3.0)
    same_number(1e9 + 1, 1e9)
    same_array([[1, 2]], [[1.0, 2.0]])
    assert as_array([1, 2, 3], (None,)).dtype == float
    for answer, message in [
        ("3", "must be a number, not '3'"),
        (True, "must be a number, not True"),
        (1j, "must be a number"),
        ([3.0], r"must be a number, but its shape is \(1,\)"),
        (np.inf, "must be finite"),
        (3.1, "the number is not right"),
    ]:
        with pytest.raises(Mismatch, match=message):
            same_number(answer, 3.0)
    for answer, message in [
        ([[1, 2], [3]], "rows differ in length"),
        ([1, 2], "axis 0 must have length 3, not 2"),
        ([1, 2, 4], "1 of 3 entries are not right"),
        (["x" * 100], r"\.\.\.$"),
    ]:
        with pytest.raises(Mismatch, match=message):
            same_array(answer, [1, 2, 3])


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
        (lambda _: np.zeros(2), "with x = 1, 2 of 2 entries are not right"),
        (lambda _: None, "with x = 0, the result must be an array"),
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


def test_estimates_must_be_honest_about_their_error():
    honest_estimate((0.51, 0.005), 0.5, largest_error=0.01)
    honest_estimate(Estimate(0.51, 0.005), 0.5, largest_error=0.01)
    for answer, message in [
        ((0.51, 0.002), "more than 4 of its standard errors"),
        ((0.5, 0.0), "must be greater than 0"),
        ((0.5, 0.02), "must be at most 0.01: simulate more"),
        (0.5, "must be a pair"),
    ]:
        with pytest.raises(Mismatch, match=message):
            honest_estimate(answer, 0.5, largest_error=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((yes("a", "x"), no("b", "y")), "three or four, not 2"),
        ((no("a", "x"), no("b", "y"), no("c", "z")), "exactly one right"),
        ((yes("a", "x"), no("b", " "), no("c", "z")), "all be explained"),
        ((yes("a", "x"), no("a", "y"), no("c", "z")), "all differ"),
    ],
)
def test_questions_are_complete(options, message):
    with pytest.raises(ValueError, match=message):
        Question("What?", options)


def test_a_quiz_escapes_html_and_keeps_mathematics():
    question = Question("Is `a < b` *always* so that $x < y$?", (yes("& yes", "$1$"), no("b", "2 * 3"), no("c", "z")))
    made = Quiz("ch1", (question,))
    assert repr(made) == "Quiz('ch1', 1 questions)"
    text = made._repr_html_()
    assert r"<p>Is <code>a &lt; b</code> <em>always</em> so that \(x &lt; y\)?</p>" in text
    assert "<summary>&amp; yes</summary><p><strong>Right.</strong> \\(1\\)</p>" in text
    assert "<strong>Not so.</strong> 2 * 3</p>" in text
    assert made._repr_markdown_() == (
        "1. Is `a < b` *always* so that $x < y$?\n\n   - (a) & yes\n   - (b) b\n   - (c) c\n\n"
        "**Answers**\n\n1. (a) Right. $1$ (b) Not so. 2 * 3 (c) Not so. z"
    )
