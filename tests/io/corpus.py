"""Small files, one a format and variant, written from a few numbers whose results are computed by plain loops."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import classex as cx
from classex.curves import retrieval_curve
from classex.io import load_attempts, load_pairs, load_ranks, load_scores, load_searches, load_trec
from classex.open_set import open_set_curve, verification_curve
from classex.ranks import relevant_ranks

RNG = np.random.default_rng(7)


@dataclass(frozen=True)
class Case:
    """A file.

    Attributes
    ----------
    kind : str
        What it holds.
    rows : list of dict
        Its records.
    write : callable
        Bytes of the file, from records.
    ids : tuple of str
        Names of what names a problem, a query, a class.
    format : str
        The format that it is read as.
    ending : str
        Ending of the file's name.
    options : dict
        Of the reader.
    unnamed : bool
        Whether rows have no names, so that a doubled one is one more.
    """

    kind: str
    rows: list[dict[str, Any]]
    write: Callable[[list[dict[str, Any]]], bytes]
    ids: tuple[str, ...]
    format: str
    ending: str = "csv"
    options: dict[str, Any] = field(default_factory=dict)
    unnamed: bool = False

    def read(self, path: Any) -> Any:
        """Result of the file, by this package."""
        return READ[self.kind](path, **self.options)


# --- writers ---------------------------------------------------------------------------------------------------------


def table(mark: str = ",", quote: str = "", end: str = "\n", comma: bool = False, head: str = "") -> Any:
    """Text with a header."""

    def write(rows: list[dict[str, Any]]) -> bytes:
        lines = [list(rows[0]), *(["" if one is None else str(one) for one in row.values()] for row in rows)]
        if comma:
            lines[1:] = [[one.replace(".", ",") for one in line] for line in lines[1:]]
        return (head + "".join(mark.join(f"{quote}{one}{quote}" for one in line) + end for line in lines)).encode()

    return write


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def listed(rows: list[dict[str, Any]]) -> bytes:
    return json.dumps(rows, indent=1).encode()


def lines(form: str) -> Any:
    """Lines without a header."""
    return lambda rows: "".join(form.format(*row.values()) + "\n" for row in rows).encode()


def packed(write: Any, how: Any) -> Any:
    return lambda rows: how(write(rows))


def zipped(write: Any) -> Any:
    def pack(rows: list[dict[str, Any]]) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("a", write(rows))
        return out.getvalue()

    return pack


def arrays(form: Any = None) -> Any:
    """Arrays of numpy, one a column or as `form` makes them."""

    def write(rows: list[dict[str, Any]]) -> bytes:
        columns = form(rows) if form else {name: np.array([row[name] for row in rows]) for name in rows[0]}
        out = io.BytesIO()
        np.savez(out, **columns)
        return out.getvalue()

    return write


def hdf5(form: Any) -> Any:
    def write(rows: list[dict[str, Any]]) -> bytes:
        import h5py

        out = io.BytesIO()
        with h5py.File(out, "w") as file:
            for name, column in form(rows).items():
                file[name] = column
        return out.getvalue()

    return write


def document(form: Any, indent: int | None = 1) -> Any:
    return lambda rows: json.dumps(form(rows), indent=indent).encode()


def by(rows: list[dict[str, Any]], *names: str) -> dict[Any, Any]:
    """Nest rows by the values of some of their entries."""
    out: dict[Any, Any] = {}
    for row in rows:
        rest = {name: one for name, one in row.items() if name != names[0]}
        out.setdefault(str(row[names[0]]), []).append(rest)
    return out


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

# --- retrieval: six queries, ten documents ---------------------------------------------------------------------------

QUERIES, DOCUMENTS = [f"q{i}" for i in range(6)], [f"d{i}" for i in range(10)]
RUN = {q: {d: round(float(RNG.normal()), 4) for d in DOCUMENTS[i % 3 :]} for i, q in enumerate(QUERIES)}
QRELS = {q: {d: int(RNG.random() < 0.4) for d in DOCUMENTS} for q in QUERIES}
RUNS = [{"query": q, "document": d, "score": s} for q, each in RUN.items() for d, s in each.items()]
JUDGED = [{"query": q, "document": d, "relevance": s} for q, each in QRELS.items() for d, s in each.items()]
RANKED = [
    {"query": q, "document": d, "rank": 1 + sum(other > s for other in each.values())}
    for q, each in RUN.items()
    for d, s in each.items()
]


def recall(run: Any, judged: Any) -> float:
    """Mean share of the relevant documents among the best three."""
    return float(retrieval_curve(relevant_ranks(run, judged, n_items=20), metric="recall@3").accuracy[0])


def nested(rows: list[dict[str, Any]]) -> Any:
    first, second, third = rows[0]
    return {q: {str(row[second]): row[third] for row in each} for q, each in by(rows, first).items()}


def renamed(rows: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [dict(zip(names, row.values(), strict=True)) for row in rows]


TREC, MARCO, QREL = "{} Q0 {} 1 {} x", "{}\t{}\t{}", "{} 0 {} {}"
NAMES = ("query", "document")
LISTS = {
    "trec-run.txt": Case("run", RUNS, lines(TREC), NAMES, "trec-run", "txt"),
    "trec-run, gzip": Case("run", RUNS, packed(lines(TREC), gzip.compress), NAMES, "trec-run", "txt.gz"),
    "trec-run, tabs": Case("run", RUNS, lines(TREC.replace(" ", "\t")), NAMES, "trec-run", "tsv"),
    "msmarco-run.txt": Case("run", RANKED, lines(MARCO), NAMES, "msmarco-run", "tsv"),
    "run-table.csv": Case("run", renamed(RUNS, "qid", "docno", "score"), table(), ("qid", "docno"), "run-table"),
    "run-table, records": Case(
        "run", renamed(RUNS, "query_id", "doc_id", "score"), jsonl, ("query_id", "doc_id"), "run-table", "jsonl"
    ),
    "json-lists.json": Case("run", RUNS, document(nested), NAMES, "json-lists", "json"),
    "json-lists, one line": Case("run", RUNS, document(nested, None), NAMES, "json-lists", "json"),
    "trec-qrels.txt": Case("qrels", JUDGED, lines(QREL), NAMES, "trec-qrels", "txt"),
    "trec-qrels, tabs": Case("qrels", JUDGED, lines(QREL.replace(" ", "\t")), NAMES, "trec-qrels", "tsv"),
    "beir-qrels.tsv": Case(
        "qrels",
        renamed(JUDGED, "query-id", "corpus-id", "score"),
        table("\t"),
        ("query-id", "corpus-id"),
        "beir-qrels",
        "tsv",
    ),
    "beir-qrels, commas": Case(
        "qrels", renamed(JUDGED, "query-id", "corpus-id", "score"), table(), ("query-id", "corpus-id"), "beir-qrels"
    ),
    "qrels-table.csv": Case(
        "qrels", renamed(JUDGED, "query_id", "doc_id", "relevance"), table(), ("query_id", "doc_id"), "qrels-table"
    ),
    "qrels, json": Case("qrels", JUDGED, document(nested), NAMES, "json-lists", "json"),
}

# --- scores: four classes, two test points of each -------------------------------------------------------------------

CLASSES = ["ant", "bee", "cat", "dog"]
SCORES = RNG.normal(size=(8, 4)).round(4) + 0.5 * np.eye(4)[np.arange(8) % 4]
LABELS = [CLASSES[i % 4] for i in range(8)]
WIDE = [
    {"label": label, **dict(zip(CLASSES, row, strict=True))} for label, row in zip(LABELS, SCORES.tolist(), strict=True)
]
NUMBERED = [{"label": CLASSES.index(row["label"]), **{c: row[c] for c in CLASSES}} for row in WIDE]
LONG = [
    {"image": f"i{i}", "label": row["label"], "class": c, "score": row[c]}
    for i, row in enumerate(WIDE)
    for c in CLASSES
]


def matrices(rows: list[dict[str, Any]], named: bool = False) -> dict[str, Any]:
    names = [name for name in rows[0] if name != "label"]
    out = {"scores": np.array([[row[name] for name in names] for row in rows])}
    if "label" in rows[0]:
        out["labels"] = np.array([row["label"] for row in rows])
    return {**out, "classes": np.array(names)} if named else out


def accuracy(path: Any, **options: Any) -> Any:
    scores, labels, classes = load_scores(path, **options)
    ranks = cx.correct_ranks(scores, labels, classes=classes)
    return float(cx.accuracy_curve(ranks).accuracy[-1]), sorted(ranks.wins.tolist())


SCORED = {
    "wide.csv": Case("scores", WIDE, table(), ("label",), "wide"),
    "wide, tabs": Case("scores", WIDE, table("\t"), ("label",), "wide", "tsv"),
    "wide, semicolons": Case("scores", WIDE, table(";"), ("label",), "wide"),
    "wide, decimal commas": Case("scores", WIDE, table(";", comma=True), ("label",), "wide"),
    "wide, Windows": Case("scores", WIDE, table(end="\r\n", head="\ufeff"), ("label",), "wide"),
    "wide, comments": Case("scores", WIDE, table(head="# made by\n"), ("label",), "wide"),
    "wide, records": Case("scores", WIDE, jsonl, ("label",), "wide", "jsonl"),
    "wide, list": Case("scores", WIDE, listed, ("label",), "wide", "json"),
    "wide, gzip": Case("scores", WIDE, packed(table(), gzip.compress), ("label",), "wide", "csv.gz"),
    "wide, zip": Case("scores", WIDE, zipped(table()), ("label",), "wide", "zip"),
    "wide, numbers": Case("scores", NUMBERED, table(), ("label",), "wide"),
    "wide, 0.0 for 0": Case(
        "scores", [{**row, "label": float(row["label"])} for row in NUMBERED], table(), ("label",), "wide"
    ),
    "wide, numbered columns": Case(
        "scores",
        [
            dict(zip(("label", "3", "7", "8", "9"), ("3789"[row["label"]], *list(row.values())[1:]), strict=True))
            for row in NUMBERED
        ],
        table(),
        ("label",),
        "wide",
    ),
    "wide, index": Case("scores", [{"": i, **row} for i, row in enumerate(WIDE)], table(), ("label",), "wide"),
    "long.csv": Case("scores", LONG, table(), ("label", "class"), "long"),
    "long, records": Case("scores", LONG, jsonl, ("label", "class"), "long", "jsonl"),
    "arrays.npz": Case("scores", NUMBERED, arrays(matrices), ("label",), "arrays", "npz"),
    "arrays, names": Case("scores", WIDE, arrays(lambda rows: matrices(rows, True)), ("label",), "arrays", "npz"),
    "arrays, HDF5": Case("scores", NUMBERED, hdf5(matrices), ("label",), "arrays", "h5"),
}

# --- searches, pairs, ranks ------------------------------------------------------------------------------------------

PEOPLE = [*CLASSES, "eve", "fox", *CLASSES, "gnu", "hen"]
SEARCHED = RNG.normal(size=(12, 4)).round(4) + 2 * np.array([[c == who for c in CLASSES] for who in PEOPLE])
SEARCHES = [
    {"label": who, **dict(zip(CLASSES, row, strict=True))} for who, row in zip(PEOPLE, SEARCHED.tolist(), strict=True)
]
CANDIDATES = [
    {"search": f"s{i}", "rank": r, "candidate": CLASSES[c], "score": row[c], "label": who if who in CLASSES else ""}
    for i, (who, row) in enumerate(zip(PEOPLE, SEARCHED, strict=True))
    for r, c in enumerate(np.argsort(-row), 1)
]
GENUINE = [
    {"pair": f"p{i}", "genuine": int(i < 15), "score": round(float(RNG.normal() + 1.5 * (i < 15)), 4)}
    for i in range(40)
]
RANKS = [{"user": f"u{i}", "rank": int(RNG.integers(1, 20))} for i in range(25)]
CUT = 1.0


def opened(rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = [name for name in rows[0] if name != "label"]
    mated = [row for row in rows if row.get("label") in CLASSES]
    other = [row for row in rows if row.get("label") not in CLASSES]
    of = lambda some: np.array([[row[name] for name in names] for row in some])  # noqa: E731
    who = {"labels": np.array([CLASSES.index(row["label"]) for row in mated])} if "label" in rows[0] else {}
    return {"scores": of(mated), **who, "nonmated_scores": of(other)}


def rates(path: Any, **options: Any) -> Any:
    found = load_searches(path, **options)
    names = {"nonmated_labels": found.nonmated_labels, "enrolled_labels": found.enrolled_labels}
    curve = open_set_curve(*found[:3], CUT, **names)
    return float(curve.fpir[0]), float(curve.fnir[0]), curve.n_mated, curve.n_nonmated


def verified(path: Any, **options: Any) -> Any:
    curve = verification_curve(*load_pairs(path, **options), CUT)
    return float(curve.fpir[0]), float(curve.fnir[0])


OTHERS = {
    "searches.csv": Case("searches", SEARCHES, table(), ("label",), "searches"),
    "searches, tabs": Case("searches", SEARCHES, table("\t"), ("label",), "searches", "tsv"),
    "searches, records": Case("searches", SEARCHES, jsonl, ("label",), "searches", "jsonl"),
    "searches.npz": Case("searches", SEARCHES, arrays(opened), (), "search-arrays", "npz"),
    "candidates.csv": Case("searches", CANDIDATES, table(), ("search", "candidate"), "candidates"),
    "candidates, records": Case("searches", CANDIDATES, jsonl, ("search", "candidate"), "candidates", "jsonl"),
    "pairs.csv": Case("pairs", GENUINE, table(), ("pair",), "pairs"),
    "pairs, words": Case(
        "pairs", [{**row, "genuine": bool(row["genuine"])} for row in GENUINE], table(), ("pair",), "pairs"
    ),
    "ranks.csv": Case("ranks", RANKS, table(), ("user",), "ranks"),
    "ranks, tabs": Case("ranks", RANKS, table("\t"), ("user",), "ranks", "tsv"),
    "ranks, records": Case("ranks", RANKS, jsonl, ("user",), "ranks", "jsonl"),
    "ranks, arrays": Case(
        "ranks", [{"rank": row["rank"]} for row in RANKS], arrays(), (), "ranks", "npz", unnamed=True
    ),
}

CASES: dict[str, Case] = {**ATTEMPTS, **LISTS, **SCORED, **OTHERS}
READ: dict[str, Any] = {
    "attempts": attempts,
    "once": attempts,
    "filters": attempts,
    "run": lambda path, **options: recall(load_trec(path, holds="run", **options), QRELS),
    "qrels": lambda path, **options: recall(RUN, load_trec(path, holds="qrels", **options)),
    "scores": accuracy,
    "searches": rates,
    "pairs": verified,
    "ranks": lambda path, **options: sorted(load_ranks(path, **options).ranks.tolist()),
}


def right(kind: str) -> Any:
    """The same result by plain loops."""
    match kind:
        case "attempts":
            return sum(map(sum, OUTCOMES.values())) / 32, 8, 32
        case "once" | "filters":
            first = sum(won for _, won in ONCE) / 8
            return (first, 8, 8) if kind == "once" else {"a": first, "b": first}
        case "run" | "qrels":
            found = []
            for query, each in RUN.items():
                best = sorted(each, key=lambda document: -each[document])[:3]
                relevant = [d for d, gain in QRELS[query].items() if gain]
                found += [len(set(best) & set(relevant)) / len(relevant)] if relevant else []
            return sum(found) / len(found)
        case "scores":
            wins = [sum(row[row["label"]] > row[c] for c in CLASSES if c != row["label"]) for row in WIDE]
            return sum(w == 3 for w in wins) / 8, sorted(wins)
        case "searches":
            mated = [row for row in SEARCHES if row["label"] in CLASSES]
            other = [row for row in SEARCHES if row["label"] not in CLASSES]
            alarms = sum(max(row[c] for c in CLASSES) >= CUT for row in other) / 4
            hits = sum(max(row[c] for c in CLASSES) == row[row["label"]] >= CUT for row in mated)
            return alarms, 1 - hits / 8, 8, 4
        case "pairs":
            of = lambda kind: [row["score"] for row in GENUINE if row["genuine"] == kind]  # noqa: E731
            return sum(s >= CUT for s in of(0)) / 25, sum(s < CUT for s in of(1)) / 15
        case _:
            return sorted(row["rank"] for row in RANKS)
