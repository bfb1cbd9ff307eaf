"""Answers to so many significant digits: every key passes when it is rounded so, and no number off by a unit."""

from __future__ import annotations

import numpy as np
import pytest

from classex_book.course.answers import Mismatch, rounded, same_array
from classex_book.course.exercises import ExerciseError, judge, numbers, variation, variation_names

# constructions: what they give to within 0.001 follows from favourabilities with more digits
EXACT = {"exr-ch3-apart"}


def to_digits(value, digits):
    """Counts as they are, other numbers rounded."""
    if isinstance(value, list | tuple):
        return [to_digits(one, digits) for one in value]
    return value if isinstance(value, int) else float(f"{float(value):.{digits}g}")


@pytest.mark.parametrize("name", sorted({*variation_names()} - EXACT))
@pytest.mark.parametrize("digits", [3, 4])
def test_every_key_passes_when_it_is_rounded(name, digits):
    for variant in (1, 2, 3):
        key = variation(name).key(**numbers(name, variant))
        judge(name, to_digits(key, digits), variant=variant, digits=digits)


@pytest.mark.parametrize("truth", [0.0123456, 1 / 3, 2.5, 99.96, 123456.0])
@pytest.mark.parametrize("digits", [2, 3, 5])
def test_half_a_unit_of_the_last_digit_is_allowed_and_no_more(truth, digits):
    unit = 10.0 ** (np.floor(np.log10(truth)) + 1 - digits)
    with rounded(digits):
        same_array(truth + 0.499 * unit, truth, tolerance=1e-12)
        with pytest.raises(Mismatch):
            same_array(truth + 0.51 * unit, truth, tolerance=1e-12)


def test_the_share_of_right_numbers_is_said():
    with pytest.raises(ExerciseError) as caught:
        judge("exr-ch1-wins", [3 / 5, 1 / 2, 0])
    assert caught.value.share == pytest.approx(2 / 3)
    with pytest.raises(ExerciseError, match="or at least 3 significant digits") as caught:
        judge("exr-ch1-copies", [0.75, 0.64, 0.63], digits=3)
    assert caught.value.share == pytest.approx(1 / 3)
