"""Software descriptions: a class is a source package of Debian, its reference a long description, its test point the
synopsis of one line that stands above it.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (("debian: index of translated descriptions (Translation-en), release 12", "DFSG-free, by package"),)
_LISTS = Path(os.environ.get("CLASSEX_LISTS", "/var/lib/apt/lists"))
_MOST, _FEWEST_WORDS = 12_000, 12


def recognisers() -> dict[str, Pair]:
    """Words by rarity, their singular vectors, and strings of letters."""
    synopses, texts = _entries()
    words = rarity(synopses, texts, analyzer="word", ngrams=(1, 1))
    return {
        "words": words,
        "words, SVD": projected(words),
        "letters, SVD": projected(rarity(synopses, texts, analyzer="char_wb", ngrams=(3, 4))),
    }


def _entries() -> tuple[list[str], list[str]]:
    """Synopsis and long description of one package for each stem of a name, at random among all stems."""
    (path,) = _LISTS.glob("*dists_bookworm_main_i18n_Translation-en*")
    content = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], capture_output=True, check=True, text=True)
    found: dict[str, tuple[str, str]] = {}
    seen: set[str] = set()
    for block in content.stdout.split("\n\n"):
        fields = re.match(r"Package: (\S+)\n.*?Description-en: (.*?)\n(.*)", block, flags=re.DOTALL)
        if not fields:
            continue
        name, synopsis, text = fields.groups()
        long = re.sub(r"\s+", " ", text.replace("\n .\n", "\n"))
        stem = re.split(r"[-.\d]", re.sub(r"^(lib|python3-|golang-|node-|ruby-|r-|haskell-)", "", name))[0] or name
        if len(long.split()) >= _FEWEST_WORDS and stem not in found and long[:60] not in seen:
            seen.add(long[:60])
            found[stem] = (synopsis, long)
    chosen = [list(found.values())[i] for i in sample(len(found), _MOST)]
    return [synopsis for synopsis, _ in chosen], [text for _, text in chosen]
