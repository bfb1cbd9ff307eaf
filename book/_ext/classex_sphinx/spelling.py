"""The search finds words in either spelling: "favorability" leads to favourability.

The index holds word stems of the pages, which are spelt the British way. Every other spelling listed here becomes a
further entry for the same pages.
"""

from __future__ import annotations

import json
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

_WORDS = """
favourability favourable discriminability recogniser recognise recognition generalisation generalise generalises
randomisation randomise randomised colour behaviour centre centred neighbour neighbours neighbourhood labelled
modelling modelled maximise maximises minimise minimises optimise optimisation normalise normalised normalisation
regularise regularisation standardise standardised parametrise summarise analyse visualise calibre fulfil
initialise memorise penalise penalised characterise equalise idealised quantised sceptical whilst tumour licence
"""
_ENDINGS = (
    ("our", "or"), ("isation", "ization"), ("ise", "ize"), ("yse", "yze"), ("tred", "tered"), ("tre", "ter"),
    ("elled", "eled"), ("elling", "eling"), ("licence", "license"), ("fulfil", "fulfill"), ("sceptical", "skeptical"),
)  # fmt: skip


def american(word: str) -> str:
    """The other spelling of a word."""
    for british, other in _ENDINGS:
        if british in word:
            return word.replace(british, other)
    return word


def add_spellings(index: dict[str, object]) -> dict[str, object]:
    """The search index with the other spellings among its words."""
    stem = SearchEnglish({}).stem
    for part in ("terms", "titleterms"):
        words: dict[str, int | list[int]] = index[part]  # type: ignore[assignment]
        for british in _WORDS.split():
            old, new = stem(british), stem(american(british))
            if new != old and old in words:
                pages = {page for word in (old, new) for page in _pages(words.get(word, []))}
                words[new] = sorted(pages)
        index[part] = dict(sorted(words.items()))
    return index


def _pages(entry: int | list[int]) -> list[int]:
    return entry if isinstance(entry, list) else [entry]


def rewrite_index(app: Sphinx, exception: Exception | None) -> None:
    """Add the spellings to the finished book."""
    path = Path(app.outdir) / "searchindex.js"
    if exception is not None or app.builder.format != "html" or not path.is_file():
        return
    head, tail = "Search.setIndex(", ")"
    text = path.read_text(encoding="utf-8")
    index = json.loads(text.removeprefix(head).removesuffix(tail))
    path.write_text(head + json.dumps(add_spellings(index), separators=(",", ":")) + tail, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("build-finished", rewrite_index, priority=900)
