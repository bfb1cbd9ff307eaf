"""Retrieval metrics against enumeration of all parts of a corpus and all orders of ties, and against other packages."""

from __future__ import annotations

from itertools import combinations, permutations, product
from types import SimpleNamespace

import numpy as np
import pytest

import classex as cx
from classex.fields.retrieval import RetrievalCurve, relevant_ranks, retrieval_curve

METRICS = ["recall@2", "precision@3", "hit@2", "map", "map@2", "mrr", "mrr@2", "ndcg", "ndcg@3"]


def plain(gains, metric):
    """A metric of one list of gains in the order of the search, by its definition."""
    kind, _, m = metric.partition("@")
    top, relevant = gains[: int(m or len(gains))], sum(g > 0 for g in gains)
    places = [i for i, g in enumerate(top, start=1) if g > 0]
    ideal = sorted(gains, reverse=True)[: len(top)]
    return {
        "recall": lambda: len(places) / relevant,
        "precision": lambda: len(places) / int(m),
        "hit": lambda: float(len(places) > 0),
        "map": lambda: sum(n / place for n, place in enumerate(places, start=1)) / relevant,
        "mrr": lambda: 1 / places[0] if places else 0.0,
        "ndcg": lambda: (
            sum(g / np.log2(i + 1) for i, g in enumerate(top, start=1))
            / sum(g / np.log2(i + 1) for i, g in enumerate(ideal, start=1))
        ),
    }[kind]()


def over_ties(scores, gains, metric):
    """Mean of the metric over all orders of items with the same score."""
    levels = sorted(set(scores), reverse=True)
    orders = product(*(permutations([g for s, g in zip(scores, gains, strict=True) if s == level]) for level in levels))
    return np.mean([plain([g for part in order for g in part], metric) for order in orders])


def by_enumeration(scores, gains, size, metric):
    """Mean over all parts of the corpus with `size` items that hold all relevant ones."""
    some = []
    for part in combinations(range(len(scores)), size):
        held = [gains[i] for i in part]
        if sum(g > 0 for g in held) == sum(g > 0 for g in gains):
            some.append(over_ties([scores[i] for i in part], held, metric))
    return np.mean(some)


def searches(tied, graded, seed=0, n_items=8):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (4, n_items)).astype(float) if tied else rng.normal(size=(4, n_items))
    relevance = np.zeros((4, n_items))
    for q, n in enumerate((1, 2, 3, 4)):
        where = rng.choice(n_items, n, replace=False)
        relevance[q, where] = rng.integers(1, 4, n) if graded else 1
    return scores, relevance


@pytest.mark.parametrize(("tied", "graded"), [(False, True), (True, False), (True, True)])
@pytest.mark.parametrize("metric", METRICS)
def test_equals_enumeration(metric, tied, graded):
    scores, relevance = searches(tied, graded)
    sizes = range(4, 9)
    curve = retrieval_curve(relevant_ranks(scores, relevance), list(sizes), metric=metric)
    each = [
        [by_enumeration(list(s), list(g), k, metric) for k in sizes] for s, g in zip(scores, relevance, strict=True)
    ]
    np.testing.assert_allclose(curve.accuracy, np.mean(each, axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(curve.standard_error, np.std(each, axis=0, ddof=1) / 2, rtol=1e-9, atol=1e-12)


def one_list(order, gains, n_items=100):
    """Ranks of one query from documents in the order of the search, and the gains of documents."""
    run = {"q": {document: -float(place) for place, document in enumerate(order)}}
    return relevant_ranks(run, {"q": gains}, n_items=n_items)


# ir_measures, test/test_ranx.py (through ranx) and, with gains 2^relevance - 1, nDCG(dcg='exp-log2')
LIST, JUDGED = ["D0", "D2", "D3", "D1", "D4"], {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}
IR_MEASURES = [
    ("precision@5", None, 0.6),
    ("precision@5", 2, 0.2),
    ("recall@5", None, 1.0),
    ("recall@2", None, 0.3333333333333333),
    ("recall@2", 2, 0.0),
    ("mrr", None, 0.5),
    ("mrr", 2, 0.3333333333333333),
    ("mrr@10", None, 0.5),
    ("mrr@2", 2, 0.0),
    ("map", None, 0.6388888888888888),
    ("map", 2, 0.3333333333333333),
    ("map@2", None, 0.16666666666666666),
    ("hit@2", None, 1.0),
    ("hit@2", 2, 0.0),
    ("ndcg", None, 0.6584645692843067),
    ("ndcg@5", None, 0.6584645692843067),
    ("ndcg@2", None, 0.23981246656813146),
    ("ndcg", "exponential", 0.6201040599710453),
    ("ndcg@2", "exponential", 0.17376534287144002),
]


@pytest.mark.parametrize(("metric", "level", "expected"), IR_MEASURES)
def test_numbers_of_ir_measures(metric, level, expected):
    gains = {
        document: 2**g - 1 if level == "exponential" else g * (g >= (level or 1)) for document, g in JUDGED.items()
    }
    assert retrieval_curve(one_list(LIST, gains), metric=metric).accuracy[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "expected"), [((1, 0, 1.5), 0.5), ((1, 2, 1.5), 1.0), ((4, 2, 1.5), 0.6309297535714575)]
)
def test_numbers_of_pytrec_eval(scores, expected):
    """Cases of pytrec_eval, tests/pytrec_eval_tests.py: d2 is relevant."""
    ranks = relevant_ranks(
        {"q1": dict(zip(("d1", "d2", "d3"), scores, strict=True))}, {"q1": {"d1": 0, "d2": 1}}, n_items=3
    )
    for metric in ("ndcg", "ndcg@3", "ndcg@1000"):
        assert retrieval_curve(ranks, metric=metric).accuracy[0] == pytest.approx(expected, abs=1e-12)


def test_ties_by_the_names_of_documents_as_trec_eval():
    """Output of pytrec_eval-terrier 0.5.11 for these lists: documents of one score come in falling order of names."""
    scores = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5, "e": 0.5}
    by_name = {name: place for place, name in enumerate(sorted(scores, key=lambda name: (scores[name], name)))}
    ranks = relevant_ranks({"q": by_name}, {"q": {"a": 1, "d": 2, "e": 0, "z": 1}}, n_items=10)
    expected = {
        "map": 0.24444444444444446,
        "mrr": 0.3333333333333333,
        "precision@3": 0.3333333333333333,
        "recall@3": 0.3333333333333333,
        "ndcg": 0.4068138587319517,
        "ndcg@4": 0.15969697161989949,
        "map@4": 0.1111111111111111,
        "hit@3": 1.0,
    }
    for metric, value in expected.items():
        assert retrieval_curve(ranks, metric=metric).accuracy[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("metric", ["recall@3", "mrr", "ndcg@5", "map@4"])
@pytest.mark.parametrize("tied", [False, True])
def test_one_relevant_item_is_the_accuracy_curve(metric, tied):
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 9, (30, 40)).astype(float) if tied else rng.normal(size=(30, 40))
    relevance = np.eye(30, 40)
    known = cx.accuracy_curve(cx.correct_ranks(scores, np.arange(30)), metric=metric, standard_errors=False)
    curve = retrieval_curve(relevant_ranks(scores, relevance), known.n_classes, metric=metric)
    np.testing.assert_allclose(curve.accuracy, known.accuracy, rtol=1e-12)


