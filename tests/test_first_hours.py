"""What a new user met in the first hours with the package: each surprise stays away."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import classex as cx
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


def test_a_sample_without_test_points_for_most_classes():
    """Ten people of fifty have a probe; the curve is the average over the people, not divided by fifty."""
    scores = PLAIN[:10]
    ranks = cx.correct_ranks(scores, np.arange(10))
    assert ranks.n_tested == 10
    right = (scores.argmax(axis=1) == np.arange(10)).mean()
    assert cx.accuracy_curve(ranks, 20).accuracy[0] == pytest.approx(right)
    assert cx.accuracy_curve(cx.ranks_from_wins([1, 2], 3), 3).accuracy[0] == 0.5


@pytest.mark.parametrize("units", [None, "subject"])
def test_a_file_of_scores_is_read_where_scores_are_given(units, tmp_path):
    text = cx.io.example_file().read_text(encoding="utf-8").splitlines()
    first = ["subject", *(f"s{i % 6}" for i in range(len(text) - 1))] if units else [""] * len(text)
    lines = [f"{subject},{line}" if units else line for subject, line in zip(first, text, strict=True)]
    (tmp_path / "scores.csv").write_text("\n".join(lines), encoding="utf-8")
    scores, labels, classes, *named = cx.load_scores(tmp_path / "scores.csv", units=units)
    about = {"classes": classes, "units": named[0] if named else None}
    expected = cx.extrapolate(scores, labels, n_classes=468, **about)
    for path in (tmp_path / "scores.csv", str(tmp_path / "scores.csv")):
        assert str(cx.extrapolate(path, n_classes=468, units=units)) == str(expected)


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
