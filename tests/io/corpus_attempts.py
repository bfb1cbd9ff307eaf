"""Attempts in the formats of many programs."""

from __future__ import annotations

import bz2
import gzip
import lzma
from typing import Any

import numpy as np

from classex.io import load_attempts
from tests.io.writers import Case, arrays, by, document, jsonl, listed, packed, table, zipped

RNG = np.random.default_rng(7)

# --- attempts: eight problems, four attempts at each -----------------------------------------------------------------

OUTCOMES = {str(p): [int(RNG.random() < (p + 1) / 10) for _ in range(4)] for p in range(8)}
FLAT = [(p, t, won) for t in range(4) for p, each in OUTCOMES.items() for t2, won in enumerate(each) if t2 == t]
COUNTS = [{"problem": p, "successes": sum(each), "trials": len(each)} for p, each in OUTCOMES.items()]
MATRIX = [{"problem": p, **{f"run {t}": won for t, won in enumerate(each)}} for p, each in OUTCOMES.items()]


def log(task: str, outcome: str, words: Any = int, trial: str | None = None, **more: Any) -> list[dict[str, Any]]:
    """Rows of a record an attempt."""
    numbered = lambda t: {} if trial is None else {trial: t}  # noqa: E731
    return [{task: p, **numbered(t), outcome: words(won), **more} for p, t, won in FLAT]


def status(won: int) -> str:
    return "pass" if won else "fail"


def letter(won: int) -> str:
    return "C" if won else "I"


def share(pairs: Any) -> float:
    """pass@2 by counting pairs of attempts."""
    total = 0.0
    for won, tried in pairs:
        outcomes = [1] * int(won) + [0] * (int(tried) - int(won))
        both = [(a, b) for i, a in enumerate(outcomes) for b in outcomes[i + 1 :]]
        total += sum(a or b for a, b in both) / len(both)
    return total / len(list(pairs))


def attempts(path: Any, **options: Any) -> Any:
    found = load_attempts(path, **options)
    if isinstance(found, dict):
        return {name: one.successes.sum() / one.trials.sum() for name, one in found.items()}
    return found.successes.sum() / found.trials.sum(), len(found.trials), int(found.trials.sum())


EVALS = lambda rows: {"date": "x", "eval": by(rows, "task_id")}  # noqa: E731
BIGCODE = lambda rows: {task: [[i, one] for i, one in enumerate(each)] for task, each in by(rows, "task_id").items()}  # noqa: E731


def inspected(rows: list[dict[str, Any]]) -> Any:
    score = next(name for name in rows[0] if name not in ("id", "epoch", "idx"))
    samples = [
        {**{k: v for k, v in row.items() if k != score}, "scores": {score: {"value": row[score]}}} for row in rows
    ]
    return {"version": 2, "status": "success", "eval": {"task": "x"}, "samples": samples}


def simulated(rows: list[dict[str, Any]]) -> Any:
    reward = lambda row: {k: v for k, v in row.items() if "reward" in k}  # noqa: E731
    rest = lambda row: {k: v for k, v in row.items() if "reward" not in k}  # noqa: E731
    return {"info": {}, "tasks": [], "simulations": [{**rest(row), "reward_info": reward(row)} for row in rows]}


def report(rows: list[dict[str, Any]]) -> Any:
    names = [name for name in rows[0] if name != "instance"]
    lists = {
        names[0]: [row["instance"] for row in rows if row[names[0]]],
        "submitted_ids": [row["instance"] for row in rows],
    }
    return {"total_instances": 8, "schema_version": 2, **lists}


ONCE = [(p, each[0]) for p, each in OUTCOMES.items()]
LM = [{"doc_id": int(p), "filter": "none", "exact_match": float(won)} for p, won in ONCE]
RESOLVED = [{"instance": f"django-{p}", "resolved_ids": won} for p, won in ONCE]
HUMAN = log("task_id", "passed", bool, completion="x = 1")
TAU = log("task_id", "reward", float, "trial")
INSPECT = log("id", "score_match", letter, "epoch")
PLUS = log("task_id", "plus_status", status)

