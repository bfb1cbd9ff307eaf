# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

import classex as cx
from classex.fields.retrieval import RelevantRanks, relevant_ranks, retrieval_curve


def searches():
    """Tied scores of four queries and 8 items, of which 1 to 4 are relevant, to several degrees."""
    rng = np.random.default_rng(0)
    relevance = np.arange(8) < np.arange(1, 5)[:, np.newaxis]
    return rng.integers(0, 2, (4, 8)).astype(float), relevance * rng.integers(1, 4, (4, 8))


def refused_larger_corpora():
    ranks = relevant_ranks(*searches())
    yield lambda: cx.extrapolate_retrieval(ranks, [3]), "n_items must be at least 4, the relevant items of one query"
    yield lambda: cx.extrapolate_retrieval(ranks, [200], target="fresh"), "target must be"
    yield (
        lambda: cx.extrapolate_retrieval(cx.ranks_from_wins([1, 2], 4), [10]),
        "ranks must be a RelevantRanks",
        TypeError,
    )


def refused_retrieval():
    for options, error, message in [
        ({"metric": "recall"}, ValueError, "metric must be one of"),
        ({"metric": "rprec"}, ValueError, "metric must be map, mrr, ndcg or one of recall@m"),
        ({"metric": None}, ValueError, "not None"),
        ({"metric": "ndcg@0"}, ValueError, "not 'ndcg@0'"),
        ({"n_items": 3}, ValueError, "n_items must be at least 4, the relevant items of one query, not 3"),
        ({"n_items": 9}, ValueError, "n_items"),
    ]:
        ranks = relevant_ranks(*searches())
        yield lambda: retrieval_curve(ranks, **options), message, error
    yield lambda: retrieval_curve([1, 2]), "ranks must be a RelevantRanks, not list", TypeError
    yield lambda: relevant_ranks([[1.0, 2.0]], [[1.0]]), "relevance must have the shape of scores"
    yield lambda: relevant_ranks([[1.0, 2.0]], [[0.0, 0.0]]), "relevance must be positive for at least one item"
    yield (
        lambda: relevant_ranks({"q": {"a": 1.0, "b": 2.0, "c": 0.5}}, {"q": {"c": 1}}, n_items=2),
        "n_items must be at least 3, the number of documents in the lists, not 2",
    )
    yield lambda: relevant_ranks({"q": {"a": 1.0}}, {"q": {"a": 1}}), "n_items must be an integer of at", TypeError
    place, ones = np.arange(300), np.ones(300, dtype=np.int64)
    many = RelevantRanks(0 * place, place, place, 10**5 * ones, 1.0 * ones, ones > 0, 10**6)
    yield lambda: retrieval_curve(many), "ranks must have fewer ties, not 30,000,300 possible places"
