"""What the recipes of texts share: two bags of strings as vectors, and halves of a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.suite.recipes import Pair

DIMENSIONS = 200


def rarity(tests: Sequence[str], references: Sequence[str], *, analyzer: str, ngrams: tuple[int, int]) -> Pair:
    """TF-IDF vectors, of unit length; how rare a string is, is learnt from the references."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    weigh = TfidfVectorizer(analyzer=analyzer, ngram_range=ngrams, sublinear_tf=True, dtype=np.float32)
    taught = weigh.fit_transform(references)
    return weigh.transform(tests), taught


def projected(pair: Pair, dimensions: int = DIMENSIONS) -> Pair:
    """The same on the first singular vectors of the references, of unit length again."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    test, references = pair
    svd = TruncatedSVD(dimensions, n_iter=3, random_state=0).fit(references)
    return normalize(svd.transform(test)), normalize(svd.transform(references))


def sample(n: int, most: int) -> np.ndarray:
    """At most so many of n things, at random, in order."""
    return np.sort(np.random.default_rng(0).permutation(n)[:most])


def mapped(pair: Pair, penalty: float = 1.0) -> Pair:
    """Test vectors mapped into the space of the references, by a ridge regression on all classes."""
    test, references = pair
    weights = np.linalg.solve(test.T @ test + penalty * np.eye(test.shape[1]), test.T @ references)
    return test @ weights, references
