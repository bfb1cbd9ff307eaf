"""Large files: memory that hardly grows, and limits where a rule begins and ends."""

from __future__ import annotations

import json
import tracemalloc
import warnings

import numpy as np
import pytest

import classex as cx
from classex.io import load_attempts, load_scores, load_trec


def log(folder, n, name="log.jsonl"):
    """A log of n attempts at 100 problems."""
    path, text = folder / name, "x" * 200
    with path.open("w", encoding="utf-8") as lines:
        for i in range(n):
            row = {"task_id": f"t{i % 100}", "trial": i // 100, "passed": i % 3 == 0, "text": text}
            lines.write(json.dumps(row) + "\n")
    return path


def peak(path):
    tracemalloc.start()
    try:
        found = load_attempts(path)
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_for_a_record_is_a_few_numbers(tmp_path):
    """Records of 250 bytes take 40 or fewer: two numbers each, and as much again while they are sorted."""
    load_attempts(log(tmp_path, 100))
    (_, small), (found, large) = (peak(log(tmp_path, n)) for n in (5_000, 45_000))
    assert (large - small) / 40_000 < 40
    assert (found.trials.sum(), found.successes.sum()) == (45_000, 15_000)


def warned(call, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(("more", "problems", "said"), [(2, 8, True), (3, 10, False), (2, 10, True)])
def test_up_to_a_quarter_of_problems_with_other_numbers_draw_a_warning(more, problems, said, tmp_path):
    rows = [{"task_id": t, "passed": False} for t in range(problems) for _ in range(3 + (t < more))]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert bool(warned(load_attempts, path)) == said


@pytest.mark.parametrize(("copies", "rows", "said"), [(2, 8, True), (3, 10, False), (2, 10, True)])
def test_up_to_a_quarter_of_rows_that_are_copies_draw_a_warning(copies, rows, said, tmp_path):
    scores = np.random.default_rng(0).normal(size=(rows, 3)).round(3)
    scores[rows - copies :] = scores[0]
    labels = ["abc"[i % 3] if i < rows - copies else "a" for i in range(rows)]
    path = tmp_path / "a.csv"
    lines = (f"{label},{','.join(map(str, row))}" for label, row in zip(labels, scores.tolist(), strict=True))
    path.write_text("\n".join(["label,a,b,c", *lines]), encoding="utf-8")
    found = warned(load_scores, path)
    assert bool(found) == said
    if said:
        where = f"such as line {rows - copies + 2} of line 2: each counts"
        assert found == [f"{path}: {copies} of {rows} rows are copies of others, {where}"]


@pytest.mark.parametrize(("rows", "said"), [(4, False), (5, True)])
def test_a_sum_in_a_matrix_of_outcomes_needs_five_problems(rows, said, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,any\n" + "1,0,1\n0,1,1\n0,0,0\n1,0,1\n0,0,0\n"[: 6 * rows], encoding="utf-8")
    assert bool(warned(load_attempts, path)) == said


@pytest.mark.parametrize(("levels", "said"), [(5, True), (6, False)])
def test_a_run_with_few_levels_may_be_judgements(levels, said, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({f"q{q}": {f"d{d}": d % levels for d in range(12)} for q in range(8)}), encoding="utf-8")
    assert bool(warned(lambda: load_trec(path, holds="run"))) == said


def test_two_rows_are_no_totals():
    table = [[30, 5], [6, 40]]
    whole = np.array([[30, 5, 35], [6, 40, 46], [36, 45, 81]])
    with pytest.raises(ValueError, match="the last row and the last column hold the sums of the others"):
        cx.information.confusion_information(whole)
    assert warned(cx.information.confusion_information, table) == []
    assert warned(cx.information.confusion_information, [[30, 30], [30, 30], [5, 60]]) == []


@pytest.mark.parametrize(("off", "refused"), [(0.8e-6, True), (1.2e-6, False)])
def test_a_sum_of_scores_to_six_decimals(off, refused, tmp_path):
    pairs = [(0.5, 0.25), (0.125, 0.375), (0.75, 0.125)]
    # the share is of the sum of all three
    rows = "".join(f"{'ab'[i % 2]},{a},{b},{(a + b) * (1 + 2 * off)!r}\n" for i, (a, b) in enumerate(pairs))
    path = tmp_path / "a.csv"
    path.write_text(f"label,a,b,all\n{rows}", encoding="utf-8")
    if refused:
        with pytest.raises(ValueError, match="column 'all' holds the sums of the other columns"):
            load_scores(path)
    else:
        assert load_scores(path).scores.shape == (3, 3)


@pytest.mark.parametrize(("total", "read"), [(800_000, True), (1_200_000, False)])
def test_a_report_of_a_million_instances(total, read, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"total_instances": total, "resolved_ids": ["a"]}), encoding="utf-8")
    if read:
        assert load_attempts(path).trials.size == total
    else:
        with pytest.raises(ValueError, match="total_instances must be an integer of at least 1 and at most 1000000"):
            load_attempts(path)
