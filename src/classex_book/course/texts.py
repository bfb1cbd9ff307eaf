"""What the chapters' TOML files say, with numbers filled in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

Numbers = dict[str, Any]  # of an exercise or a question, by name
Variations = Mapping[str, tuple[Callable[[np.random.Generator], Numbers], Callable[..., Any]]]  # draw, and key

CHAPTERS = tuple(f"ch{number}" for number in range(1, 7))
LABS = "labs"  # the folder of the tasks of the labs, which have neither variants nor a quiz
# the page of a chapter's exercises; those of the labs stand on the page of their lab
PAGES = {chapter: f"0{chapter[2:]}d_exercises" for chapter in CHAPTERS} | {"ch3": "03g_exercises"}
# exercises that are answered by a proof, which no checker reads
PROOFS = (
    *("exr-ch1-decreasing", "exr-ch1-curve-knows", "exr-ch2-families"),
    *("exr-ch2-monotone", "exr-ch3-roots", "exr-ch3-determined"),
    *("exr-ch4-closed", "exr-ch4-post-processing", "exr-ch4-inverse", "exr-ch4-curve"),
    *("exr-ch5-redundancy", "exr-ch5-two", "exr-ch6-entropy", "exr-ch6-pooling"),
)
_NUMBER = re.compile(r"«(\w+)(?::([^»]*))?»")


@cache
def read_chapter(chapter: str, part: str) -> dict[str, Any]:
    """Read ``exercises`` or ``quiz`` of a chapter: a table for each exercise or question, in their order."""
    return tomllib.loads((files("classex_book.chapters") / chapter / f"{part}.toml").read_text(encoding="utf-8"))


def fill(text: str, numbers: Mapping[str, Any]) -> str:
    """Return the text on one line, with numbers for their names: ``«k»``, or ``«accuracy:.3f»`` with a format.

    Examples
    --------
    >>> from classex_book.course.texts import fill
    >>> fill(
    ...     "«k» classes, sizes «sizes»: «a:.2f»",
    ...     {"k": 1000, "sizes": [2, 3, 4], "a": 0.5},
    ... )
    '1,000 classes, sizes 2, 3 and 4: 0.50'
    """
    line = " ".join(text.split())
    return _NUMBER.sub(lambda found: _written(numbers[found[1]], found[2]), line)


def _written(value: Any, form: str | None) -> str:
    if form is not None:
        return format(value, form)
    if isinstance(value, list | tuple):
        words = [_written(one, None) for one in value]
        return ", ".join(words[:-1]) + " and " + words[-1]
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:g}"
