"""The study of the words: the truth that it stores, the scores it draws, and the errors it reports."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from benchmarks.words import __main__ as study
from classex_book.data import embed_words, load_words

N = 60


@pytest.mark.parametrize("system", ["tfidf", "svd"])
def test_truth_and_scores_are_those_of_the_full_matrix(system, monkeypatch):
    test, references = embed_words(load_words(N), system=system, n_components=16)
    monkeypatch.setattr(study, "embedded", lambda _: (test, references))
    a, b = (rows.toarray() if system == "tfidf" else rows for rows in (test, references))
    full = a.astype(np.float64) @ b.T.astype(np.float64)
    curve = cx.accuracy_curve(cx.correct_ranks(full, np.arange(N)))
    found = {int(k): float(accuracy) for _, k, accuracy, _, _ in study.true_curve(system)}
    assert set(found) >= {10, N}
    # rounding decides near-ties in double precision: at most one point either way
    assert all(abs(accuracy - curve.accuracy[k - 1]) < 1 / N for k, accuracy in found.items())
    classes = np.random.default_rng([20181101, 20, 1]).choice(N, 20, replace=False)
    np.testing.assert_allclose(study.scores(system, 20, 1), full[np.ix_(classes, classes)], atol=1e-12)
