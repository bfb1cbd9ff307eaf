"""Definitions: 3,000 English words and a definition of each, embedded by a sentence model."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["WordDefinitions", "load_definitions"]

DESCRIPTION = """Definitions
===========
3,000 distinct words of WordNet 3.0 and a definition of each: the first ones among the senses of
`classex_book.data.load_words`, whose order is random. The question is which word a definition defines. Words and
definitions were embedded by the sentence model all-MiniLM-L6-v2, each alone, and projected on the 64 main directions of
3,000 other words and their definitions. The embedding of a word therefore does not depend on the other words. Entries
are whole numbers from -15 to 15. Two words differ only in their capital, and three words have the same definition.

In a second experiment the model read the definition and all options as one text, so that the embedding of an option
depends on the others. The right word stood at a random place among 3 or 9 random wrong words; the 3 are the first of
the 9. Option and definition were embedded by the means over their tokens, and the score was the cosine.

The licences are in DEFINITIONS-LICENSE.md beside the data.
"""


@dataclass(frozen=True)
class WordDefinitions:
    """Embeddings of words and of their definitions, and choices of the model that reads all options together.

    Attributes
    ----------
    words, definitions : ndarray of float32 of shape (3000, 64)
        Embeddings of length 1; row i of both belongs to word i.
    wins_together : dict of int to ndarray of int64 of shape (3000,)
        For 4 and for 10 options read together with a definition, the number of wrong words whose score is below that
        of the right word.
    DESCR : str
        What the data are and how they were made.

    Examples
    --------
    >>> from classex_book.data import load_definitions
    >>> data = load_definitions()
    >>> data.words.shape, sorted(data.wins_together)
    ((3000, 64), [4, 10])
    """

    words: NDArray[np.float32]
    definitions: NDArray[np.float32]
    wins_together: dict[int, NDArray[np.int64]]
    DESCR: str = field(default=DESCRIPTION, repr=False)


def load_definitions() -> WordDefinitions:
    """Load the embedded words and definitions that come with the package.

    Returns
    -------
    WordDefinitions
        Embeddings and choices.

    Notes
    -----
    Made by the script ``scripts/build_definitions.py`` from WordNet 3.0 (Fellbaum 1998) and the model all-MiniLM-L6-v2.

    Examples
    --------
    >>> from classex_book.data import load_definitions
    >>> data = load_definitions()
    >>> scores = data.definitions[:100] @ data.words[:100].T
    >>> bool((scores.argmax(axis=1) == range(100)).mean() > 0.3)
    True
    """
    with (files(__package__) / "definitions.npz").open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        words, definitions = (stored[name].astype(np.float32) for name in ("words", "definitions"))
        together = {k: stored[f"together_{k}"].astype(np.int64) for k in (4, 10)}
    for part in (words, definitions):
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return WordDefinitions(words, definitions, together)