def test_many_ties_against_random_orders():
    """Two relevant items among 60 of one score: the mean of 4,000 random orders, within 4 standard errors."""
    rng = np.random.default_rng(5)
    scores, relevance = np.repeat([2.0, 1.0, 0.0], [5, 60, 35]), np.zeros(100)
    relevance[[2, 20, 21]] = 1, 2, 2
    got = [retrieval_curve(relevant_ranks([scores], [relevance]), [50], metric=m).accuracy[0] for m in METRICS]
    drawn = []
    while len(drawn) < 4000:
        part = rng.permutation(100)[:50]
        order = part[np.lexsort((rng.random(50), -scores[part]))]
        if (relevance[order] > 0).sum() == 3:
            drawn.append([plain(list(relevance[order]), m) for m in METRICS])
    error = np.std(drawn, axis=0) / np.sqrt(len(drawn))
    assert (np.abs(np.mean(drawn, axis=0) - got) < 4 * error).all()


def test_lists_that_are_cut_off_give_limits():
    rng = np.random.default_rng(6)
    scores, relevance = rng.normal(size=(20, 200)), np.zeros((20, 200))
    relevance[:, :5] = [3, 1, 1, 2, 1]
    scores += 1.5 * (relevance > 0)
    whole = relevant_ranks(scores, relevance)
    run = {str(q): {str(d): row[d] for d in np.argsort(-row)[:20]} for q, row in enumerate(scores)}
    qrels = {str(q): {str(d): row[d] for d in range(5)} for q, row in enumerate(relevance)}
    cut = relevant_ranks(run, qrels, n_items=200)
    assert not cut.found.all()
    for metric in METRICS:
        exact, curve = (retrieval_curve(one, [10, 50, 200], metric=metric) for one in (whole, cut))
        assert (curve.accuracy <= exact.accuracy + 1e-12).all()
        assert (exact.accuracy <= curve.upper + 1e-12).all()
        if "@" in metric:  # the list is longer than m
            assert exact.accuracy[-1] == pytest.approx(curve.accuracy[-1], rel=1e-12)
    assert exact.upper is None
    assert list(curve._table())[-1] == "upper"
    assert "upper: if relevant items that lists lack came directly after them" in str(curve)


def test_a_query_without_a_list_has_found_nothing():
    with pytest.warns(UserWarning, match="have no list, and count as finding nothing, 1 of 2: 'b'"):
        ranks = relevant_ranks({"a": {"x": 1.0}}, {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0}}, n_items=9)
    curve = retrieval_curve(ranks, metric="recall@5")
    assert (curve.accuracy[0], curve.upper[0], curve.n_tested) == (0.5, 1.0, 2)


@pytest.mark.parametrize(("value", "rare"), [(0.08, True), (0.12, False), (0.92, True), (0.88, False)])
def test_rare_failures_are_worth_a_trial_a_query_at_most(value, rare):
    """Of 100 queries 8 or 12 miss, or find: however small the standard error, few queries leave a wide interval."""
    ranks = SimpleNamespace(n_relevant=np.ones(100, dtype=np.int64), query=np.arange(100))
    curve = RetrievalCurve.of(ranks, np.array([10]), np.array([value]), np.array([1e-4]), "recall@5")
    assert (np.ptp(curve.interval()) > 0.05) == rare
