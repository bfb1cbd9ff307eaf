"""What was judged in the extrapolation of open-set rates: a case on either side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from classex.open_set import _larger, extrapolate_open_set
from classex.open_set._larger import _contradicted, _counted_rate, _explains, larger_fpir
from classex.open_set._tail import Mixing, fit_tail
from classex.open_set.curve import as_searches


@pytest.mark.parametrize(("chance", "explained"), [(0.0045, False), (0.0055, True)])
def test_a_tail_is_rejected_by_a_test_of_one_percent(chance, explained):
    """No match, or so many, with half a percent on either side."""
    comparisons, none = 10_000, -np.log(chance)
    assert _explains(np.log(none / comparisons), 0.0, 0, comparisons, 2.0) == explained
    mean = special.gammaincinv(20, chance)  # 20 matches or more have this probability
    assert stats.poisson.sf(19, mean) == pytest.approx(chance)
    assert _explains(np.log(mean / comparisons), 0.0, 20, comparisons, 2.0) == explained


@pytest.mark.parametrize(("nats", "contradicted"), [(2.7, False), (3.3, True)])
def test_mixings_are_contradicted_by_three_nats(nats, contradicted):
    """Half of the searches have all matches; equal rates are less likely than two rates by so many nats."""
    matches, made = np.repeat([0, 4], 4), np.full(8, 100)
    equal, two = Mixing(np.array([0.02]), np.ones(1)), Mixing(np.array([1e-9, 0.04]), np.array([0.5, 0.5]))
    likely = [
        np.mean([np.log(one.weight @ stats.binom.pmf(m, 100, one.rate)) for m in matches]) for one in (equal, two)
    ]
    counts = np.full(8, nats / 8 / (likely[1] - likely[0]))
    assert _contradicted([equal], [two], matches, counts, made) == contradicted


@pytest.mark.parametrize(("total", "enough"), [(27, False), (33, True)])
def test_thirty_matches_are_enough_for_limits_on_the_log_scale(total, enough):
    scores = np.zeros((50, 200))
    scores.flat[np.random.default_rng(0).choice(10_000, total, replace=False)] = 1
    rate, (low, high) = _counted_rate(scores, np.arange(50), 0.5, total, 0.95, 2.0)
    assert (np.sqrt(low * high) == pytest.approx(rate, rel=1e-9)) == enough


@pytest.mark.parametrize(("n_enrolled", "share"), [(50, 0.04), (1000, 0.01)])
def test_the_tail_starts_at_one_percent_or_two_scores_of_a_search(n_enrolled, share, monkeypatch):
    rng, asked = np.random.default_rng(0), []

    monkeypatch.setattr(_larger, "fit_tail", lambda *given: asked.append(given[2]))
    scores = rng.normal(size=(12, n_enrolled))
    searches = as_searches(scores, range(12), rng.normal(size=(40, n_enrolled)), None, None)
    larger_fpir(searches, np.array([5.0]), np.array([10.0 * n_enrolled]), 0.95)
    assert asked[0] == pytest.approx(share)


def test_a_tail_needs_two_hundred_scores_of_twenty_kinds():
    rng = np.random.default_rng(0)
    scores, people = rng.exponential(size=(100, 50)), np.arange(100)
    assert fit_tail(scores, people, 0.01).people.size == 200
    # among the 500 highest of 5,000 there are 17 or 23 values that are so far apart
    for step, fits in ((0.33, False), (0.23, True)):
        assert (fit_tail(np.round(scores / step) * step, people, 0.1) is not None) == fits


@pytest.mark.parametrize("n_people", [7, 8])
def test_the_fewest_people(n_people):
    rng = np.random.default_rng(0)
    mated, nonmated = rng.normal(size=(20, 20)) + 9 * np.eye(20), rng.normal(size=(n_people, 20))
    if n_people == 7:
        with pytest.raises(ValueError, match="must hold 8 people or more"):
            extrapolate_open_set(mated, range(20), nonmated, 4.0, n_enrolled=40)
    else:
        assert extrapolate_open_set(mated, range(20), nonmated, 1.0, n_enrolled=40).fpir[0] > 0
