"""Variants: texts, checkers and keys agree for many seeds, and differ between them."""

from __future__ import annotations

import re

import pytest

from classex_book import ExerciseError, check
from classex_book.course.exercises import exercise_names, numbers, variation, variation_names

NAMES = variation_names()


@pytest.mark.parametrize("name", NAMES)
def test_the_key_passes_its_own_variant_and_no_other_key_of_other_numbers_does(name):
    keys = {variant: variation(name).key(**numbers(name, variant)) for variant in range(1, 7)}
    for variant, key in keys.items():
        check(name, key, variant=variant)
        for other in keys:
            if repr(keys[other]) != repr(key):
                with pytest.raises(ExerciseError, match=name):
                    check(name, keys[other], variant=variant)
                break
    assert len({repr(numbers(name, variant)) for variant in range(1, 20)}) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_the_text_holds_all_numbers(name):
    found = variation(name)
    values = numbers(name, 3)
    text = found.statement(values)
    assert not re.search("[«»]", text)
    assert set(re.findall("«(.*?)»", found.text)) == set(values)
    assert name in exercise_names(name.split("-")[1])


def test_a_variant_that_wants_a_number_says_so_in_the_book_s_place_of_a_function():
    with pytest.raises(ExerciseError, match=r"Expected: a probability\. Hint"):
        check("exr-ch3-top", 2.0, variant=1)
    with pytest.raises(ExerciseError, match=r"Expected: a function of the favourability"):
        check("exr-ch3-top", 2.0)
