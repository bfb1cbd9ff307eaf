"""Logs of attempts from public reports of other projects, rebuilt small: each was misread, refused or pooled once."""

from __future__ import annotations

import json

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.io import load_attempts
from tests.io.writers import as_lines, save

# --- layouts by name -------------------------------------------------------------------------------------------------


def test_one_greedy_attempt_each_is_no_matrix(tmp_path):
    """Counts of 50 solved among 164 problems, all with one trial: .305, once read as .65."""
    rows = "".join(f"{int(i < 50)},1\n" for i in range(164))
    for header in ("successes,trials\n", "Successes,Trials\n"):
        found = load_attempts(save(tmp_path, "c.csv", header + rows))
        assert (found.successes.sum(), found.trials.tolist()) == (50, [1] * 164)
    swapped = save(tmp_path, "d.csv", "trials,successes\n" + "".join(f"1,{int(i < 50)}\n" for i in range(164)))
    assert load_attempts(swapped).successes.sum() == 50


def test_trial_numbers_are_no_outcomes(tmp_path):
    text = "task_id,trial,reward\n0,0,1\n0,1,0\n1,0,0\n1,1,0\n2,0,0\n2,1,0\n"
    found = load_attempts(save(tmp_path, "t.csv", text))
    assert (found.successes.tolist(), found.trials.tolist()) == ([1, 0, 0], [2, 2, 2])
    with pytest.raises(ValueError, match=r"none of the formats of attempts; its columns are task_id, trial, rewards"):
        load_attempts(save(tmp_path, "t.csv", text.replace("reward", "rewards")))
    with pytest.raises(ValueError, match=r"problem '0' comes twice, in line 2 and line 3"):
        load_attempts(save(tmp_path, "m.csv", "problem,a\n0,1\n0,0\n1,1\n"))


def test_partial_credit_counts_as_a_failure_aloud(tmp_path, capsys):
    """P and N of inspect_ai, partial credit and no answer, once read as 40 of 40 failures without a word."""
    path = save(tmp_path, "p.csv", "id,epoch,score\n1,1,P\n1,2,C\n2,1,N\n2,2,P\n3,1,P\n3,2,N\n")
    assert main(["pass-at-k", str(path), "--to", "1"]) == 0
    said = capsys.readouterr()
    assert "outcomes between 0 and 1 (P is .5) count as failures: 3; --threshold changes that" in said.err
    assert "2 of them unsolved" in said.out
    assert main(["pass-at-k", str(path), "--to", "1", "--threshold", ".5"]) == 0
    said = capsys.readouterr()
    assert "count as failures" not in said.err
    assert "0 of them unsolved" in said.out


def test_what_was_read_is_said_in_one_line(tmp_path, capsys):
    path = save(tmp_path, "c.csv", "successes,trials\n" + "1,1\n0,1\n" * 82)
    assert main(["pass-at-k", str(path), "--to", "1"]) == 0
    said = f"classex: {path}: 164 problems, 1 attempt each, from successes and trials (format counts)\n"
    assert capsys.readouterr().err == said
    path = save(tmp_path, "t.csv", "task_id,passed,reward\na,1,0\na,0,0\nb,1,1\nb,1,0\n")
    assert main(["pass-at-k", str(path), "--to", "1"]) == 2
    said = f"classex pass-at-k: {path} may be human-eval, tau-bench: choose by --format NAME\n"
    assert capsys.readouterr().err == said
    assert main(["pass-at-k", str(path), "--to", "1", "--format", "tau-bench"]) == 0
    assert "(format tau-bench)" in capsys.readouterr().err
    with pytest.raises(ValueError, match="format must be one of 'counts', 'matrix'"):
        load_attempts(path, format="ranks")


# --- rows that are not attempts --------------------------------------------------------------------------------------


SAMPLES = [
    {"eval_id": e, "id": i, "epoch": n, "score_match": "CI"[(i + n + (e == "b")) % 2 or (e == "b" and i < 3)]}
    for e in "ab"
    for i in range(6)
    for n in range(4)
]


