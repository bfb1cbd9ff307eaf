"""One recogniser, measured on classes that its features were learnt from, and on others.

Run ``python -m benchmarks.familiar_classes``. Singular vectors are learnt
from the references of k1 random words and then stay. The accuracy among K of the words that they were not learnt
from is known. It is extrapolated twice from k1 words, by the default: from those whose references taught the features
(``familiar``), and from as many others (``new``). ``warned`` says whether the fit missed the observed accuracy by more
than three standard errors.
"""

from __future__ import annotations

from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks import study
from classex import CorrectRanks
from classex_book.data import load_words

TABLE = study.STORED / "familiar_classes" / "curves.csv"
COMMAND = "python -m benchmarks.familiar_classes"
SEED, COMPONENTS, DRAWS = 20261121, 256, 40
OBSERVED = (500, 2_000)
SIZES = (500, 1_000, 2_000, 5_000, 10_000)  # and all words that taught nothing
HEADER = "k1,draw,measured_on,K,observed,warned,truth,prediction,low,high"


@cache
def counts() -> tuple[Any, Any]:
    """Counts of strings of three to five letters in the tests and the references."""
    from sklearn.feature_extraction.text import CountVectorizer

    words = load_words()
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5), dtype=np.float32)
    references = vectorizer.fit_transform(words.references)
    return vectorizer.transform(words.tests).tocsr(), references.tocsr()


def learnt(classes: NDArray[np.int64], source: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """Test and reference vectors of some classes; weights and singular vectors come from the references of a source.

    Strings weigh by their rarity among these references; strings in none of them are not seen.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import normalize

    taught = counts()[1][source]
    seen = np.unique(taught.indices)
    weigh = TfidfTransformer().fit(taught[:, seen])
    components = min(COMPONENTS, len(source) // 2)
    svd = TruncatedSVD(components, n_iter=2, random_state=0).fit(weigh.transform(taught[:, seen]))
    return [normalize(svd.transform(weigh.transform(part[classes][:, seen]))).astype(np.float64) for part in counts()]


def one(k1: int, draw: int) -> list[list[object]]:
    """Learn, measure and extrapolate once; one row for each kind of words and number of classes."""
    n_classes = counts()[0].shape[0]
    order = np.random.default_rng([SEED, k1, draw]).permutation(n_classes)
    # features are learnt once, and serve for all words
    test, references = learnt(order, order[:k1])

    def among(words: slice) -> CorrectRanks:
        labels = np.arange(len(test[words]))
        return cx.correct_ranks_from_embeddings(test[words], references[words], labels, metric="inner_product")

    sizes = np.array([k for k in (*SIZES, n_classes - k1) if k >= k1])
    truth = cx.accuracy_curve(among(slice(k1, None)), sizes, standard_errors=False).accuracy
    rows: list[list[object]] = []
    for name, words in (("familiar", slice(k1)), ("new", slice(k1, 2 * k1))):
        ranks = among(words)
        observed = cx.accuracy_curve(ranks, k1, standard_errors=False).accuracy[0]
        fitted = cx.Extrapolator().fit_ranks(ranks)
        found = zip(sizes, truth, fitted.predict(sizes), fitted.predict_interval(sizes), strict=True)
        seen = f"{observed:.4f}", int(fitted.lack_of_fit_.refuted)
        rows += [[k1, draw, name, k, *seen, *(f"{x:.5f}" for x in (t, p, *ends))] for k, t, p, ends in found]
    return rows


def main() -> None:
    """Run every draw and write the table."""
    options = study.parser(COMMAND, __doc__).parse_args()
    found = study.run(one, product(OBSERVED, range(DRAWS)), "familiar_classes", options.jobs)
    study.write(TABLE, COMMAND, HEADER, chain.from_iterable(found))


if __name__ == "__main__":
    main()
