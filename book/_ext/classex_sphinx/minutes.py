"""The minutes of a page, by one rule from its source: words, formulas, proofs, visible code; exercises count apart.

A page states them once, in the line that begins with ``**Time.**``. ``tools/page_minutes.py`` writes these lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .exercises import stated_minutes

# Minutes for each: the least-squares fit to tests/book/honest_minutes.csv, rounded to what a reader can remember.
# There figures added nothing to the words of their captions.
RATES = {"words": 1 / 90, "symbols": 1 / 6, "formulas": 1 / 2, "proofs": 1.0, "cells": 1 / 2}
LONGEST = 45  # minutes for a page without its exercises
LINE = re.compile(r"^\*\*Time\.\*\* .*$", re.MULTILINE)

_FENCE = re.compile(r"^ {0,3}(`{3,}|:{3,}|~{3,})(.*)$")
_SILENT = ("{raw}", "{eval-rst}", "{bibliography}")
_FOLDED = re.compile(r"(hide|remove)-(input|cell)")
_IMPORTS = re.compile(r"(?:(?:import |from |[ )]|:tags:).*\n|\n)*```\s*")
_SYMBOLS = re.compile(r"\$[^$]+\$")
_PLAIN = re.compile(r"\{[\w:]+\}`[^`]*`|`[^`]*`|\$[^$]*\$")


@dataclass
class Effort:
    """What a page asks of its reader: counts by kind, exercises, and their minutes."""

    words: int = 0
    symbols: int = 0
    formulas: int = 0
    proofs: int = 0
    cells: int = 0
    exercises: int = 0
    exercise_minutes: int = 0

    @property
    def exact(self) -> float:
        """Minutes to read, before they are rounded."""
        return sum(rate * getattr(self, kind) for kind, rate in RATES.items())

    @property
    def minutes(self) -> int:
        """Minutes to read, in steps of five."""
        return max(5, 5 * round(self.exact / 5))

    @property
    def said(self) -> str:
        """The sentence of the page."""
        if not self.exercises:
            return f"{self.minutes} minutes."
        working = f"about {_clock(self.exercise_minutes)} for the {_counted(self.exercises)}"
        return f"{self.minutes} minutes to read, and {working}."


def _counted(exercises: int) -> str:
    return f"{exercises} exercises" if exercises > 1 else "exercise"


def _clock(minutes: int) -> str:
    return f"{minutes} minutes" if minutes < 90 else f"{round(minutes / 30) / 2:g} hours"


def effort(source: str) -> Effort:
    """Count what a page asks of its reader, from its MyST source.

    Imports, folded code, and what stands in an exercise or a solution do not count; exercises state their own minutes.
    """
    found, lines, aside = Effort(), _body(source).split("\n"), False
    number = 0
    while number < len(lines):
        line, number = lines[number], number + 1
        fence = _FENCE.match(line)
        name = fence[2].strip() if fence else ""
        if line.strip().startswith("$$") or name.startswith("{math}"):
            end = number if line.count("$$") > 1 else _closed(lines, number, fence[1] if fence else "$$")
            found.formulas += not aside
        elif fence and name and name.startswith(("{code-cell}", *_SILENT, *"abcdefghijklmnopqrstuvwxyz")):
            end = _closed(lines, number, fence[1])
            inside = "\n".join(lines[number:end])
            is_code = not name.startswith(_SILENT) and not _FOLDED.search(inside) and not _IMPORTS.fullmatch(inside)
            found.cells += is_code and not aside
            found.words += sum(map(_words, re.findall(r"caption: \"(.*?)\"\}", inside)))
        elif fence:
            end = _closed(lines, number, fence[1]) if name.startswith("{exercise-start}") else number
            if end > number:
                options = dict(re.findall(r":(\w+): (.+)", "\n".join(lines[number:end])))
                found.exercises += 1
                found.exercise_minutes += stated_minutes(options.get("label", ""), options.get("class", "").split())
            if re.match(r"\{(exercise|solution)-(start|end)\}", name):
                aside = "-start" in name
            found.proofs += name.startswith("{prf:proof}") and not aside
            found.words += 0 if aside else _words(name.partition("}")[2])
        else:
            end = number
            found.words += 0 if aside else _words(line)
            found.symbols += 0 if aside else len(_SYMBOLS.findall(line))
        number = end
    return found


def _body(source: str) -> str:
    """The source without its front matter."""
    return source.split("\n---\n", 1)[1] if source.startswith("---\n") else source


def _closed(lines: list[str], start: int, fence: str) -> int:
    """Number of the line behind the one that closes a block."""
    return next((n + 1 for n in range(start, len(lines)) if lines[n].strip().startswith(fence)), len(lines))


def _words(line: str) -> int:
    if re.match(r"\s*(:[\w-]+:|%|\([\w:.-]+\)=|\|[\s:|-]+\|$)", line):
        return 0  # an option, a comment, a label, the rule under a table's head
    return len(re.findall(r"[^\W_][\w’'–.,-]*", _PLAIN.sub(" x ", line)))


def with_line(source: str) -> str:
    """The source with the line that the rule gives, if it has one."""
    return LINE.sub(f"**Time.** {effort(source).said}", source, count=1)
