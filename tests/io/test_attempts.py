"""Attempts in the layouts that people have: records, matrices and counts."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from classex.io import load_attempts

RECORDS = {
    "human-eval": [
        {"task_id": t, "completion": "...", "passed": p} for t, p in (("b", True), ("a", False), ("b", False))
    ],
    "inspect_ai": [
        {"id": t, "sample_id": f"{t}{e}", "epoch": e, "score": s}
        for t, e, s in (("b", 1, "C"), ("a", 1, "I"), ("b", 2, "I"))
    ],
    "swe-bench": [{"instance_id": t, "resolved": p} for t, p in (("b", True), ("a", False), ("b", False))],
    "scores": [{"problem_id": t, "score": s} for t, s in (("b", 1.0), ("a", 0.5), ("b", 0))],
    "not scored": [{"id": t, "correct": p} for t, p in (("b", 1), ("a", 0), ("b", None), ("b", 0))],
}


@pytest.mark.parametrize("name", list(RECORDS))
def test_a_record_an_attempt(name, tmp_path):
    file = tmp_path / "log.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, RECORDS[name])).encode()))
    successes, trials, groups, problems = load_attempts(file)
    np.testing.assert_array_equal(successes, [0, 1])
    np.testing.assert_array_equal(trials, [1, 2])
    assert groups is None
    assert problems.tolist() == ["a", "b"]


def test_other_columns_scores_and_groups(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("question,source,points\nq1,x,3\nq2,y,1\nq1,x,1\nq3,x,2.5\n", encoding="utf-8")
    found = load_attempts(file, task="question", outcome="points", group="source", threshold=2)
    np.testing.assert_array_equal(found.successes, [1, 0, 1])
    np.testing.assert_array_equal(found.trials, [2, 1, 1])
    assert found.groups.tolist() == ["x", "y", "x"]
    file.write_text("task_id,source,passed\n1,x,true\n1,y,false\n", encoding="utf-8")
    with pytest.raises(ValueError, match="every problem must belong to one group, but '1' belongs to two"):
        load_attempts(file, group="source")


MATRIX = np.array([[1.0, 0, 1, np.nan], [0, 0, 0, 0]])


@pytest.mark.parametrize("text", ["problem,a,b,c,d\nx,1,0,1,\ny,0,0,0,0\n", "a,b,c,d\ntrue,false,TRUE,\n0,0,0,0\n"])
def test_a_matrix_of_outcomes(text, tmp_path):
    (tmp_path / "matrix.csv").write_text(text, encoding="utf-8")
    np.savez(tmp_path / "matrix.npz", passed=MATRIX, team=["u", "v"])
    for name in ("matrix.csv", "matrix.npz"):
        found = load_attempts(tmp_path / name)
        np.testing.assert_array_equal(found.successes, [2, 0])
        np.testing.assert_array_equal(found.trials, [3, 4])
    assert load_attempts(tmp_path / "matrix.npz", group="team").groups.tolist() == ["u", "v"]


def test_counts_with_groups(tmp_path):
    (tmp_path / "counts.csv").write_text("repo,successes,trials\nu,1,9\nv,0,8\n", encoding="utf-8")
    np.savez(tmp_path / "counts.npz", successes=[1, 0], trials=[9, 8], repo=["u", "v"])
    for name in ("counts.csv", "counts.npz"):
        found = load_attempts(tmp_path / name, group="repo")
        assert [column.tolist() for column in found[:3]] == [[1, 0], [9, 8], ["u", "v"]]
