"""Retrieval metrics in larger corpora: populations whose truth is known, and intervals."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.curves.accuracy import spaced_sizes
from classex.fields.retrieval import RelevantRanks, _fits_of_first, _redrawn, relevant_ranks, retrieval_curve
from classex.forecast.forecast import MOST_SIZES


def queries(n, rng, mean=2.0, between=1.0, within=0.7, most=10):
    """Query of each relevant item, 1 to `most` of them, with scores in falling order, and gains 1 to 3."""
    query = np.repeat(np.arange(n), rng.integers(1, most + 1, n))
    score = rng.normal(mean, between, n)[query] + rng.normal(0, within, query.size)
    return query, score[np.lexsort((-score, query))], rng.integers(1, 4, query.size).astype(float)


def search(sample, n_items, rng):
    """Ranks among other items whose scores are standard normal, drawn place by place."""
    query, score, gain = sample
    place = np.arange(query.size) - np.searchsorted(query, query)
    others = n_items - np.bincount(query)[query]
    beats = special.ndtr(-score)
    losses = np.zeros(query.size, dtype=np.int64)
    for at in range(place.max() + 1):
        rows = np.flatnonzero(place == at)
        known, below = (losses[rows - 1], beats[rows - 1]) if at else (0, 0.0)
        losses[rows] = known + rng.binomial(others[rows] - known, np.clip((beats[rows] - below) / (1 - below), 0, 1))
    return RelevantRanks(query, place, losses, np.zeros_like(losses), gain, np.ones(query.size, dtype=bool), n_items)


@pytest.mark.parametrize("metric", ["recall@3", "ndcg@3", "mrr"])
def test_coverage_of_both_intervals(metric):
    """Nominal .95: of 40 samples of 200 queries, at least 30 cover each truth.

    With true coverage .95 fewer than 30 has a probability below 1e-5, and 14 more such numbers are tested. The truth is
    the mean of 20,000 queries, whose standard error is a tenth of that of a sample.
    """
    rng = np.random.default_rng(7)
    population = queries(20_000, rng)
    truth = retrieval_curve(search(population, 1000, rng), [30, 300, 1000], metric=metric).accuracy
    larger = [retrieval_curve(search(population, n, rng), metric=metric).accuracy[0] for n in (3000, 30_000)]
    observed, predicted = [], []
    for _ in range(40):
        ranks = search(queries(200, rng), 1000, rng)
        low, high = retrieval_curve(ranks, [30, 300, 1000], metric=metric).interval().T
        observed.append((low <= truth) & (truth <= high))
        low, high = cx.extrapolate_retrieval(ranks, [3000, 30_000], metric=metric).interval().T
        predicted.append((low <= larger) & (larger <= high))
    assert np.sum(observed, axis=0).min() >= 30
    assert np.sum(predicted, axis=0).min() >= 30


@pytest.mark.parametrize("most", [1, 3])
def test_precision_of_queries_with_few_relevant_items(most):
    """It is at most a tenth, or three: intervals cover the mean of 40,000 queries, and are not those of rates up to 1.

    Of 100 samples of 50 queries at least 85 (fewer has a probability of 4e-5 a number). Taken as a rate up to one, the
    half-widths were 6 to 13 standard errors.
    """
    rng = np.random.default_rng(7)
    truth = retrieval_curve(search(queries(40_000, rng, most=most), 1000, rng), [100, 1000], metric="precision@10")
    covered, halves, errors = [], [], []
    for _ in range(100):
        found = retrieval_curve(search(queries(50, rng, most=most), 1000, rng), [100, 1000], metric="precision@10")
        low, high = found.interval().T
        covered.append((low <= truth.accuracy) & (truth.accuracy <= high))
        halves.append((high - low) / 2)
        errors.append(found.standard_error)
        np.testing.assert_array_equal(found.limits, [[0, most / 10]] * 2)
    assert np.sum(covered, axis=0).min() >= 85
    ratio = np.mean(halves, axis=0) / np.mean(errors, axis=0)
    assert (ratio > 1.8).all()
    assert (ratio < 2.5).all()
    whole = retrieval_curve(search(queries(200, rng), 1000, rng), metric="precision@5")
    assert whole.limits.tolist() == [[0, 1]]


@pytest.mark.parametrize("metric", ["recall@3", "mrr", "ndcg@5", "map"])
def test_one_relevant_item_is_the_default_method(metric):
    rng = np.random.default_rng(1)
    scores, relevance = rng.normal(size=(80, 300)), np.eye(80, 300)
    scores += 2 * relevance
    ranks = cx.ranks_from_wins(np.sum(scores < np.diagonal(scores)[:, np.newaxis], axis=1), 300)
    estimator = cx.Extrapolator().fit_ranks(ranks)
    one = "mrr" if metric == "map" else metric
    curve = cx.extrapolate_retrieval(relevant_ranks(scores, relevance), [300, 2000], metric=metric)
    np.testing.assert_allclose(curve.accuracy, estimator.predict([300, 2000], metric=one), rtol=1e-6)
    # beyond the corpus errors of shares are those of the accuracy, where the default takes one that is as hard
    np.testing.assert_allclose(curve.standard_error, estimator.standard_error([300, 2000], metric=one), rtol=0.25)


def test_lists_that_are_cut_off():
    """Lists of 200 of 2,000 items predict as whole lists do, within half a standard error; lists of 2 are refused."""
    rng = np.random.default_rng(2)
    scores, relevance = rng.normal(size=(60, 2000)), np.zeros((60, 2000))
    relevance[:, :3] = 1
    scores += 2.5 * relevance
    whole = cx.extrapolate_retrieval(relevant_ranks(scores, relevance), [10_000], metric="recall@10")
    qrels = {str(q): {str(d): 1.0 for d in range(3)} for q in range(60)}
    for depth in (200, 2):
        run = {str(q): {str(d): row[d] for d in np.argsort(-row)[:depth].tolist()} for q, row in enumerate(scores)}
        ranks = relevant_ranks(run, qrels, n_items=2000)
        if depth == 2:
            with pytest.raises(ValueError, match=r"longer lists: in \d+ of 60 queries they lack relevant item 1"):
                cx.extrapolate_retrieval(ranks, [10_000], metric="recall@10")
        else:
            assert not ranks.found.all()
            cut = cx.extrapolate_retrieval(ranks, [10_000], metric="recall@10")
            assert abs(cut.accuracy[0] - whole.accuracy[0]) < 0.5 * whole.standard_error[0]


def test_late_items_of_few_queries_and_empty_lists():
    """Lists of 50 hold few of the ninth items, which count 0, as does an empty list; lists of 10 are refused."""
    rng = np.random.default_rng(5)
    scores, relevance = rng.normal(size=(60, 2000)), np.zeros((60, 2000))
    relevance[:, :2], relevance[:8, :9] = 1, 1
    scores += 2.5 * relevance
    whole = cx.extrapolate_retrieval(relevant_ranks(scores, relevance), [8_000], metric="ndcg@10")
    qrels = {str(q): {str(d): 1.0 for d in np.flatnonzero(row)} for q, row in enumerate(relevance)}
    qrels["none"] = {"0": 1.0}
    for depth in (50, 10):
        run = {str(q): {str(d): row[d] for d in np.argsort(-row)[:depth].tolist()} for q, row in enumerate(scores)}
        with pytest.warns(UserWarning, match="count as finding nothing, 1 of 61: 'none'"):
            ranks = relevant_ranks(run, qrels, n_items=2000)
        if depth == 10:
            with pytest.raises(ValueError, match="longer lists"):
                cx.extrapolate_retrieval(ranks, [8_000], metric="ndcg@10")
        else:
            cut = cx.extrapolate_retrieval(ranks, [8_000], metric="ndcg@10")
            assert abs(cut.accuracy[0] * 61 / 60 - whole.accuracy[0]) < 0.5 * whole.standard_error[0]


def one_item(losses, found, n=2_000):
    """Queries with one relevant item each."""
    losses, zero = np.asarray(losses), np.zeros(len(losses), dtype=np.int64)
    return RelevantRanks(np.arange(losses.size), zero, losses, zero, zero + 1.0, np.asarray(found), n)


@pytest.mark.parametrize(("losses", "refused"), [(3, False), (2, True)])
def test_an_item_three_times_below_the_cutoff_is_among_those_in_no_larger_corpus(losses, refused):
    """Ten missing items of forty matter to the fit, if they are not taken as beaten by all others."""
    ranks = one_item(np.repeat([0, losses], [30, 10]), np.repeat([True, False], [30, 10]), n=200)
    if refused:
        with pytest.raises(ValueError, match="longer lists"):
            cx.extrapolate_retrieval(ranks, [800], metric="recall@1")
    else:
        assert 0 < cx.extrapolate_retrieval(ranks, [800], metric="recall@1").accuracy[0] <= 0.75


def test_numbers_that_a_missing_item_changes_by_a_tenth_of_their_error_are_left_out():
    """Reference: the chance that none of k - 1 items of 1,999 is above it, over the standard error without it."""
    ratios, rng = [], np.random.default_rng(0)
    for lost in range(300, 1_500, 80):
        losses = np.array([0, *rng.integers(0, 200, 39), lost])
        found = np.arange(41) < 40
        share = np.full(41, 1 / 41)
        fit, _ = _fits_of_first(one_item(losses, found), np.arange(41), share, None)
        sizes = spaced_sizes(2, 2_000, MOST_SIZES)
        chance = np.array([[comb(1_999 - x, int(k) - 1) / comb(1_999, int(k) - 1) for k in sizes] for x in losses])
        error = np.std(found[:, np.newaxis] * chance, axis=0, ddof=1) / np.sqrt(41)
        ratio = chance[-1] / 41 / error
        np.testing.assert_array_equal(fit.sizes, sizes[ratio <= 0.1])
        ratios.append(ratio)
    ratios = np.array(ratios)
    assert ((ratios > 0.07) & (ratios < 0.1)).any()
    assert ((ratios > 0.1) & (ratios < 0.13)).any()


@pytest.mark.parametrize("metric", ["recall@3", "mrr"])
def test_up_to_the_observed_corpus_the_value_is_the_observed_one(metric):
    """Also beside larger corpora, and from lists that are too short for those."""
    ranks = search(queries(20, np.random.default_rng(8)), 200, np.random.default_rng(9))
    known = retrieval_curve(ranks, [20, 100, 200], metric=metric)
    for sizes in ([20, 100, 200], [20, 100, 200, 2000]):
        found = cx.extrapolate_retrieval(ranks, sizes, metric=metric)
        np.testing.assert_array_equal(found.accuracy[:3], known.accuracy)
        np.testing.assert_array_equal(found.standard_error[:3], known.standard_error)
    these = cx.extrapolate_retrieval(ranks, [20, 100, 200, 2000], metric=metric, target="queries")
    np.testing.assert_array_equal(these.accuracy[:3], known.accuracy)
    short = {str(q): {str(d): -float(d) for d in range(3)} for q in range(40)}
    judged = {str(q): {str(q % 9): 1.0} for q in range(40)}
    cut = relevant_ranks(short, judged, n_items=100)
    assert cx.extrapolate_retrieval(cut, 100, metric="mrr").accuracy[0] == pytest.approx(
        np.mean([1 / (1 + q % 9) if q % 9 < 3 else 0 for q in range(40)])
    )
    with pytest.raises(ValueError, match="longer lists"):
        cx.extrapolate_retrieval(cut, 1000, metric="mrr")


def test_errors_for_these_queries_are_those_of_twenty_other_corpora(monkeypatch):
    """The standard deviation of n draws errs by 1 / sqrt(2 (n - 1)) of itself: a sixth, within a tenth of that."""
    ranks, drawn = search(queries(20, np.random.default_rng(12)), 100, np.random.default_rng(13)), []

    def kept(ranks, rng):
        drawn.append(_redrawn(ranks, rng))
        return drawn[-1]

    monkeypatch.setattr("classex.fields.retrieval._redrawn", kept)
    found = cx.extrapolate_retrieval(ranks, [100], metric="recall@10", target="queries")
    assert 1 / np.sqrt(2 * (len(drawn) - 1)) == pytest.approx(1 / 6, rel=0.1)
    values = [retrieval_curve(one, metric="recall@10").accuracy[0] for one in drawn]
    assert found.standard_error[0] >= np.std(values, ddof=1) * (1 - 1e-12)


def test_items_above_in_another_corpus():
    """Poisson: as many as in this one, but half an item more above the first relevant one; z of the means below 4."""
    n = 40_000
    losses = np.tile([0, 3, 3, 10], n)
    place = np.tile([0, 1, 2, 3], n)
    one = np.ones(4 * n)
    ranks = RelevantRanks(np.repeat(np.arange(n), 4), place, losses, 0 * losses, one, one > 0, 10**6)
    found = _redrawn(ranks, np.random.default_rng(14)).losses.reshape(n, 4)
    for column, mean in zip(found.T, (0.5, 3.5, 3.5, 10.5), strict=True):
        assert abs(column.mean() - mean) < 4 * np.sqrt(mean / n)
        assert column.var(ddof=1) == pytest.approx(mean, rel=0.05)
    assert (found[:, 1] == found[:, 2]).all()
