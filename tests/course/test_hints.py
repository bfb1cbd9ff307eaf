"""Hints and expectations speak of the variant's own numbers: no other number stands in them."""

from __future__ import annotations

import re

import pytest

from classex_book.course.exercises import numbers, variation, variation_names
from classex_book.course.texts import fill

VARIANTS = range(1, 41)
SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
LARGE = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "thousand": 1000}
WORDS = {word: n for n, word in enumerate(SMALL, 2)} | LARGE
DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d*\.\d+|\d+")


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
