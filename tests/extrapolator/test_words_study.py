"""The study of the words: the truth that it stores, the scores it draws, the errors it reports, and going on."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import classex as cx
from benchmarks.words import __main__ as study
from classex.datasets import embed_words, load_words

N = 60


@pytest.fixture
def small(monkeypatch, tmp_path):
    """The study on the first 60 words, in a folder of its own, with two quick methods."""
    names = ("probit-normal", "KDE, normal reference")
    monkeypatch.setattr(study, "HERE", tmp_path)
    monkeypatch.setattr(study, "SIZES", (10, 20))
    monkeypatch.setattr(study, "TARGETS", (30, N))
    monkeypatch.setattr(study, "SUBSETS", 3)
    monkeypatch.setattr(study, "HEADER", "system,k1,subset,method,k2_30,k2_60,seconds")
    methods = {name: study.METHODS[name] for name in names}
    monkeypatch.setattr(study, "METHODS", methods)
    monkeypatch.setattr(study, "load_words", lambda: load_words(N))
    monkeypatch.setattr(study, "embed_words", lambda words, system: embed_words(words, system=system, n_components=16))
    return tmp_path


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("system", ["tfidf", "svd"])
def test_truth_and_scores_are_those_of_the_full_matrix(system):
    test, references = embed_words(load_words(N), system=system, n_components=16)
    a, b = (rows.toarray() if system == "tfidf" else rows for rows in (test, references))
    full = a.astype(np.float64) @ b.T.astype(np.float64)
    curve = cx.accuracy_curve(cx.correct_ranks(full, np.arange(N)))
    found = {int(k): float(accuracy) for _, k, accuracy, _, _ in study.true_curve(system, test, references)}
    assert set(found) >= {10, 20, 30, N}
    # rounding decides near-ties in double precision: at most one point either way
    assert all(abs(accuracy - curve.accuracy[k - 1]) < 1 / N for k, accuracy in found.items())
    scores = study.subset_scores(test, references, 20, 1)
    classes = np.random.default_rng([20181101, 20, 1]).choice(N, 20, replace=False)
    assert np.allclose(scores, full[np.ix_(classes, classes)], atol=1e-12)
    assert np.unique(classes).size == 20


def test_a_run_goes_on_where_it_stopped(small):
    assert study.main(["--minutes", "-1", "--jobs", "1"]) == 3
    assert not (small / "predictions.csv").exists()
    assert study.main(["--jobs", "1"]) == 0
    rows = study.read(small / "predictions.csv")
    # two systems, two sizes, three subsets, two methods
    assert len(rows) == 2 * 2 * 3 * 2
    # a lost row is made again, the same, and nothing else is
    text = (small / "predictions.csv").read_text().splitlines()
    (small / "predictions.csv").write_text("\n".join(text[:-1]) + "\n")
    assert study.main(["--jobs", "1"]) == 0
    again = study.read(small / "predictions.csv")
    assert [list(row.values())[:-1] for row in again] == [list(row.values())[:-1] for row in rows]
    results = study.read(small / "results.csv")
    assert {int(row["subsets"]) for row in results} == {3}
    assert text[0] == f"# {study.COMMAND}"


@pytest.mark.usefixtures("small")
def test_predictions_are_those_of_the_method():
    scores = np.random.default_rng(0).normal(size=(20, 20)) + 2 * np.eye(20)
    (row,) = study.predict("svd", 20, 0, ["probit-normal"], scores)
    expected = cx.Extrapolator(cx.methods.ProbitNormal()).fit(scores, np.arange(20)).predict([30, N])
    assert np.allclose([float(p) for p in row[4:6]], expected, atol=1e-6)


def test_a_method_that_finds_no_solution_is_counted(small, monkeypatch):
    def unsolved():
        raise cx.exceptions.SolverError("the fit was not solved", "infeasible")

    monkeypatch.setattr(study, "METHODS", {"probit-normal": unsolved})
    (row,) = study.predict("svd", 20, 0, ["probit-normal"], np.eye(20))
    assert row[4:6] == ["nan", "nan"]
    study.append(small / "predictions.csv", study.HEADER, [row])
    (stored,) = study.read(small / "predictions.csv")
    assert np.isnan(float(stored["k2_60"]))


@pytest.mark.usefixtures("small")
def test_errors_are_summed_up():
    values = {0: 0.5, 1: 0.3, 2: 0.1}
    rows = [
        {"system": "svd", "k1": "10", "subset": str(i), "method": "probit-normal", "k2_30": str(v), "k2_60": "0.2"}
        | {"seconds": "1"}
        for i, v in values.items()
    ]
    rows.append({**rows[0], "k2_30": "nan", "k2_60": "nan"})
    found = study.summarise(rows, {("svd", 30): 0.2, ("svd", 60): 0.1})
    first = dict(zip(next(csv.reader([study.RESULT_HEADER])), found[0], strict=True))
    # errors .3, .1, -.1: mean .1, root mean square sqrt(.11/3)
    assert (float(first["prediction"]), float(first["bias"]), first["subsets"], first["failed"]) == (0.3, 0.1, 3, 1)
    assert float(first["rmse"]) == pytest.approx(np.sqrt(0.11 / 3), abs=1e-5)
    assert float(first["standard_error"]) == pytest.approx(0.2 / np.sqrt(3), abs=1e-5)
    squares = np.array([0.09, 0.01, 0.01])
    expected = squares.std(ddof=1) / np.sqrt(3) / (2 * np.sqrt(0.11 / 3))
    assert float(first["rmse_standard_error"]) == pytest.approx(expected, abs=1e-5)
    assert float(found[1][8]) == pytest.approx(0.1)
