"""Addresses of projects: a class is a source package of Debian, its reference the name, its test point the address of
its home page. Most addresses contain the name; the others hardly resemble it.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (("debian: index of packages, release 12 (main)", "DFSG-free, by package"),)
_LISTS = Path(os.environ.get("CLASSEX_LISTS", "/var/lib/apt/lists"))
_MOST = 10_000


def recognisers() -> dict[str, Pair]:
    """Strings of two to four letters, by rarity and by singular vectors; single letters and pairs."""
    found = _entries()
    every = sorted(found)
    chosen = [every[i] for i in sample(len(every), _MOST)]
    tests = [found[name] for name in chosen]
    letters = rarity(tests, chosen, analyzer="char_wb", ngrams=(2, 4))
    return {
        "letters": letters,
        "letters, SVD": projected(letters),
        "pairs": rarity(tests, chosen, analyzer="char", ngrams=(1, 2)),
    }


def _entries() -> dict[str, str]:
    """Address by name of the source package, each address once."""
    (path,) = _LISTS.glob("*dists_bookworm_main_binary-amd64_Packages*")
    content = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], capture_output=True, check=True, text=True)
    found: dict[str, str] = {}
    seen: set[str] = set()
    for block in content.stdout.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Source|Homepage): (\S+)", block, flags=re.MULTILINE))
        name = fields.get("Source", fields.get("Package", ""))
        address = re.sub(r"^https?://(www\.)?", "", fields.get("Homepage", "")).strip("/").lower()
        if address and name not in found and address not in seen:
            seen.add(address)
            found[name] = address
    return found
