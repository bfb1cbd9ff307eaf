"""What was judged in the extrapolation of open-set rates: a case on either side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats

from classex.fields.open_set import extrapolate_open_set
from classex.fields.open_set import prediction as _larger
from classex.fields.open_set import prediction as _tail
from classex.fields.open_set import prediction as extrapolation
from classex.fields.open_set.curve import as_searches
from classex.fields.open_set.prediction import (
    Mixing,
    _contradicted,
    _counted_rate,
    _explains,
    _rates_at,
    fit_tail,
    larger_fpir,
    match_rate,
)


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


@pytest.fixture
def exponential():
    return np.random.default_rng(0).exponential(size=(100, 50)), np.arange(100)


@pytest.mark.parametrize(("total", "asked"), [(17, True), (23, False)])
def test_half_a_match_per_search_shows_how_much_searches_differ(total, asked, monkeypatch):
    """No tail is fitted then; rates are judged from a quarter of their upper limit on."""
    rng, tails, least = np.random.default_rng(0), [], []
    scores, mated = rng.normal(size=(40, 100)), rng.normal(size=(12, 100))
    cut = np.sort(scores, axis=None)[-total]
    monkeypatch.setattr(_larger, "fit_tail", lambda *given: tails.append(given))
    supported = _larger.supported
    monkeypatch.setattr(_larger, "supported", lambda *given: least.append(given[3]) or supported(*given))
    searches = as_searches(mated, range(12), scores, None, None)
    larger_fpir(searches, np.array([cut]), np.array([1000.0]), 0.95)
    assert bool(tails) == asked
    most = _counted_rate(scores, np.arange(40), cut, total, 0.95, stats.t(39).ppf(0.975))[1][1]
    assert least == pytest.approx([most / 4])


@pytest.fixture
def certain(exponential):
    """A tail whose parameters are known."""
    tail = fit_tail(*exponential, 0.05)
    return replace(tail, influence=np.zeros_like(tail.influence))


def test_rates_are_extrapolated_to_a_thousandth_of_one_comparison(exponential, certain):
    """A thinner tail than that leaves an upper limit of a thousandth of a match in all comparisons."""
    far = certain.score(np.array([100.0]))
    assert _rates_at(exponential[0], far, certain, 2.0, 0.95)[2] == pytest.approx(1e-3 / 5_000)


def test_the_error_of_the_form_grows_with_the_continued_logarithm(certain):
    """By .03 for each unit."""
    rates = [certain.log_rate(float(certain.score(np.array(certain.level + more)))) for more in (0.001, 2.0, 7.0)]
    (_, start), *beyond = rates
    np.testing.assert_allclose([variance - start for _, variance in beyond], [0.06**2, 0.21**2], rtol=1e-3)


@pytest.mark.parametrize(("errors", "fits"), [(3.0, True), (4.0, False)])
def test_a_tail_is_compared_with_the_highest_scores(exponential, errors, fits, monkeypatch):
    """It is given up beyond three and a half standard errors of their rate."""
    scores, people = exponential
    tail, gaps = fit_tail(scores, people, 0.05), []
    for rank in (10, 30, 100):
        high = np.sort(scores, axis=None)[-rank]
        gaps.append(abs(np.log(match_rate(scores, people, high)[0] * (1 - 0.5 / rank)) + float(tail.exponent(high))))

    def with_errors(*given):
        rate, _ = match_rate(*given)
        return rate, (rate * max(gaps) / errors) ** 2

    monkeypatch.setattr(_tail, "match_rate", with_errors)
    assert (fit_tail(scores, people, 0.05) is not None) == fits


def test_sixteen_thresholds_by_default():
    rng = np.random.default_rng(0)
    searches = as_searches(rng.normal(size=(8, 8)) + 9 * np.eye(8), range(8), rng.normal(size=(8, 8)), None, None)
    assert extrapolation._default_thresholds(searches).size == 16
