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


def test_a_method_that_finds_no_solution_is_counted(monkeypatch):
    class Unsolved(cx.methods.Method):
        def fit(self, *_):
            raise cx.exceptions.SolverError("the fit was not solved", "infeasible")

    monkeypatch.setattr(study, "METHODS", {"probit-normal": Unsolved()})
    monkeypatch.setattr(study, "scores", lambda *_: np.eye(20))
    assert np.isnan(study.predict("svd", 20, "probit-normal", 0)).all()


def test_errors_are_summed_up():
    values = [[0.5, 0.2, 0.2], [0.3, 0.2, 0.2], [0.1, 0.2, 0.2], [np.nan] * 3]
    first = dict(zip(study.HEADER.split(","), study.summary("svd", 10, "any", values, [0.2, 0.1, 0.1])[0], strict=True))
    # errors .3, .1, -.1: mean .1, root mean square sqrt(.11/3)
    assert (float(first["prediction"]), float(first["bias"]), first["subsets"], first["failed"]) == (0.3, 0.1, 3, 1)
    assert float(first["rmse"]) == pytest.approx(np.sqrt(0.11 / 3), abs=1e-5)
    assert float(first["standard_error"]) == pytest.approx(0.2 / np.sqrt(3), abs=1e-5)
    squares = np.array([0.09, 0.01, 0.01])
    expected = squares.std(ddof=1) / np.sqrt(3) / (2 * np.sqrt(0.11 / 3))
    assert float(first["rmse_standard_error"]) == pytest.approx(expected, abs=1e-5)
