"""Dictionary senses: a class is a sense, its reference the definition, its test point the definition's other half.

Both are character n-grams, weighted by their rarity among all references, or projected on their singular vectors.
"""

from __future__ import annotations

import numpy as np

from benchmarks.suite.recipes import Pair
from classex_book.data import embed_words, load_words

SOURCES = (("classex: words.tsv.xz (WordNet)", "WordNet license"),)


def recognisers() -> dict[str, Pair]:
    """TF-IDF and its singular vectors."""
    words = load_words()
    return {
        "TF-IDF": embed_words(words, system="tfidf"),
        "SVD": tuple(np.asarray(part) for part in embed_words(words, system="svd")),
    }
