"""Predictions with more classes and more stored examples of each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import classex as cx
from benchmarks import study
from benchmarks.examples import __main__ as examples
from classex.curves import accuracy_surface
from classex.predict.examples import SLOPE_CHANGE, predicted_probits

FACES = cx.models.VonMisesFisherClasses(n_features=64, concentration=60.0)


def drawn(rng, n_classes, n_examples):
    """Similarities of one photograph of each simulated person, its label, and labels of the stored ones."""
    sample = FACES.sample(n_classes, n_repeats=n_examples, rng=rng)
    assert (np.diff(sample.labels) >= 0).all()
    return sample.references @ sample.points.T, np.arange(n_classes), sample.labels


def test_with_the_observed_examples_it_is_the_default():
    similarities, labels, owner = drawn(1, 40, 4)
    ranks = cx.correct_ranks(similarities.reshape(40, 40, 4).max(axis=2), labels)
    default = cx.extrapolate(ranks, n_classes=[40, 300])
    found = cx.extrapolate_examples(similarities, labels, owner, n_classes=[40, 300], n_examples=4)
    np.testing.assert_allclose(found.accuracy[:, 0], default.accuracy, atol=1e-9)
    np.testing.assert_allclose(found.interval[:, 0], default.interval, atol=1e-9)


def test_fewer_examples_change_it_by_what_the_surface_shows():
    """In probits, with the default's hypothetical class, which is right among the 40 with probability 1/2."""
    similarities, labels, owner = drawn(2, 40, 4)
    observed = accuracy_surface(similarities, labels, owner, 40, [1, 3, 4]).accuracy[0]
    probit = special.ndtri((40 * observed + 0.5) / 41)
    many = np.array([40.0, 1_000.0])
    found, _ = predicted_probits(similarities, labels, owner, many, np.array([1.0, 3.0, 4.0]))
    np.testing.assert_allclose(found - found[:, -1:], np.tile(probit - probit[-1], (2, 1)), atol=1e-9)


def test_beyond_them_the_probit_rises_along_a_line():
    similarities, labels, owner = drawn(3, 40, 6)
    observed = accuracy_surface(similarities, labels, owner, 40, [3, 6]).accuracy[0]
    half, all_of_them = special.ndtri((40 * observed + 0.5) / 41)
    asked = np.array([40.0, 1_000.0]), np.array([6.0, 24.0])
    found, ends = predicted_probits(similarities, labels, owner, *asked)
    np.testing.assert_allclose(found[:, 1] - found[:, 0], 2 * (all_of_them - half), atol=1e-9)
    certain = predicted_probits(similarities, labels, owner, *asked, change=0.0)[1]
    added = (special.ndtri(0.975) * 2 * SLOPE_CHANGE) ** 2
    np.testing.assert_allclose(np.square(ends) - np.square(certain), [[[0, 0], [added] * 2]] * 2, atol=1e-9)


def test_intervals_cover_what_the_population_shows():
    """Thirty samples of 60 out of 500 people: each interval in at least .8, which .95 fails once in 10^3."""
    rng = np.random.default_rng(4)
    everything, _, owner = drawn(rng, 500, 8)
    truth = accuracy_surface(everything, range(500), owner, [60, 240], [2, 4, 8]).accuracy
    everything = everything.reshape(500, 500, 8)
    covered = []
    for _ in range(30):
        chosen = rng.choice(500, 60, replace=False)
        kept = rng.permuted(np.tile(np.arange(8), (60, 1)), axis=1)[:, :4]
        few = everything[chosen[:, np.newaxis, np.newaxis], chosen[:, np.newaxis], kept].reshape(60, 240)
        asked = {"n_classes": [60, 240], "n_examples": [2, 4, 8]}
        found = cx.extrapolate_examples(few, range(60), np.repeat(range(60), 4), **asked)
        covered.append((found.interval[..., 0] <= truth) & (truth <= found.interval[..., 1]))
    assert (np.mean(covered, axis=0) >= 0.8).all()


def test_the_constant_is_the_one_that_four_domains_gave():
    stored = {row["without"]: float(row["change"]) for row in study.read(examples.HERE / "changes.csv")}
    assert pytest.approx(stored["none"], abs=0.005) == SLOPE_CHANGE


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_classes": 1, "n_examples": 2}, "n_classes"),
        ({"n_classes": 9, "n_examples": 0}, "n_examples"),
        ({"n_classes": 9, "n_examples": 2, "confidence_level": 1.0}, "confidence_level"),
    ],
)
def test_refuses(options, message):
    data = drawn(5, 5, 2)
    with pytest.raises(ValueError, match=message):
        cx.extrapolate_examples(*data, **options)
    with pytest.raises(ValueError, match="example_labels must give every class at least two examples"):
        cx.extrapolate_examples(data[0][:, ::2], data[1], data[2][::2], n_classes=9, n_examples=2)
