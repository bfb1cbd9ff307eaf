"""Queries in units, such as users: against queries alone, users left out one at a time, and coverage."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.fields.retrieval import relevant_ranks, retrieval_curve

N_ITEMS = 200


def of_users(rng, n_users, n_queries, spread=0.8):
    """Scores and relevance of queries whose difficulty depends on the user, and the users."""
    user = np.repeat(np.arange(n_users), n_queries)
    relevance = np.zeros((user.size, N_ITEMS))
    relevance[:, :2] = 1
    help_ = 1.8 + spread * rng.normal(size=n_users)[user]
    return rng.normal(size=relevance.shape) + help_[:, np.newaxis] * relevance, relevance, user


@pytest.mark.parametrize("metric", ["map", "recall@10", "ndcg@5"])
def test_units_of_one_query_change_nothing(metric):
    scores, relevance, _ = of_users(np.random.default_rng(1), 5, 8)
    alone, same = (relevant_ranks(scores, relevance, units=units) for units in (None, np.arange(40)))
    for curve in (retrieval_curve, cx.extrapolate_retrieval):
        for sizes in ([50, N_ITEMS], [N_ITEMS, 10 * N_ITEMS]):
            if curve is retrieval_curve and sizes[1] > N_ITEMS:
                continue
            one, other = (curve(ranks, sizes, metric=metric) for ranks in (alone, same))
            np.testing.assert_allclose(other.standard_error, one.standard_error, rtol=1e-8)
            np.testing.assert_allclose(other.interval(), one.interval(), rtol=1e-8)


@pytest.mark.parametrize("metric", ["map", "hit@3"])
def test_equals_users_left_out_one_at_a_time(metric):
    scores, relevance, user = of_users(np.random.default_rng(2), 6, 10)
    rows = np.random.default_rng(3).permutation(60)[:41]
    scores, relevance, user = scores[rows], relevance[rows], user[rows]

    def curve(kept, units=None):
        ranks = relevant_ranks(scores[kept], relevance[kept], units=units)
        return retrieval_curve(ranks, [100, N_ITEMS], metric=metric)

    whole, n = curve(np.arange(41)), np.unique(user).size
    without = np.array([curve(user != one).accuracy for one in np.unique(user)])
    over_users = (1 - 1 / n) * np.square(without - whole.accuracy).sum(axis=0)
    found = curve(np.arange(41), user)
    np.testing.assert_allclose(found.standard_error, np.sqrt(over_users), rtol=1e-9)
    assert (found.standard_error > 1.2 * whole.standard_error).all()
    assert found.freedom[0] < 2 * n
    assert "41 queries and 6 units" in str(found)
    assert f"with {N_ITEMS} items" in str(found)


def test_the_variance_of_users_reaches_larger_corpora():
    scores, relevance, user = of_users(np.random.default_rng(4), 8, 25)
    for metric in ("map", "mrr"):
        one, other = (
            cx.extrapolate_retrieval(relevant_ranks(scores, relevance, units=units), [2000], metric=metric)
            for units in (None, user)
        )
        assert other.standard_error > 1.5 * one.standard_error
        assert np.diff(other.interval()) > 1.5 * np.diff(one.interval())


def test_lists_and_refusals():
    run = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"b": 3.0, "a": 2.0}, "q3": {"c": 1.0}, "q4": {"a": 1.0, "c": 0.5}}
    judged = {"q4": {"c": 1}, "q1": {"a": 1}, "q2": {"c": -1}, "q3": {"c": 1}}
    users = {"q1": "ann", "q2": "zoe", "q3": "bob", "q4": "ann"}
    ranks = relevant_ranks(run, judged, n_items=10, units=users)
    assert ranks.units.tolist() == [0, 0, 1]  # q2 has no relevant document
    with pytest.raises(ValueError, match="units must hold every query of relevance, but 'q4' has none"):
        relevant_ranks(run, judged, n_items=10, units={"q1": 1, "q2": 2, "q3": 3})
    with pytest.raises(TypeError, match="units must be a mapping from queries where relevance is one"):
        relevant_ranks(run, judged, n_items=10, units=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="at least 2 units"):
        relevant_ranks(run, judged, n_items=10, units=dict.fromkeys(run, "ann"))
    with pytest.raises(ValueError, match="target must be 'average' where queries come in units"):
        cx.extrapolate_retrieval(ranks, 100, target="queries")
