"""Diagnoses: a class is a code of the international classification of diseases (clinical modification of the United
States), its reference the description, its test point another term for it. Codes come in families: a disease at many
sites, of many degrees.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from importlib import resources

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (("pypi: simple-icd-10-cm 1.5.0 (ICD-10-CM of April 2026)", "MIT, data in the public domain (CDC)"),)
_MOST = 8_000


def recognisers() -> dict[str, Pair]:
    """Words by rarity; strings of letters by rarity and by singular vectors."""
    found = _entries()
    every = sorted(found)
    chosen = [every[i] for i in sample(len(every), _MOST)]
    tests = [found[text] for text in chosen]
    letters = rarity(tests, chosen, analyzer="char_wb", ngrams=(2, 4))
    return {
        "words": rarity(tests, chosen, analyzer="word", ngrams=(1, 1)),
        "letters": letters,
        "letters, SVD": projected(letters),
    }


def _entries() -> dict[str, str]:
    """First other term by description."""
    (path,) = (f for f in resources.files("simple_icd_10_cm.data").iterdir() if f.name.endswith(".xml"))
    found: dict[str, str] = {}
    for code in ElementTree.fromstring(path.read_text(encoding="utf-8")).iter("diag"):
        text, notes = code.findtext("desc") or "", code.findall("inclusionTerm/note")
        terms = [note.text for note in notes if note.text and note.text.lower() != text.lower()]
        if terms:
            found.setdefault(text, terms[0])
    return found
