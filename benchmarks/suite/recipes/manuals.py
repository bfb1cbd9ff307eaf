"""Manual pages: a class is a page on a function, a command or a file format, its reference the first half of its text
after the synopsis, its test point the second half.
"""

from __future__ import annotations

import gzip
import re

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import ROOT
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (
    ("debian: manpages 6.03, manpages-dev 6.03", "GPL-2+, BSD, Linux-man-pages-copyleft"),
    ("debian: tcl8.6-doc, tk8.6-doc, perl-doc, git-man, openssl", "TCL, Artistic or GPL-1+, GPL-2, Apache-2.0"),
)
_MOST, _FEWEST_WORDS, _WORDS = 8_000, 60, 30


def recognisers() -> dict[str, Pair]:
    """Thirty words of each half: by rarity, by singular vectors, and by strings of letters."""
    first, second = _halves()
    words = rarity(second, first, analyzer="word", ngrams=(1, 1))
    return {
        "words": words,
        "words, SVD": projected(words),
        "letters, SVD": projected(rarity(second, first, analyzer="char_wb", ngrams=(3, 4))),
    }


def _halves() -> tuple[list[str], list[str]]:
    """The first words of both halves of every page; pages that only point to another one are left out."""
    found = {}
    for path in sorted((ROOT / "usr/share/man").glob("man*/*.gz")):
        text = gzip.decompress(path.read_bytes()).decode("utf-8", errors="replace")
        body = re.split(r"\n\.SH \"?DESCRIPTION\"?", text)[-1]
        body = "\n".join(line for line in body.splitlines() if not re.match(r"[.'](\\\"|S[HS]|T[HS]|de|so|ds)", line))
        words = re.findall(r"[A-Za-z_]{2,}", re.sub(r"\\f.|^\.[A-Z]{1,2}\b", " ", body, flags=re.MULTILINE))
        if len(words) >= _FEWEST_WORDS:
            half = len(words) // 2
            found[" ".join(words[:_WORDS])] = " ".join(words[half : half + _WORDS])
    pairs = [list(found.items())[i] for i in sample(len(found), _MOST)]
    return [a for a, _ in pairs], [b for _, b in pairs]