ATTEMPTS = {
    "counts.csv": Case("attempts", COUNTS, table(), ("problem",), "counts"),
    "counts, other order": Case(
        "attempts",
        [{"trials": r["trials"], "note": "x", "successes": r["successes"], "id": r["problem"]} for r in COUNTS],
        table(),
        ("id",),
        "counts",
    ),
    "counts, semicolons": Case("attempts", COUNTS, table(";"), ("problem",), "counts"),
    "counts, Windows": Case("attempts", COUNTS, table(end="\r\n", head="\ufeff"), ("problem",), "counts"),
    "counts, quoted": Case("attempts", COUNTS, table(quote='"'), ("problem",), "counts"),
    "counts, comments": Case("attempts", COUNTS, table("\t"), ("problem",), "counts", "tsv"),
    "counts, records": Case("attempts", COUNTS, jsonl, ("problem",), "counts", "jsonl"),
    "counts, no names": Case(
        "attempts",
        [{"successes": r["successes"], "trials": r["trials"]} for r in COUNTS],
        table(),
        (),
        "counts",
        unnamed=True,
    ),
    "counts, arrays": Case(
        "attempts",
        [{"successes": r["successes"], "trials": r["trials"]} for r in COUNTS],
        arrays(),
        (),
        "counts",
        "npz",
        unnamed=True,
    ),
    "matrix.csv": Case("attempts", MATRIX, table(), ("problem",), "matrix"),
    "matrix, words": Case(
        "attempts",
        [{k: v if k == "problem" else bool(v) for k, v in r.items()} for r in MATRIX],
        table(),
        ("problem",),
        "matrix",
    ),
    "matrix, no names": Case(
        "attempts",
        [{k: v for k, v in r.items() if k != "problem"} for r in MATRIX],
        table(),
        (),
        "matrix",
        unnamed=True,
    ),
    "matrix, arrays": Case(
        "attempts", [{"passed": each} for each in OUTCOMES.values()], arrays(), (), "matrix", "npz", unnamed=True
    ),
    "human-eval.jsonl": Case("attempts", HUMAN, jsonl, ("task_id",), "human-eval", "jsonl"),
    "human-eval, gzip": Case("attempts", HUMAN, packed(jsonl, gzip.compress), ("task_id",), "human-eval", "jsonl.gz"),
    "human-eval, xz": Case("attempts", HUMAN, packed(jsonl, lzma.compress), ("task_id",), "human-eval", "jsonl.xz"),
    "human-eval, bzip2": Case("attempts", HUMAN, packed(table(), bz2.compress), ("task_id",), "human-eval", "csv.bz2"),
    "human-eval, zip": Case("attempts", HUMAN, zipped(jsonl), ("task_id",), "human-eval", "zip"),
    "human-eval, table": Case("attempts", HUMAN, table(), ("task_id",), "human-eval"),
    "human-eval, list": Case("attempts", HUMAN, listed, ("task_id",), "human-eval", "json"),
    "bigcode, log": Case(
        "attempts", log("task_id", "passed", bool, "completion_id"), jsonl, ("task_id",), "human-eval", "jsonl"
    ),
    "bigcode, nested": Case(
        "attempts",
        log("task_id", "passed", bool, "completion_id"),
        document(BIGCODE),
        ("task_id",),
        "evalplus-json",
        "json",
    ),
    "evalplus.jsonl": Case("attempts", PLUS, jsonl, ("task_id",), "evalplus", "jsonl"),
    "evalplus-json.json": Case("attempts", PLUS, document(EVALS), ("task_id",), "evalplus-json", "json"),
    "evalplus-json, one line": Case("attempts", PLUS, document(EVALS, None), ("task_id",), "evalplus-json", "json"),
    "evalplus-json, both": Case(
        "attempts",
        log("task_id", "base_status", status, plus_status="fail"),
        document(EVALS),
        ("task_id",),
        "evalplus-json",
        "json",
        {"outcome": "base_status"},
    ),
    "bigcodebench": Case(
        "attempts", log("task_id", "status", status), document(EVALS), ("task_id",), "evalplus-json", "json"
    ),
    "swe-bench.jsonl": Case(
        "attempts", log("instance_id", "resolved", bool), jsonl, ("instance_id",), "swe-bench", "jsonl"
    ),
    "swe-bench, table": Case("attempts", log("instance_id", "resolved", bool), table(), ("instance_id",), "swe-bench"),
    "swe-bench-report.json": Case("once", RESOLVED, document(report), ("instance",), "swe-bench-report", "json"),
    "swe-bench-report, lists": Case(
        "once",
        [{"instance": r["instance"], "resolved": r["resolved_ids"]} for r in RESOLVED],
        document(lambda rows: {k: v for k, v in report(rows).items() if "total" not in k}),
        ("instance",),
        "swe-bench-report",
        "json",
        {"n_problems": 8},
    ),
    "tau-bench.jsonl": Case("attempts", TAU, jsonl, ("task_id",), "tau-bench", "jsonl"),
    "tau-bench, list": Case(
        "attempts",
        log("task_id", "reward", float, "trial", info={"a": 1}, traj=[]),
        listed,
        ("task_id",),
        "tau-bench",
        "json",
    ),
    "tau-bench, table": Case("attempts", TAU, table(), ("task_id",), "tau-bench"),
    "tau2-bench.json": Case("attempts", TAU, document(simulated), ("task_id",), "tau2-bench", "json"),
    "lm-eval.jsonl": Case("once", LM, jsonl, ("doc_id",), "lm-eval", "jsonl"),
    "lm-eval, table": Case(
        "once", [{"doc_id": r["doc_id"], "acc": r["exact_match"]} for r in LM], table(), ("doc_id",), "lm-eval"
    ),
    "lm-eval, filters": Case(
        "filters",
        [{**row, "filter": kind} for kind in ("a", "b") for row in LM],
        jsonl,
        ("doc_id",),
        "lm-eval",
        "jsonl",
        {"by": "filter"},
    ),
    "inspect.jsonl": Case("attempts", INSPECT, jsonl, ("id",), "inspect", "jsonl"),
    "inspect, frame": Case("attempts", INSPECT, table(), ("id",), "inspect"),
    "inspect-json.json": Case("attempts", INSPECT, document(inspected), ("id",), "inspect-json", "json"),
    "livecodebench.jsonl": Case(
        "attempts",
        [{"question_id": p, "graded_list": [bool(won) for won in each]} for p, each in OUTCOMES.items()],
        jsonl,
        ("question_id",),
        "livecodebench",
        "jsonl",
    ),
    "terminal-bench.jsonl": Case(
        "attempts", log("task_id", "is_resolved", bool, "trial"), jsonl, ("task_id",), "terminal-bench", "jsonl"
    ),
    "terminal-bench-json.json": Case(
        "attempts",
        log("task_id", "is_resolved", bool, "trial_name"),
        document(lambda rows: {"results": [{"id": i, **row} for i, row in enumerate(rows)]}),
        ("task_id",),
        "terminal-bench-json",
        "json",
    ),
    "counts, UTF-16": Case(
        "attempts",
        COUNTS,
        lambda rows: table()(rows).decode().encode("utf-16"),
        ("problem",),
        "counts",
    ),
    "records.csv": Case("attempts", log("problem_id", "score"), table(), ("problem_id",), "records"),
    "records, named": Case(
        "attempts",
        log("exercise", "points", lambda won: 2.5 * won),
        table(),
        ("exercise",),
        "records",
        options={"task": "exercise", "outcome": "points", "threshold": 2},
    ),
}
