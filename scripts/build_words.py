"""Rebuild ``src/classex_book/data/words.tsv.xz`` from the WordNet of Debian.

    apt-get install -y --no-install-recommends wordnet-base
    python scripts/build_words.py

Every synset with a definition and a quoted example becomes one line: its number in WordNet, its lexicographer file,
its lemmas, its definition, its first example. The lines stand in the order of a hash of those numbers, a random order
that is the same everywhere and for ever.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

WORDNET = Path("/usr/share/wordnet")
TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "data" / "words.tsv.xz"
PARTS = ("noun", "verb", "adj", "adv")
# the lexicographer files by their number, from WordNet's manual page lexnames(5), which Debian's package leaves out
_FILES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition"
    " noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person"
    " noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state"
    " noun.substance noun.time verb.body verb.change verb.cognition verb.communication verb.competition"
    " verb.consumption verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession verb.social"
    " verb.stative verb.weather adj.ppl"
)
LEXICOGRAPHER_FILES = tuple(_FILES.split())
# a quotation that ends its clause: `"make strides" is ...` is part of a definition and not an example
_EXAMPLE = re.compile(r'"([^"]+)"\s*(?:;|$)')
_QUOTATION = re.compile(r'"([^"]+)"')
# where an adjective may stand: (p) predicate, (a) before its noun, (ip) after it
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
_TRIM = " ;:,"


class Synset(NamedTuple):
    """One line of the data."""

    number: str
    lexicographer_file: str
    lemmas: str
    definition: str
    example: str


def read_line(line: str) -> Synset | None:
    """Read one line of a WordNet data file (see wndb(5)); None where it lacks a definition or an example."""
    head, gloss = line.rstrip().split(" | ", 1)
    offset, file, kind, count, *rest = head.split(" ")
    lemmas = [_MARKER.sub("", lemma).replace("_", " ") for lemma in rest[: 2 * int(count, 16) : 2]]
    found = _EXAMPLE.search(gloss) or _QUOTATION.search(gloss)
    if found is None:
        return None
    definition, example = gloss[: found.start()].strip(_TRIM), found.group(1).strip(_TRIM)
    if not (definition and example):
        return None
    return Synset(offset + kind, LEXICOGRAPHER_FILES[int(file)], ", ".join(lemmas), definition, example)


def read_wordnet(folder: Path) -> Iterator[Synset]:
    """Read the synsets that become classes."""
    for part in PARTS:
        with (folder / f"data.{part}").open(encoding="ascii") as file:
            for line in file:
                # the licence stands at the top, indented
                if not line.startswith("  ") and (synset := read_line(line)):
                    yield synset


def order(synset: Synset) -> bytes:
    """Sort key: a hash of the synset's number."""
    return hashlib.sha256(synset.number.encode()).digest()


def table(synsets: list[Synset]) -> str:
    """Return the table, the same text for the same synsets."""
    return "".join("\t".join(synset) + "\n" for synset in sorted(synsets, key=order))


def main() -> None:
    """Read WordNet and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=WORDNET, help="folder with the files data.noun, ...")
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args()
    if missing := [part for part in PARTS if not (options.wordnet / f"data.{part}").exists()]:
        parser.error(f"{options.wordnet} holds no data.{missing[0]}: install wordnet-base, or name its folder")
    synsets = list(read_wordnet(options.wordnet))
    options.output.write_bytes(lzma.compress(table(synsets).encode(), preset=9 | lzma.PRESET_EXTREME))
    counts = Counter(synset.lexicographer_file.split(".")[0] for synset in synsets)
    print(f"{len(synsets)} classes {dict(counts)}, {options.output.stat().st_size / 1e6:.2f} MB: {options.output}")


if __name__ == "__main__":
    main()
