"""Rates at every gallery size against all sub-galleries, standard errors against repeated experiments."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from classex.open_set import binomial_fpir, extrapolate_open_set, open_set_curve


def by_enumeration(scores, labels, impostors, threshold, size, top):
    """Both rates, averaged over every sub-gallery, with ties broken at random in expectation."""
    n = scores.shape[1]
    false_alarm = []
    for person in range(impostors.shape[0]):
        galleries = list(combinations(range(n), size))
        false_alarm.append(np.mean([(impostors[person, list(g)] >= threshold).any() for g in galleries]))
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
def test_rates_are_averages_over_all_sub_galleries(size, top):
    rng = np.random.default_rng([7, size])
    labels = np.array([0, 0, 1, 2, 4, 4, 4])  # nobody looks for 3 and 5
    scores = np.rint(4 * rng.standard_normal((7, 6)))
    scores[np.arange(7), labels] += 3
    impostors = np.rint(4 * rng.standard_normal((5, 6)))
    cuts = [-2.0, 1.0, 4.0]
    curve = open_set_curve(scores, labels, impostors, cuts, n_enrolled=size, top=top)
    expected = np.array([by_enumeration(scores, labels, impostors, cut, size, top) for cut in cuts])
    np.testing.assert_allclose(curve.fpir, expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(curve.fnir, expected[:, 1], atol=1e-12)


def test_people_weigh_the_same_however_many_searches_they_make():
    scores, labels = np.eye(3), [0, 1, 2]
    impostors = np.array([[1.0, 0.0, 0.0]] * 3 + [[0.0, 0.0, 0.0]])
    curve = open_set_curve(scores, labels, impostors, 0.5, impostor_labels=["a", "a", "a", "b"])
    assert curve.fpir[0] == pytest.approx(0.5)
    assert curve.fmr[0] == pytest.approx(1 / 6)


def experiment(rng, n, impostors):
    """People are points in the plane, images lie around them; some people resemble many others."""
    gallery, strangers = rng.standard_normal((n, 2)), rng.standard_normal((impostors, 2))
    mated = gallery + 0.15 * rng.standard_normal((n, 2))
    distance = [-np.linalg.norm(p[:, np.newaxis] - gallery, axis=2) for p in (mated, strangers)]
    return distance[0], np.arange(n), distance[1]


def test_standard_errors_against_repeated_experiments():
    """The mean estimated variance is that of 200 experiments, to 4 standard errors of that comparison."""
    rng = np.random.default_rng(11)
    for size in (15, 30):
        drawn = [open_set_curve(*experiment(rng, 30, 40), -0.2, n_enrolled=size) for _ in range(200)]
        for rate, error in (("fpir", "fpir_error"), ("fnir", "fnir_error")):
            value = np.array([getattr(one, rate)[0] for one in drawn])
            estimated = np.mean([getattr(one, error)[0] ** 2 for one in drawn])
            ratio = estimated / value.var(ddof=1)
            # a sample variance of nearly normal values varies by sqrt(2 / n); beyond half the gallery the
            # impostors' and the gallery's parts are only known to keep their ratio, which errs on the safe side
            allowed = 4 * np.sqrt(2 / 200)
            assert 1 - allowed < ratio < (1 + allowed if size == 15 else 1.9), (size, rate, ratio)


def test_the_pooled_formula_is_an_upper_bound():
    rng = np.random.default_rng(3)
    _, _, impostors = experiment(rng, 80, 200)
    scores, labels, _ = experiment(rng, 80, 1)
    for size in (5, 20, 80):
        curve = open_set_curve(scores, labels, impostors, [-0.3, -0.1], n_enrolled=size)
        assert (binomial_fpir(curve.fmr, size) >= curve.fpir).all()
    np.testing.assert_allclose(binomial_fpir([0.0, 1.0], 5), [0.0, 1.0])


def test_no_error_seen_still_leaves_an_interval():
    curve = open_set_curve(np.eye(20), np.arange(20), np.zeros((30, 20)), 0.5)
    assert curve.fpir[0] == curve.fnir[0] == 0
    # no success in n independent trials has probability 1 - level at a rate of about 3 / n
    assert 2 / 30 < curve.fpir_interval[0, 1] < 4.5 / 30
    assert 2 / 20 < curve.fnir_interval[0, 1] < 4.5 / 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"impostor_scores": [[1.0, 2.0]]}, "impostor_scores must have shape"),
        ({"n_enrolled": 4}, "n_enrolled must be an integer"),
        ({"thresholds": [np.nan]}, "thresholds must be finite"),
        ({"impostor_labels": [1, 2]}, "impostor_labels must have shape"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"top": 3}, "top must be an integer"),
    ],
)
def test_bad_input(change, message):
    good = {"scores": np.eye(3), "labels": [0, 1, 2], "impostor_scores": np.zeros((1, 3)), "thresholds": 0.5}
    with pytest.raises(ValueError, match=message):
        open_set_curve(**(good | change))


def test_beyond_the_gallery_against_a_larger_one():
    """Predictions from 60 people for 240, over 12 experiments: the mean error within 4 standard errors, and 0.03."""
    rng = np.random.default_rng(5)
    missed = []
    for _ in range(12):
        mated, labels, strangers = experiment(rng, 240, 60)
        found = open_set_curve(mated, labels, strangers, -0.2)
        few = extrapolate_open_set(
            mated[:60, :60], labels[:60], strangers[:, :60], -0.2, n_enrolled=[60, 240], n_resamples=10
        )
        missed.append([few.fpir[1] - found.fpir[0], few.fnir[1] - found.fnir[0]])
        assert (few.fpir_interval[:, 0] <= few.fpir).all()
        assert (few.fnir <= few.fnir_interval[:, 1]).all()
    mean, spread = np.mean(missed, axis=0), np.std(missed, axis=0, ddof=1) / np.sqrt(12)
    assert (np.abs(mean) < 4 * spread + 0.03).all()
    assert "Predicted from a gallery of 60" in str(few)


def test_a_threshold_nobody_reaches():
    rng = np.random.default_rng(1)
    mated, labels, strangers = experiment(rng, 20, 20)
    prediction = extrapolate_open_set(mated, labels, strangers, 1.0, n_enrolled=100, n_resamples=10)
    assert prediction.fnir[0] == 1.0
    assert prediction.fpir[0] < 0.2
    with pytest.raises(ValueError, match="must hold 8 people or more"):
        extrapolate_open_set(mated[:5, :5], labels[:5], strangers[:, :5], 0.0, n_enrolled=100)
    with pytest.raises(TypeError, match="estimator must be an extrapolation estimator"):
        extrapolate_open_set(mated, labels, strangers, 0.0, n_enrolled=100, estimator="best")  # type: ignore[arg-type]
