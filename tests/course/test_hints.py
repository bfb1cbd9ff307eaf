"""Hints and expectations speak of the variant's own numbers: no other number stands in them."""

from __future__ import annotations

import re

import pytest

from classex_book import ExerciseError, check, exercise_names
from classex_book.course.exercises import exercise, numbers, variation, variation_names
from classex_book.course.texts import fill

VARIANTS = range(1, 41)
SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
LARGE = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "thousand": 1000}
WORDS = {word: n for n, word in enumerate(SMALL, 2)} | LARGE
DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d*\.\d+|\d+")
FOUND = {  # what hints said, whatever the variant
    "exr-ch1-circle": "Draw many sets of five classes; one test point for each set makes the points independent",
    "exr-ch3-thousand": "Average the 999th power of the favourability over random test points",
    "exr-ch3-apart": "Put it where only one class in some ten thousand wins",
    "exr-ch4-guessing": "Draw the table many times: 50 rows, each a multinomial count of 5 guesses over 50 labels",
    "exr-ch6-blind-entropy": "Draw many samples of 30 rolls, compute the entropy of each sample's shares, and average",
}


def said(text):
    """Numbers in a text other than 0 and 1, in digits (those of ``999th``, ``H_2`` and ``.9`` too) or in words."""
    digits = [float(number.replace(",", "")) for number in DIGITS.findall(text)]
    words = [WORDS[word] for word in re.findall("[a-z]+", text.lower()) if word in WORDS]
    return {*digits, *words} - {0, 1}


def flat(values):
    """Numbers among the parameters, and the lengths of lists."""
    if isinstance(values, dict):
        return set().union(*map(flat, values.values()))
    if isinstance(values, list | tuple):
        return {len(values)}.union(*map(flat, values))
    return set() if isinstance(values, str) else {float(values)}


def answers(name):
    """How many numbers the answer holds, in whatever variant."""
    key = variation(name).key(**numbers(name, 1))
    return {len(key)} if isinstance(key, list | tuple) else set()


def own(name, variant):
    """Numbers of a variant: in its text and its parameters."""
    values = numbers(name, variant)
    return said(variation(name).statement(values)) | flat(values)


@pytest.mark.parametrize("name", variation_names())
def test_every_number_in_the_hint_of_a_variant_is_its_own(name):
    more = answers(name)
    for variant in VARIANTS:
        text = fill(variation(name).hint, numbers(name, variant))
        assert said(text) <= own(name, variant) | more, (variant, text, numbers(name, variant))


@pytest.mark.parametrize("name", variation_names())
def test_every_number_in_what_a_variant_expects_is_its_own(name):
    text = variation(name).expects
    more = answers(name)
    for variant in VARIANTS:
        assert said(text) <= own(name, variant) | more, (variant, text, numbers(name, variant))


@pytest.mark.parametrize("name", FOUND)
def test_what_hints_once_said_would_be_found(name):
    more = answers(name)
    assert any(not said(FOUND[name]) <= own(name, variant) | more for variant in VARIANTS)


@pytest.mark.parametrize(
    ("name", "variant", "words"),
    [
        ("exr-ch1-circle", 2, "sets of 4 classes"),
        ("exr-ch3-thousand", 1, "to the power 3,000 - 1 "),
        ("exr-ch4-guessing", 1, "30 rows, each a multinomial count of 4 guesses over 30 labels"),
        ("exr-ch6-blind-entropy", 1, "samples of 60 rolls"),
        ("exr-ch2-restless", 1, "The number m of unmistakable classes is binomial"),
    ],
)
def test_the_checker_gives_the_hint_of_the_variant(name, variant, words):
    with pytest.raises(ExerciseError) as caught:
        check(name, None, variant=variant)
    assert words in str(caught.value).partition("Hint: ")[2]


def test_the_hints_of_the_book_speak_of_its_numbers():
    texts = {name: exercise(name).hint for chapter in range(1, 7) for name in exercise_names(f"ch{chapter}")}
    assert all(text and not text.endswith(".") for text in texts.values())
    assert "sets of 5 classes" in texts["exr-ch1-circle"]
    assert "1,000 - 1" in texts["exr-ch3-thousand"]
    assert "one class in some 10,000" in texts["exr-ch3-apart"]
    assert "50 rows, each a multinomial count of 5 guesses" in texts["exr-ch4-guessing"]
    assert "30 rolls" in texts["exr-ch6-blind-entropy"]
    assert "half of the rows" in texts["exr-ch2-restless"]
