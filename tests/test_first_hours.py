"""What a new user met in the first hours with the package: each surprise stays away."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex import bayes
from classex.cli import main
from classex.exceptions import LackOfFitWarning

RNG = np.random.default_rng(0)
PLAIN = RNG.normal(size=(60, 20))
LABELS = np.arange(60) % 20


def votes():
    """Five of 100 classes get a vote, and the true class has one in every second row."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(100), 4)
    scores = np.zeros((400, 100))
    for row in range(400):
        scores[row, rng.choice(100, 5, replace=False)] = 1
        scores[row, labels[row]] = row % 2
    return scores, labels


@pytest.mark.parametrize("method", sorted(cx.methods.METHODS))
def test_many_ties_are_fitted_or_the_miss_is_told(method):
    """The observed accuracy is .084; fits that chose among the ways to break ties said .461."""
    scores, labels = votes()
    observed = cx.accuracy_curve(cx.correct_ranks(scores, labels), 100)
    assert observed.accuracy[0] == pytest.approx(0.084, abs=1e-3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = cx.Extrapolator(method).fit(scores, labels)
    said = any(issubclass(one.category, LackOfFitWarning) for one in caught)
    miss = abs(fit.predict(100)[0] - observed.accuracy[0])
    assert miss < 0.08 or method == "polynomial"  # a polynomial through few moments cannot follow this curve
    assert said == (miss > 3 * observed.standard_error[0])


@pytest.mark.parametrize("scale", [1e-300, 1e-165, 1.0, 1e155])
def test_scores_of_any_size(scale):
    """Rows of vanishing spread, a mask of -1e308, and a rule for the bandwidth that did not end at 1e155."""
    scores = PLAIN * scale
    scores[3, 4] = -1e308
    scores[5] = 0.0
    for rule in ("bcv", "ucv"):
        fit = cx.Extrapolator(cx.methods.KernelDensity(bandwidth=rule)).fit(scores, LABELS)
        assert 0 <= fit.predict(100)[0] <= 1


def test_posteriors_of_a_trained_classifier():
    from sklearn.datasets import load_digits
    from sklearn.naive_bayes import GaussianNB

    images, digits = load_digits(return_X_y=True)
    posteriors = GaussianNB().fit(images[:1500], digits[:1500]).predict_proba(images[1500:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LackOfFitWarning)
        fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit(posteriors, digits[1500:])
    assert (np.diff(fit.predict([10, 20, 100, 10**6])) <= 0).all()


@pytest.mark.parametrize("method", ["regression", "probit-normal"])
def test_five_of_five_right_say_little_of_a_million(method):
    low, high = cx.Extrapolator(method).fit(np.eye(5), range(5)).predict_interval(10**6)[0]
    assert low < 0.01
    assert high == 1


def test_a_sample_without_test_points_for_most_classes():
    """Ten people of fifty have a probe; the curve is the average over the people, not divided by fifty."""
    scores = PLAIN[:10]
    ranks = cx.correct_ranks(scores, np.arange(10))
    assert ranks.n_tested == 10
    right = (scores.argmax(axis=1) == np.arange(10)).mean()
    assert cx.accuracy_curve(ranks, 20).accuracy[0] == pytest.approx(right)
    assert cx.accuracy_curve(cx.ranks_from_wins([1, 2], 3), 3).accuracy[0] == 0.5


def test_bounds_at_the_end_of_the_scale():
    assert bayes.bayes_accuracy_bound(0.9, n_classes=10**6, n_repeats=10**12) == pytest.approx(0.9, abs=1e-6)
    assert 0.999 < bayes.bayes_accuracy_bound(1.0, n_classes=10**9, n_repeats=10) <= 1
    assert bayes.bayes_accuracy_variance_bound(10**15, average_accuracy=0.99) > 0
    assert bayes.cheapest_design(0.26, accuracy=0.99, class_cost=1e308).cost > 0
    assert cx.prediction_advantage([0, 1], [0, 1], sample_weight=[1e308, 1e308]) == 1


def test_the_assumptions_are_said_where_people_look(capsys):
    with pytest.raises(SystemExit):
        main(["extrapolate", "--help"])
    places = {
        "the command line": capsys.readouterr().out,
        "README": (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8"),
        "correct_ranks": cx.correct_ranks.__doc__,
        "extrapolate": cx.extrapolate.__doc__,
        "estimators": cx.Extrapolator.__doc__,
    }
    for place, text in places.items():
        words = " ".join(text.split())
        assert "random sample" in words, place
        assert "which other" in words or "which others" in words, place
