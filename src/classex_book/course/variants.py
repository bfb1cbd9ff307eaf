"""Exercises with other numbers: their texts, how the numbers are drawn, and a key worked out apart from the checkers.

The number of a variant is a seed. The text and the checker of an exercise draw its numbers from the same seed, so
that they always agree; the checker then works out the truth as it does for the numbers of the book.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from classex._validation import as_positive_int

__all__ = ["Variation", "numbers", "variation", "variation_names"]

Numbers = dict[str, Any]


@dataclass(frozen=True)
class Variation:
    """An exercise whose numbers vary.

    Attributes
    ----------
    name : str
        Label of the exercise.
    title : str
        Its title.
    text : str
        What is asked, in Markdown; names between angle quotes such as «wins» stand for its numbers.
    draw : callable
        Numbers from a generator, under the names that the checker knows.
    key : callable
        The answer for given numbers.
    expects : str
        What kind of thing the answer is, where it is another than in the book: a number, say, for a function.
    """

    name: str
    title: str
    text: str
    draw: Callable[[np.random.Generator], Numbers]
    key: Callable[..., Any]
    expects: str = ""

    def asked(self, values: Numbers) -> str:
        """Return the text with the numbers in place."""
        text = self.text
        for name, value in values.items():
            text = text.replace(f"«{name}»", _in_words(value))
        return text


def _in_words(value: Any) -> str:
    if isinstance(value, list | tuple):
        words = [_in_words(one) for one in value]
        return ", ".join(words[:-1]) + " and " + words[-1]
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _table() -> dict[str, Variation]:
    from classex_book.chapters.ch1.variations import VARIATIONS as FIRST
    from classex_book.chapters.ch2.variations import VARIATIONS as SECOND
    from classex_book.chapters.ch3.variations import VARIATIONS as THIRD
    from classex_book.chapters.ch4.variations import VARIATIONS as FOURTH
    from classex_book.chapters.ch5.variations import VARIATIONS as FIFTH
    from classex_book.chapters.ch6.variations import VARIATIONS as SIXTH

    return {one.name: one for one in (*FIRST, *SECOND, *THIRD, *FOURTH, *FIFTH, *SIXTH)}


def variation_names(chapter: str | None = None) -> tuple[str, ...]:
    """Names of the exercises whose numbers vary, of all chapters or of one.

    Examples
    --------
    >>> from classex_book.course.variants import variation_names
    >>> variation_names("ch1")[0]
    'exr-ch1-wins'
    """
    return tuple(name for name in _table() if chapter is None or name.startswith(f"exr-{chapter}-"))


def variation(name: str) -> Variation:
    """Return the exercise whose numbers vary.

    Raises
    ------
    ValueError
        If there is no such exercise, or its numbers are fixed.
    """
    table = _table()
    if name not in table:
        raise ValueError(f"name must be an exercise whose numbers vary, one of {', '.join(table)}, not {name!r}")
    return table[name]


def numbers(name: str, variant: int) -> Numbers:
    """Return the numbers of an exercise in a variant.

    Parameters
    ----------
    name : str
        Label of the exercise.
    variant : int
        Number of the variant, at least 1.

    Examples
    --------
    >>> from classex_book.course.variants import numbers
    >>> numbers("exr-ch3-power", 1) == numbers("exr-ch3-power", 1)
    True
    """
    found = variation(name)
    seed = [as_positive_int(variant, "variant"), crc32(name.encode())]
    return found.draw(np.random.default_rng(seed))
