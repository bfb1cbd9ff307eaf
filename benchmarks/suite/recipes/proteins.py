"""Proteins: a class is a protein of a bacterium, its reference the first half of its sequence, its test point the
second half; or reference and test point are proteins of one name in two genera.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import ROOT
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (("debian: prokka 1.14.6 (proteins of Escherichia, Enterococcus and Staphylococcus)", "GPL-3+"),)
_FEWEST, _MOST = 160, 8_000


def recognisers() -> dict[str, Pair]:
    """Halves by single amino acids and pairs, and on singular vectors; proteins in two genera by strings of three."""
    genera = {genus: dict(_proteins(genus)) for genus in ("Escherichia", "Enterococcus", "Staphylococcus")}
    long = sorted({sequence for genus in genera.values() for sequence in genus.values() if len(sequence) >= _FEWEST})
    chosen = [long[i] for i in sample(len(long), _MOST)]
    second, first = ([s[len(s) // 2 :] for s in chosen], [s[: len(s) // 2] for s in chosen])
    halves = rarity(second, first, analyzer="char", ngrams=(1, 2))
    here, there = genera["Staphylococcus"], genera["Enterococcus"]
    common = sorted(here.keys() & there.keys())
    tests, references = ([of[name] for name in common] for of in (there, here))
    return {
        "halves": halves,
        "halves, SVD": projected(halves),
        "genera": rarity(tests, references, analyzer="char", ngrams=(3, 3)),
    }


def _proteins(genus: str) -> Iterator[tuple[str, str]]:
    """Name of the product and sequence; of products with the same name, the last."""
    text = (ROOT / "usr/share/prokka/db/genus" / genus).read_text(encoding="utf-8")
    for entry in text.split(">")[1:]:
        head, *lines = entry.splitlines()
        product = re.split("~~~", head)[-1]
        if "hypothetical" not in product and "uncharacterized" not in product.lower():
            yield product, "".join(lines)
