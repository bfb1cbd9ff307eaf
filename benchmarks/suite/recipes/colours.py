"""Names of colours: a class is a name, its reference the colour, its test point the name, from which a ridge regression
predicts the colour. Names are often fanciful.
"""

from __future__ import annotations

import json

import numpy as np

from benchmarks.suite.recipes import Pair, euclidean
from benchmarks.suite.recipes.images import ROOT
from benchmarks.suite.recipes.texts import mapped, projected, rarity, sample

SOURCES = (("npm: color-name-list 14.29.0", "MIT"),)
_MOST = 8_000


def recognisers() -> dict[str, Pair]:
    """Red, green and blue predicted from strings of letters and from words."""
    path = ROOT / "node_modules/color-name-list/dist/colornames.json"
    listed = json.loads(path.read_text(encoding="utf-8"))
    chosen = [listed[i] for i in sample(len(listed), _MOST)]
    names = [entry["name"] for entry in chosen]
    colours = np.array([[int(entry["hex"][i : i + 2], 16) / 255 for i in (1, 3, 5)] for entry in chosen])
    centred = colours - colours.mean(axis=0)
    found = {}
    for name, analyzer, ngrams in (("letters", "char_wb", (2, 4)), ("words", "word", (1, 1))):
        vectors = rarity(names, names, analyzer=analyzer, ngrams=ngrams)
        found[name] = euclidean(*mapped((projected(vectors, 500)[1], centred)))
    return found