@pytest.mark.parametrize("column", ["eval_id", "model", "task", "filter", "agent"])
def test_two_models_or_tasks_are_refused_by_name(column, tmp_path):
    rows = [{column: row["eval_id"], **{k: v for k, v in row.items() if k != "eval_id"}} for row in SAMPLES]
    path = save(tmp_path, "log.jsonl", as_lines(rows))
    with pytest.raises(
        ValueError, match=rf"problem '0' has {column} 'a' and 'b', in line 1 and line 25: .*--by {column}"
    ):
        load_attempts(path)
    found = load_attempts(path, by=column)
    solved = {e: sum(row["score_match"] == "C" for row in SAMPLES if row["eval_id"] == e) for e in "ab"}
    assert {name: one.successes.sum() for name, one in found.items()} == solved
    assert {name: one.trials.tolist() for name, one in found.items()} == {"a": [4] * 6, "b": [4] * 6}


@pytest.mark.filterwarnings("default")
def test_tables_kept_apart_and_their_differences(tmp_path, capsys):
    path = save(tmp_path, "log.jsonl", as_lines(SAMPLES))
    found = load_attempts(path, by="eval_id")
    tables = [cx.pass_at_k(found[name].successes, found[name].trials, [1, 2, 9]) for name in "ab"]
    difference = cx.attempts.pass_at_k_difference(*((found[n].successes, found[n].trials) for n in "ab"), [1, 2])
    call = ["pass-at-k", str(path), "--to", "1", "2", "9", "--by", "eval_id"]
    assert main(call) == 0
    assert capsys.readouterr().out == f"eval_id a\n{tables[0]}\n\neval_id b\n{tables[1]}\n\n{difference}\n"
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["eval_id"]["b"]["value"] == tables[1].value.tolist()
    assert found["differences"][0]["value"] == difference.value.tolist()
    less = save(tmp_path, "less.jsonl", as_lines(SAMPLES[4:]))
    assert main(["pass-at-k", str(less), "--to", "1", "--by", "eval_id"]) == 0
    captured = capsys.readouterr()
    assert "a and b have 5 and 6 problems, of which 5 are the same" in captured.err
    assert "on the same 5 problems" in captured.out


TWO = [
    {"model": m, "task": t, "id": i, "epoch": n, "score": "CI"[(i + n + (m == "b") + 2 * (t == "aime")) % 3 > 0]}
    for m in "ab"
    for t in ("aime", "gsm8k")
    for i in range(4 + (t == "aime"))
    for n in range(4)
]


