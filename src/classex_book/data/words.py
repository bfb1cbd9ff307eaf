"""Words: 32,923 senses of English words, each with a definition to know it by and a sentence to test it with."""

from __future__ import annotations

import lzma
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_positive_int, one_of
from classex._optional import needed_for

__all__ = ["WORD_SYSTEMS", "Words", "embed_words", "load_words"]

WORD_SYSTEMS = ("tfidf", "svd")

DESCRIPTION = """Words
=====
32,923 classes: every synset (a sense, with the words that express it) of WordNet 3.0 that has a definition and a
quoted example. The reference of a class is its lemmas and its definition; its one test text is the first example that
WordNet quotes. The task: whose example is this?

Each class carries its lexicographer file, the subject under which WordNet's authors filed it ("noun.animal",
"verb.motion"), and with it its part of speech. The classes come in a fixed random order, so that the first 100 are a
random sample of the first 2,000, and those of all.

WordNet 3.0 is copyright 2006 by Princeton University; its licence is in WORDNET-LICENSE.md beside the data.
"""


@dataclass(frozen=True)
class Words:
    """Senses of English words: a reference text and a test text for each class.

    Attributes
    ----------
    references : tuple of str
        What is known of each class: its lemmas, a colon, its definition.
    tests : tuple of str
        The test text of each class: an example of its use.
    lemmas : tuple of str
        The words of each class, separated by commas.
    numbers : tuple of str
        Number of each synset in WordNet 3.0: its offset in the data file, and a letter for its kind (n, v, a, s, r).
    lexicographer_files : ndarray of str of shape (n_classes,)
        Name of the lexicographer file of each class, of 45: a grouping of the classes by subject.
    DESCR : str
        What the data are and how they were made.

    Examples
    --------
    >>> from classex_book.data import load_words
    >>> words = load_words(100)
    >>> words.lemmas[4], words.numbers[4]
    ('hindsight', '05807147n')
    >>> len(words.references) == len(words.tests) == 100
    True
    """

    references: tuple[str, ...]
    tests: tuple[str, ...]
    lemmas: tuple[str, ...]
    numbers: tuple[str, ...]
    lexicographer_files: NDArray[np.str_]
    DESCR: str = field(default=DESCRIPTION, repr=False)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.references)


def load_words(n_classes: int | None = None) -> Words:
    """Load the senses of English words of the course.

    Parameters
    ----------
    n_classes : int, optional
        Number of classes, from 2 to 32,923; all by default. The classes are in a fixed random order and the first
        `n_classes` are taken, so smaller sets are nested in larger ones.

    Returns
    -------
    Words
        Texts and groups; class c has reference text ``references[c]`` and test text ``tests[c]``.

    Raises
    ------
    TypeError, ValueError
        If `n_classes` is not one of the accepted values.

    Notes
    -----
    Source: WordNet 3.0 (Fellbaum 1998), by the script ``scripts/build_words.py``.

    Examples
    --------
    >>> words = load_words(1_000)
    >>> words.references[4]
    'hindsight: understanding the nature of an event after it has happened'
    >>> words.tests[4], str(words.lexicographer_files[4])
    ('hindsight is always better than foresight', 'noun.cognition')
    """
    stored = (files("classex_book.data") / "words.tsv.xz").read_bytes()
    lines = lzma.decompress(stored).decode().splitlines()
    total = len(lines)
    count = total if n_classes is None else as_positive_int(n_classes, "n_classes", minimum=2, maximum=total)
    number, group, lemmas, definition, example = zip(*(line.split("\t") for line in lines[:count]), strict=True)
    references = tuple(f"{words}: {meaning}" for words, meaning in zip(lemmas, definition, strict=True))
    return Words(references, example, lemmas, number, np.array(group))


def embed_words(words: Words, *, system: str = "tfidf", n_components: int = 256) -> tuple[Any, Any]:
    r"""Embed the test and the reference texts; the inner product of two rows is the cosine of the two texts.

    System ``"tfidf"`` counts the strings of three to five letters within words (the blank at either end of a word
    counts as a letter), and weighs string s by its rarity among the references,

    .. math:: 1 + \log \frac{1 + n}{1 + n_s},

    with n references, of which :math:`n_s` hold s. System ``"svd"`` projects these vectors on the first singular
    vectors of the matrix of references (latent semantic analysis) and does worse with few dimensions. Rows are
    scaled to length 1. Both systems are fitted to the references only, so the test texts stay unseen.

    Parameters
    ----------
    words : Words
        The texts, with n classes.
    system : {"tfidf", "svd"}
        Which embedding.
    n_components : int
        Number of dimensions of ``"svd"``, at most n.

    Returns
    -------
    test, references : scipy.sparse.csr_array or ndarray of float32, both of shape (n, n_features)
        Row c belongs to class c: sparse for ``"tfidf"``, dense with `n_components` columns for ``"svd"``. A test text
        that shares no string with any reference gives a row of zeros.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Notes
    -----
    The singular vectors come from a randomised algorithm with two power iterations and a fixed seed: the same at
    every call on one machine, close to the exact ones but not equal. Source: Deerwester et al. (1990).

    Examples
    --------
    >>> import classex as cx
    >>> words = load_words(500)
    >>> test, references = embed_words(words)
    >>> ranks = cx.correct_ranks_from_embeddings(
    ...     test, references, range(500), metric="inner_product"
    ... )
    >>> bool(cx.accuracy_curve(ranks, 500).accuracy[0] > 0.5)
    True
    """
    from scipy import sparse

    with needed_for("embed_words"):
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.preprocessing import normalize

    chosen = one_of(system, "system", WORD_SYSTEMS)
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), dtype=np.float32)
    references = vectorizer.fit_transform(words.references)
    test = vectorizer.transform(words.tests)
    if chosen == "tfidf":
        return sparse.csr_array(test), sparse.csr_array(references)
    most = min(references.shape)
    svd = TruncatedSVD(as_positive_int(n_components, "n_components", maximum=most), n_iter=2, random_state=0)
    projected = svd.fit_transform(references)
    return normalize(svd.transform(test)), normalize(projected)
