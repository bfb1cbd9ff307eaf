"""Names of things: a class is a thing, its reference the English name, its test points names in four languages."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.recipes import Pair
from classex.datasets import load_names

SOURCES = (("classex: names of things, from the Debian package iso-codes", "LGPL-2.1-or-later"),)
_EACH = 4


def recognisers() -> dict[str, Pair]:
    """TF-IDF, and hashed counts of n-grams on their singular vectors."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
    from sklearn.preprocessing import normalize

    data = load_names()
    index = np.arange(len(data.names)) - np.searchsorted(data.labels, data.labels)
    tests, references = [data.names[i] for i in np.flatnonzero(index < _EACH)], list(data.references)
    rarity = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3)).fit(references)
    hashing = HashingVectorizer(analyzer="char_wb", ngram_range=(1, 4), n_features=2**14, alternate_sign=False)
    hashed = [hashing.transform(texts).sqrt() for texts in (tests, references)]
    svd = TruncatedSVD(128, n_iter=3, random_state=0).fit(hashed[1])
    projected = [normalize(svd.transform(part)) for part in hashed]
    return {
        "TF-IDF": (rarity.transform(tests), rarity.transform(references)),
        "hashed SVD": (projected[0], projected[1]),
    }
