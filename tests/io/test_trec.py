"""Judgements and runs in the formats of TREC, and the command that reads them."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.fields.retrieval import relevant_ranks
from classex.io import load_trec

RUN = "# a run\nq1 Q0 d7 1 0.9 bm25\nq1\tQ0\td2\t2\t-4e-1\tbm25\n\nq2 Q0 d7 1 3 bm25\r\n"


def test_both_forms_packed_or_not(tmp_path):
    run, packed, qrels = tmp_path / "run", tmp_path / "run.gz", tmp_path / "qrels"
    run.write_text(RUN, encoding="utf-8")
    packed.write_bytes(gzip.compress(RUN.encode()))
    qrels.write_text("q1 0 d2 2\nq1 0 d9 -1\n", encoding="utf-8")
    assert load_trec(run) == load_trec(str(packed)) == {"q1": {"d7": 0.9, "d2": -0.4}, "q2": {"d7": 3.0}}
    assert load_trec(qrels) == {"q1": {"d2": 2.0, "d9": -1.0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 d2\n", "none of the formats of run and qrels; its columns are q1, 0, d2: lines must read"),
        ("q1 0 d2 1\nq1 0 d3\n", "line 2 must read"),
        ("q1 0 d2 1\nq1 Q0 d3 1 0.4 x\n", "line 2 must read"),
        ("q1 0 d2 high\n", "lines must read"),
        ("q1 Q0 d2 1 top x\n", "lines must read"),
        ("q1 0 d2 1\n\nq1 0 d2 0\n", "line 3: query 'q1' has document 'd2' twice"),
    ],
)
def test_faulty_lines(tmp_path, text, message):
    file = tmp_path / "file"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as error:
        load_trec(file)
    assert str(file) in str(error.value)


@pytest.fixture
def search(tmp_path):
    """A run of 40 queries, the best 300 of 1,000 documents, and its judgements."""
    rng = np.random.default_rng(0)
    lines, judged = [], []
    for q in range(40):
        scores = rng.normal(size=1000)
        scores[: 1 + q % 3] += 2.5
        judged += [f"q{q} 0 d{d} {1 + d}" for d in range(1 + q % 3)]
        lines += [f"q{q} Q0 d{d} {n} {scores[d]} x" for n, d in enumerate(np.argsort(-scores)[:300], start=1)]
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("\n".join(lines), encoding="utf-8")
    qrels.write_text("\n".join(judged), encoding="utf-8")
    return run, qrels


def test_the_command_prints_the_library(search, capsys):
    run, qrels = map(str, search)
    ranks = relevant_ranks(load_trec(run), load_trec(qrels), n_items=1000)
    expected = cx.extrapolate_retrieval(ranks, [1000, 50_000], metric="recall@10")
    call = ["extrapolate", run, "--qrels", qrels, "--corpus", "1000", "--to", "1000", "50000", "--metric", "recall@10"]
    assert main(call) == 0
    assert capsys.readouterr().out == f"{expected}\n"
    assert main([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == expected.accuracy.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "map"], "--qrels goes with --corpus"),
        (["--metric", "map", "--corpus", "1000", "--confidence-level", "0.9"], "level 0.95"),
        (["--corpus", "1000"], "--metric, such as recall@10"),
    ],
)
def test_one_line_about_anything_wrong(search, capsys, options, message):
    run, qrels = map(str, search)
    assert main(["extrapolate", run, "--qrels", qrels, "--to", "5000", *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
