"""Rates at every number of enrolled against all subsets, standard errors against repeated experiments."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.fields.open_set import binomial_fpir, open_set_curve


def by_enumeration(scores, labels, nonmated, threshold, size, top):
    """Both rates, averaged over every subset of the enrolled, with ties broken at random in expectation."""
    n = scores.shape[1]
    false_alarm = []
    for person in range(nonmated.shape[0]):
        galleries = list(combinations(range(n), size))
        false_alarm.append(np.mean([(nonmated[person, list(g)] >= threshold).any() for g in galleries]))
    by_person: dict[int, list[float]] = {}
    for row, label in zip(scores, labels, strict=True):
        others = [c for c in range(n) if c != label]
        found = []
        for rest in combinations(others, size - 1):
            above = sum(row[c] > row[label] for c in rest)
            ties = sum(row[c] == row[label] for c in rest)
            # of the ties + 1 equal scores every order is as likely
            right = np.mean([above + ahead < top for ahead in range(ties + 1)])
            found.append(right * (row[label] >= threshold))
        by_person.setdefault(int(label), []).append(float(np.mean(found)))
    return float(np.mean(false_alarm)), 1 - float(np.mean([np.mean(found) for found in by_person.values()]))


@pytest.mark.parametrize("top", [1, 2])
@pytest.mark.parametrize("size", [3, 4, 6])
def test_rates_are_averages_over_all_subsets(size, top):
    rng = np.random.default_rng([7, size])
    labels = np.array([0, 0, 1, 2, 4, 4, 4])  # no searches for 3 and 5
    scores = np.rint(4 * rng.standard_normal((7, 6)))
    scores[np.arange(7), labels] += 3
    nonmated = np.rint(4 * rng.standard_normal((5, 6)))
    cuts = [-2.0, 1.0, 4.0]
    curve = open_set_curve(scores, labels, nonmated, cuts, n_enrolled=size, top=top)
    expected = np.array([by_enumeration(scores, labels, nonmated, cut, size, top) for cut in cuts])
    np.testing.assert_allclose(curve.fpir, expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(curve.fnir, expected[:, 1], atol=1e-12)


def test_people_weigh_the_same_however_many_searches_they_make():
    scores, labels = np.eye(3), [0, 1, 2]
    nonmated = np.array([[1.0, 0.0, 0.0]] * 3 + [[0.0, 0.0, 0.0]])
    curve = open_set_curve(scores, labels, nonmated, 0.5, nonmated_labels=["a", "a", "a", "b"])
    assert curve.fpir[0] == pytest.approx(0.5)
    assert curve.fmr[0] == pytest.approx(1 / 6)


def experiment(rng, n, nonmated):
    """People are points in the plane, images lie around them; some people resemble many others."""
    gallery, strangers = rng.standard_normal((n, 2)), rng.standard_normal((nonmated, 2))
    mated = gallery + 0.15 * rng.standard_normal((n, 2))
    distance = [-np.linalg.norm(p[:, np.newaxis] - gallery, axis=2) for p in (mated, strangers)]
    return distance[0], np.arange(n), distance[1]


def test_the_pooled_formula_is_an_upper_bound():
    rng = np.random.default_rng(3)
    _, _, nonmated = experiment(rng, 80, 200)
    scores, labels, _ = experiment(rng, 80, 1)
    for size in (5, 20, 80):
        curve = open_set_curve(scores, labels, nonmated, [-0.3, -0.1], n_enrolled=size)
        assert (binomial_fpir(curve.fmr, size) >= curve.fpir).all()
    np.testing.assert_allclose(binomial_fpir([0.0, 1.0], 5), [0.0, 1.0])


def test_no_error_seen_still_leaves_an_interval():
    curve = open_set_curve(np.eye(20), np.arange(20), np.zeros((30, 20)), 0.5)
    assert curve.fpir[0] == curve.fnir[0] == 0
    # no success in n independent trials has probability 1 - level at a rate of about 3 / n
    assert 2 / 30 < curve.fpir_interval[0, 1] < 4.5 / 30
    assert 2 / 20 < curve.fnir_interval[0, 1] < 4.5 / 20


def one_by_one(scores, labels, nonmated, cut, size, top):
    """Rates and errors at one threshold by plain loops: mated searches below it are scored below everyone."""
    n, half = scores.shape[1], size if size <= scores.shape[1] // 2 else scores.shape[1] // 2

    def without(low, n, drawn):
        return comb(low, drawn) / comb(n, drawn) if low >= 0 else 0.0

    m = (nonmated >= cut).sum(axis=1)
    at = {k: np.array([1 - without(n - hits, n, k) for hits in m]) for k in (size, half)}
    change = np.zeros((m.size, n))
    for x in range(m.size):
        kept, lost = (1 - without(n - m[x] - one, n - 1, half) for one in (0, 1))
        change[x] = (lost - kept) / m.size * (nonmated[x] < cut)
    change -= change.mean(axis=1, keepdims=True)
    shared = np.square(change.sum(axis=0)).sum() - np.square(change).sum()
    gallery = max((n - 1) / n * shared * m.size / (m.size - 1), 0.0)
    own, alone = (at[k].var(ddof=1) / m.size for k in (size, half))
    error = own + gallery if half == size else own * (1 + (gallery / alone if alone > 0 else 0.0))
    lowered = scores.copy()
    rows = np.arange(len(labels))
    short = rows[scores[rows, labels] < cut]
    lowered[short, labels[short]] = scores.min() - 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mated = cx.accuracy_curve(cx.correct_ranks(lowered, labels), size, top=top)
    return at[size].mean(), np.sqrt(error), 1 - mated.accuracy[0], mated.standard_error[0]


@pytest.mark.parametrize(("size", "top"), [(2, 1), (5, 2), (10, 1), (17, 3), (20, 1)])
def test_all_thresholds_at_once_are_each_alone(size, top):
    rng = np.random.default_rng([8, size])
    labels = np.append(np.repeat(np.arange(15), 2), [16, 17])
    scores = np.rint(3 * rng.standard_normal((labels.size, 20)))
    scores[np.arange(labels.size), labels] += 5
    nonmated = np.rint(3 * rng.standard_normal((12, 20)))
    cuts = np.array([4.0, -3.0, 0.0, 7.0, 4.0])
    curve = open_set_curve(scores, labels, nonmated, cuts, n_enrolled=size, top=top)
    found = np.stack([curve.fpir, curve.fpir_error, curve.fnir, curve.fnir_error], axis=1)
    expected = np.array([one_by_one(scores, labels, nonmated, cut, size, top) for cut in cuts])
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert len(str(curve).splitlines()) == 3 + cuts.size


def test_several_searches_by_one_person_count_once():
    """Every non-mated search made twice with the same scores: rates and errors as if once."""
    rng = np.random.default_rng(4)
    scores, nonmated = rng.normal(size=(12, 12)) + 2 * np.eye(12), rng.normal(size=(9, 12))
    once = open_set_curve(scores, range(12), nonmated, [0.5, 1.5], n_enrolled=5)
    who = np.tile(np.arange(9), 2)
    twice = open_set_curve(
        scores, range(12), np.vstack([nonmated, nonmated]), [0.5, 1.5], n_enrolled=5, nonmated_labels=who
    )
    np.testing.assert_allclose(twice.fpir_error, once.fpir_error, rtol=1e-10)


def test_one_enrolled_is_verification_and_a_long_list_has_no_limit_of_rank():
    rng = np.random.default_rng(9)
    scores, nonmated = rng.normal(size=(12, 12)) + 2 * np.eye(12), rng.normal(size=(9, 12))
    curve = open_set_curve(scores, range(12), nonmated, [0.5, 1.5], n_enrolled=1)
    np.testing.assert_allclose(curve.fpir, curve.fmr)
    non_match = (np.diag(scores) < np.array([[0.5], [1.5]])).mean(axis=1)
    np.testing.assert_allclose(curve.fnir, non_match)
    for size, top in ((12, 12), (12, 40), (3, 3)):
        listed = open_set_curve(scores, range(12), nonmated, [0.5, 1.5], n_enrolled=size, top=top)
        np.testing.assert_allclose(listed.fnir, non_match)
        assert (listed.fnir_interval[:, 0] < listed.fnir).all()
        assert (listed.fnir < listed.fnir_interval[:, 1]).all()


@pytest.mark.parametrize("n", [20, 100])
def test_an_identity_that_matches_everyone_is_one_observation(n):
    """2 % of people match every search: if one is enrolled, the interval covers the true FPIR."""
    truth = 1 - 0.98**n
    for seed in range(40):
        hub = np.random.default_rng([seed, n]).random(n) < 0.02
        ends = open_set_curve(np.eye(n), range(n), np.tile(hub.astype(float), (30, 1)), 0.5).fpir_interval[0]
        if hub.any():
            assert ends[0] < truth < ends[1], (seed, ends)


def test_identities_that_always_fail():
    """5 % of identities always fail, ten probes each: nominal 95 % intervals cover 95 % to 3 standard errors."""
    covered = []
    for seed in range(100):
        fails = np.random.default_rng([seed, 5]).random(20) < 0.05
        scores = np.repeat(np.eye(20) * np.where(fails, -1, 1)[:, np.newaxis], 10, axis=0)
        curve = open_set_curve(scores, np.repeat(np.arange(20), 10), np.zeros((20, 20)), 0.5)
        covered.append(curve.fnir_interval[0, 0] <= 0.05 <= curve.fnir_interval[0, 1])
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 100)


def test_errors_beyond_half_where_all_searches_have_the_same_matches():
    """One identity that every search matches: never more than one trial's error, and no rounding."""
    for n, nonmated, sizes in ((10, 50, range(1, 11)), (7, 61, range(1, 8))):
        hub = np.zeros((nonmated, n))
        hub[:, 0] = 1
        for size in sizes:
            curve = open_set_curve(np.eye(n) * 2, range(n), hub, 0.5, n_enrolled=size)
            rate, half = size / n, min(size, n // 2) / n
            # up to half the jackknife's error is the rate; beyond, as many trials
            expected = half * np.sqrt(rate * (1 - rate) / (half * (1 - half)))
            np.testing.assert_allclose(curve.fpir_error[0], expected, atol=1e-12)
            assert curve.fpir_error[0] <= np.sqrt(rate * (1 - rate)) + 1e-12
            assert curve.fpir_interval[0, 0] < rate < curve.fpir_interval[0, 1] or rate == 1


def test_the_fnir_error_is_the_jackknife_over_identities():
    """Identities are left out as the searched ones and as rivals, and both rates enumerated anew."""
    rng = np.random.default_rng(12)
    scores, nothing = rng.normal(size=(7, 7)) + 1.5 * np.eye(7), np.zeros((1, 6))
    rates = []
    for i in range(7):
        kept = np.delete(np.arange(7), i)
        rates.append(by_enumeration(scores[np.ix_(kept, kept)], np.arange(6), nothing, 0.5, 3, 1)[1])
    curve = open_set_curve(scores, range(7), np.zeros((3, 7)), 0.5, n_enrolled=3)
    expected = np.sqrt(6 / 7 * np.square(rates - np.mean(rates)).sum())
    assert curve.fnir_error[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("size", [4, 8, 12])
@pytest.mark.parametrize("people", [None, [0, 0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11]])
def test_default_thresholds_are_the_lowest_with_each_fpir(size, people):
    """Against every threshold that is a score or just above one."""
    rng = np.random.default_rng([13, size])
    scores, nonmated = np.rint(4 * (rng.normal(size=(12, 12)) + 2 * np.eye(12))), np.rint(4 * rng.normal(size=(15, 12)))
    options = {"n_enrolled": size, "nonmated_labels": people}
    found = open_set_curve(scores, range(12), nonmated, **options)
    values = np.unique(nonmated)
    every = np.concatenate([values, np.nextafter(values, np.inf)])
    whole = open_set_curve(scores, range(12), nonmated, every, **options)
    for rate in (0.0, 0.1, 0.2, 0.5, 0.95):
        if 0 < rate < 1 / (15 if people is None else 12):
            continue
        lowest = whole.thresholds[whole.fpir <= rate + 1e-9].min()
        assert lowest in found.thresholds, rate
        if rate > 0 and np.isclose(whole.fpir, rate, atol=1e-12).any():
            at = found.fnir_at_fpir(rate)
            assert at.fnir[0] == pytest.approx(whole.fnir[whole.thresholds == lowest][0], abs=1e-12)
            assert at.thresholds[0] == pytest.approx(lowest, abs=1e-9)
    assert (found.fpir == 0).any()


def test_points_on_the_trade_off_by_plain_interpolation():
    rng = np.random.default_rng(14)
    curve = open_set_curve(rng.normal(size=(50, 50)) + 3 * np.eye(50), range(50), rng.normal(size=(80, 50)))
    order = np.argsort(curve.thresholds)
    fpir, fnir = curve.fpir[order], curve.fnir[order]
    for rate in (0.02, 0.11, 0.5):
        i = np.flatnonzero(fpir > rate)[-1]
        z = special.ndtri(np.clip([fpir[i], rate, fpir[i + 1]], 1e-12, 1))
        expected = fnir[i] + (z[0] - z[1]) / (z[0] - z[2]) * (fnir[i + 1] - fnir[i])
        found = curve.fnir_at_fpir(rate)
        assert found.fnir[0] == pytest.approx(expected, abs=1e-12)
        assert found.fpir_interval.tolist() == [[rate, rate]]
    equal = curve.equal_error_rate()
    assert equal.fpir[0] == equal.fnir[0]
    i = np.flatnonzero(fpir > fnir)[-1]
    assert fnir[i] <= equal.fpir[0] <= fpir[i] or fpir[i + 1] <= equal.fpir[0] <= fnir[i + 1]
    assert (equal.fpir_interval == equal.fnir_interval).all()


def test_rates_that_the_searches_cannot_resolve_are_refused():
    rng = np.random.default_rng(15)
    curve = open_set_curve(rng.normal(size=(20, 20)) + 3 * np.eye(20), range(20), rng.normal(size=(50, 20)))
    with pytest.raises(
        ValueError, match=r"fpir must be between 0\.02 and .*with 20 enrolled, but is 0\.01: search 100"
    ):
        curve.fnir_at_fpir(0.01)
    with pytest.warns(UserWarning, match=r"search 100 strangers or more; left out: 0\.01"):
        found = curve.fnir_at_fpir([0.01, 0.02])
    assert found.fpir.tolist() == [0.02]
    # one false positive in 50: the data do not bound FNIR at .02 from above
    assert curve.fnir_at_fpir(0.02).fnir_interval[0, 1] == 1.0


def test_a_given_rate_has_no_interval():
    rng = np.random.default_rng(1)
    curve = open_set_curve(rng.normal(size=(20, 20)) + 3 * np.eye(20), range(20), rng.normal(size=(50, 20)))
    at = curve.fnir_at_fpir([0.1, 0.2])
    names, rows = at._displayed()
    assert [row[names.index("FPIR 95 % interval")] for row in rows] == ["set", "set"]
    assert "set" not in [row[names.index("FNIR 95 % interval")] for row in rows]
    assert "FPIR 0.1 (95 % interval set)" in at.report()
    assert "set" not in str(curve.equal_error_rate())
    assert at.fpir_interval.tolist() == [[0.1, 0.1], [0.2, 0.2]]
