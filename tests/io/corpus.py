"""Small files, one a format and variant, written from a few numbers whose results are computed by plain loops."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

import classex as cx
from classex.fields.open_set import open_set_curve, verification_curve
from classex.fields.retrieval import relevant_ranks, retrieval_curve
from classex.io import load_pairs, load_ranks, load_scores, load_searches, load_trec
from tests.io.corpus_attempts import ATTEMPTS, ONCE, OUTCOMES, attempts
from tests.io.writers import Case, arrays, by, document, hdf5, jsonl, lines, listed, packed, table, zipped

RNG = np.random.default_rng(8)

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
    "arrays, logits": Case(
        "scores",
        NUMBERED,
        arrays(lambda rows: {"logits": (found := matrices(rows)).pop("scores"), **found}),
        ("label",),
        "arrays",
        "npz",
    ),
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
OPTIONS = [
    {
        "doc_id": i,
        "target": str(i % 4),
        "arguments": {f"gen_args_{k}": {"arg_0": "Which one?", "arg_1": f" answer {k}"} for k in range(4)},
        "filtered_resps": [[str(round(float(RNG.normal() + 2 * (k == i % 4)), 4)), "False"] for k in range(4)],
    }
    for i in range(25)
]
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
    curve = verification_curve(*load_pairs(path, **options), thresholds=CUT)
    return float(curve.fmr[0]), float(curve.fnmr[0])


OTHERS = {
    "searches.csv": Case("searches", SEARCHES, table(), ("label",), "searches"),
    "searches, tabs": Case("searches", SEARCHES, table("\t"), ("label",), "searches", "tsv"),
    "searches, records": Case("searches", SEARCHES, jsonl, ("label",), "searches", "jsonl"),
    "searches.npz": Case("searches", SEARCHES, arrays(opened), (), "search-arrays", "npz"),
    "candidates.csv": Case("searches", CANDIDATES, table(), ("search", "candidate"), "candidates"),
    "candidates, records": Case("searches", CANDIDATES, jsonl, ("search", "candidate"), "candidates", "jsonl"),
    "candidates, other names": Case(
        "searches",
        renamed(CANDIDATES, "PROBE", "RANK", "CANDIDATE", "SIMILARITY", "MATE"),
        table(),
        ("PROBE", "CANDIDATE"),
        "candidates",
    ),
    "pairs, other names": Case("pairs", renamed(GENUINE, "pair", "mated", "similarity"), table(), ("pair",), "pairs"),
    "trials.txt": Case(
        "pairs",
        [
            {"genuine": row["genuine"], "a": f"{i}a", "b": f"{i}b", "score": row["score"]}
            for i, row in enumerate(GENUINE)
        ],
        lines("{} id{}/1.wav id{}/2.wav {}"),
        (),
        "trials",
        "txt",
    ),
    "trials, words": Case(
        "pairs",
        [
            {"name": f"LA_{i}", "key": ("spoof", "bonafide")[row["genuine"]], "score": row["score"]}
            for i, row in enumerate(GENUINE)
        ],
        lines("{} A07 {} {}"),
        (),
        "trials",
        "txt",
    ),
    "pairs, label": Case(
        "pairs",
        [{"label": row["genuine"], "score": row["score"]} for row in GENUINE],
        table(),
        (),
        "pairs",
        unnamed=True,
    ),
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
    "options.jsonl": Case("options", OPTIONS, jsonl, ("doc_id",), "lm-eval-options", "jsonl"),
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
    "options": lambda path, **options: sorted(load_ranks(path, **options).ranks.tolist()),
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
        case "options":
            scores = [([float(one) for one, _ in row["filtered_resps"]], int(row["target"])) for row in OPTIONS]
            return sorted(1 + sum(one > each[t] for one in each) for each, t in scores)
        case _:
            return sorted(row["rank"] for row in RANKS)