def as_counts(rows):
    """The same attempts as a table of counts."""
    keys = dict.fromkeys((row["model"], row["task"], row["id"]) for row in rows)
    of = {k: [row["score"] == "C" for row in rows if (row["model"], row["task"], row["id"]) == k] for k in keys}
    return "model,task,id,successes,trials\n" + "".join(
        f"{','.join(map(str, key))},{sum(won)},{len(won)}\n" for key, won in of.items()
    )


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_differences_are_within_a_task_alone(ending, tmp_path, capsys):
    """Problem 0 of two tasks is not the same problem, whether tasks are kept apart or models with a task each."""

    def saved(rows):
        return str(save(tmp_path, f"log.{ending}", as_lines(rows) if ending == "jsonl" else as_counts(rows)))

    call = ["pass-at-k", saved(TWO), "--to", "1"]
    assert main([*call, "--by", "model"]) == 2
    assert "problem '0'" in capsys.readouterr().err
    assert main([*call, "--by", "model", "--by", "task", "--json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    wins = {
        (m, t): [
            sum(row["score"] == "C" for row in TWO if (row["model"], row["task"], row["id"]) == (m, t, i))
            for i in range(4 + (t == "aime"))
        ]
        for m in "ab"
        for t in ("aime", "gsm8k")
    }
    assert {name: one["value"] for name, one in found["model, task"].items()} == {
        f"{m}, {t}": [pytest.approx(np.mean(won) / 4)] for (m, t), won in wins.items()
    }
    assert [(one["first"], one["second"], one["n_problems"], one["value"]) for one in found["differences"]] == [
        (f"a, {t}", f"b, {t}", n, [pytest.approx((np.mean(wins["a", t]) - np.mean(wins["b", t])) / 4)])
        for t, n in (("aime", 5), ("gsm8k", 4))
    ]
    assert "4 of 6 pairs have no problem in common, and no difference" in captured.err
    for by in ("model", "task"):
        alone = [row for row in TWO if (row["model"], row["task"]) in (("a", "aime"), ("b", "gsm8k"))]
        assert main(["pass-at-k", saved(alone), "--to", "1", "--by", by]) == 0
        captured = capsys.readouterr()
        assert "less that of" not in captured.out
        assert "1 of 1 pairs have no problem in common" in captured.err


def test_documents_that_differ_are_no_problem_of_one_name(tmp_path):
    """lm-evaluation-harness writes a hash of each document: two tasks in one log, both numbered from 0."""
    rows = [{"doc_id": i, "doc_hash": f"{task}{i}", "exact_match": 1.0} for task in "ab" for i in range(3)]
    with pytest.raises(ValueError, match=r"problem '0' has doc_hash 'a0' and 'b0', in line 1 and line 4"):
        load_attempts(save(tmp_path, "log.jsonl", as_lines(rows)))
    found = load_attempts(
        save(tmp_path, "log.jsonl", as_lines([{**row, "m": row["doc_hash"][0]} for row in rows])), by="m"
    )
    assert found["a"].problems.tolist() == ["a0 0", "a1 1", "a2 2"]


def test_an_extra_key_refuses_no_log(tmp_path):
    rows = [{"task_id": 1, "passed": True}, {"task_id": 1, "passed": False, "note": "slow"}]
    assert load_attempts(save(tmp_path, "a.jsonl", as_lines(rows))).trials.tolist() == [2]
    with pytest.raises(ValueError, match="line 2 must have 'task_id' and 'passed', but has task_id, pass"):
        load_attempts(save(tmp_path, "a.jsonl", as_lines([rows[0], {"task_id": 1, "pass": 1}])))


def test_a_few_problems_with_more_attempts_draw_a_warning(tmp_path):
    rows = [{"task_id": t, "passed": False} for t in range(8) for _ in range(5)]
    with pytest.warns(UserWarning, match="7 of 8 problems have 5 attempts, but '3' has 6"):
        load_attempts(save(tmp_path, "a.jsonl", as_lines([*rows, rows[15]])))


def test_reports_of_swe_bench_are_attempts(tmp_path):
    one = {"total_instances": 4, "submitted_ids": ["a", "b", "c"], "resolved_ids": ["a"]}
    two = {"total_instances": 4, "submitted_ids": ["a", "b", "d"], "resolved_ids": ["a", "d"]}
    paths = [save(tmp_path, f"{n}.json", json.dumps(report)) for n, report in enumerate((one, two))]
    found = load_attempts(paths)
    assert found.problems.tolist() == ["a", "b", "c", "d"]
    assert (found.successes.tolist(), found.trials.tolist()) == ([2, 0, 0, 1], [2, 2, 2, 2])
    unknown = save(tmp_path, "2.json", json.dumps({"resolved": ["a"], "no_generation": ["b"]}))
    with pytest.raises(ValueError, match=r"not how many there were: give n_problems= \(--problems N\)"):
        load_attempts(unknown)
    assert load_attempts(unknown, n_problems=300).trials.size == 300
    with pytest.raises(ValueError, match="reports must be of the same instances, but 4 instances are named, of 3 or 4"):
        load_attempts([paths[0], save(tmp_path, "3.json", json.dumps({**two, "total_instances": 3}))])
    log = save(tmp_path, "log.jsonl", '{"task_id": 1, "passed": true}\n')
    with pytest.raises(ValueError, match="files of attempts must differ"):
        load_attempts([log, log])


def test_letters_of_inspect(tmp_path):
    text = "id,epoch,score\n" + "".join(f"{i},{n},{'CPNI'[n]}\n" for i in range(3) for n in range(4))
    found = load_attempts(save(tmp_path, "a.csv", text))
    assert (found.successes.tolist(), found.trials.tolist()) == ([1] * 3, [4] * 3)
    assert load_attempts(tmp_path / "a.csv", threshold=0.5).successes.tolist() == [2] * 3
