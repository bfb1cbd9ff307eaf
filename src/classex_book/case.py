"""The case that chapters 1 to 4 follow: 500 of 32,923 senses of English words, found by their definitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

import classex as cx
from classex_book.data import Words, embed_words, load_words
from classex_book.studies import load_study

# Classes that the case observes; the data set comes in a fixed random order, so its first 500 are a random sample
N_OBSERVED = 500


@dataclass(frozen=True)
class WordsCase:
    """An experiment on 500 words, and the accuracy in the population from which they were drawn.

    Attributes
    ----------
    words : Words
        The whole population: references, examples, subjects.
    scores : ndarray of float32 of shape (500, 500)
        Cosine of each example (row) with each definition (column), by TF-IDF.
    labels : ndarray of int of shape (500,)
        The correct definition of each example.
    ranks : CorrectRanks
        How many wrong definitions each example beat.
    n_classes : ndarray of int of shape (n,)
        Numbers of classes at which the true average accuracy is stored, from 2 to 32,923.
    accuracy : ndarray of float of shape (n,)
        The true average accuracy with so many definitions: over all examples and all sets of definitions.
    """

    words: Words = field(repr=False)
    scores: NDArray[np.float32] = field(repr=False)
    labels: NDArray[np.int64] = field(repr=False)
    ranks: cx.CorrectRanks = field(repr=False)
    n_classes: NDArray[np.int64] = field(repr=False)
    accuracy: NDArray[np.float64] = field(repr=False)

    def true_accuracy(self, n_classes: int) -> float:
        """Return the true average accuracy with a stored number of classes."""
        (found,) = np.flatnonzero(self.n_classes == n_classes)
        return float(self.accuracy[found])


@cache
def words_case() -> WordsCase:
    """Run the experiment on the first 500 words (seconds, once), and read the curve of the population.

    The weights of TF-IDF come from all 32,923 definitions, so the score of an example and a definition does not depend
    on which other definitions are observed. The population's curve is the study ``benchmarks/words``.

    Returns
    -------
    WordsCase

    Examples
    --------
    >>> case = words_case()
    >>> case.words.n_classes, case.ranks.n_classes
    (32923, 500)
    >>> round(case.true_accuracy(32_923), 3)
    0.238
    """
    words = load_words()
    test, references = embed_words(words)
    labels = np.arange(N_OBSERVED)
    scores = (test[:N_OBSERVED] @ references[:N_OBSERVED].T).toarray()
    rows = [row for row in load_study("words/curves") if row["system"] == "tfidf"]
    return WordsCase(
        words,
        scores,
        labels,
        cx.correct_ranks(scores, labels),
        np.array([int(row["k"]) for row in rows]),
        np.array([float(row["accuracy"]) for row in rows]),
    )
