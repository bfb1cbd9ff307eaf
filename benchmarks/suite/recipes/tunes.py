"""Folk tunes: a class is a tune, its reference the first half of its notes, its test point the second half."""

from __future__ import annotations

import re
from importlib import resources
from itertools import pairwise

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (
    (
        "pypi: music21 10.5.1 (O'Neill's Music of Ireland 1903, Ryan's Mammoth Collection 1883, Aird's Airs)",
        "BSD-3-Clause, tunes in the public domain, encoded by permission",
    ),
)
_COLLECTIONS, _FEWEST, _MOST = ("oneills1850", "ryansMammoth", "airdsAirs"), 40, 4_000
# steps above C of the lowest octave, as letters of a text: C is 0, c is 7
_SCALE = {letter: step for step, letter in enumerate("CDEFGABcdefgab")}


def recognisers() -> dict[str, Pair]:
    """Strings of two to four pitches, by rarity and by singular vectors; strings of intervals."""
    tunes = sorted(set(_tunes()))
    chosen = [tunes[i] for i in sample(len(tunes), _MOST)]
    halves = [(tune[: len(tune) // 2], tune[len(tune) // 2 :]) for tune in chosen]
    pitches = rarity(*([_text(half[i]) for half in halves] for i in (1, 0)), analyzer="char", ngrams=(2, 4))
    steps = ([_text(_differences(half[i])) for half in halves] for i in (1, 0))
    return {
        "pitches": pitches,
        "pitches, SVD": projected(pitches),
        "intervals": rarity(*steps, analyzer="char", ngrams=(2, 4)),
    }


def _tunes() -> list[tuple[int, ...]]:
    """Steps of the notes of every tune that is long enough."""
    out = []
    for collection in _COLLECTIONS:
        files = sorted((resources.files("music21") / "corpus" / collection).iterdir(), key=lambda file: file.name)
        for file in (file for file in files if file.name.endswith(".abc")):
            for tune in re.split(r"^X:", file.read_text(encoding="latin-1"), flags=re.MULTILINE)[1:]:
                notes = [line for line in tune.splitlines() if not re.match(r"[A-Za-z]:|%", line)]
                plain = re.sub(r'"[^"]*"|!.*?!|\{[^}]*\}|\[[A-Z]:[^]]*\]', "", " ".join(notes[1:]))
                found = re.findall(r"([A-Ga-g])([,']*)", plain)
                if len(found) >= _FEWEST:
                    out.append(tuple(_SCALE[note] + 7 * (up.count("'") - up.count(",")) for note, up in found))
    return out


def _differences(steps: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(b - a for a, b in pairwise(steps))


def _text(steps: tuple[int, ...]) -> str:
    """A letter for each step, from a part of Unicode without capitals."""
    return "".join(chr(0x4E40 + step) for step in steps)
