"""Chemical compounds: a class is a compound, its reference the systematic name or the structure, its test point another
name or the systematic name. Isomers and homologues differ by a digit or a syllable.
"""

from __future__ import annotations

import re
from importlib import resources

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import mapped, projected, rarity, sample

SOURCES = (("pypi: chemicals 1.5.2 (names and structures from PubChem)", "MIT, data in the public domain"),)
_MOST = 10_000


def recognisers() -> dict[str, Pair]:
    """Names by strings of letters and their singular vectors; structures predicted from names by a ridge regression."""
    entries = list(_entries().values())
    systematic, others, structures = zip(*[entries[i] for i in sample(len(entries), _MOST)], strict=True)
    letters = rarity(others, systematic, analyzer="char_wb", ngrams=(2, 4))
    own = rarity(systematic, systematic, analyzer="char_wb", ngrams=(2, 4))
    drawn = rarity(structures, structures, analyzer="char", ngrams=(1, 3))
    return {
        "names": letters,
        "names, SVD": projected(letters),
        "structures": mapped((projected(own)[1], projected(drawn)[1])),
    }


def _entries() -> dict[str, tuple[str, str, str]]:
    """Systematic name, the first name that differs in its letters, and structure, by structure."""
    found: dict[str, tuple[str, str, str]] = {}
    table = resources.files("chemicals") / "Identifiers" / "chemical identifiers pubchem large.tsv"
    for line in table.read_text(encoding="utf-8").splitlines():
        _, _, _, _, structure, _, _, systematic, *others = line.split("\t")
        names = [
            name for name in others if len(re.findall("[a-z]{4}", name)) and _letters(name) != _letters(systematic)
        ]
        if names and systematic:
            found.setdefault(structure, (systematic, names[0], structure))
    return found


def _letters(name: str) -> str:
    return "".join(sorted(re.findall("[a-z]+", name)))
