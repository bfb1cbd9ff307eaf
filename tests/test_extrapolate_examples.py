"""Predictions with more classes and more stored examples of each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.curves import accuracy_surface
from classex.examples import SLOPE_CHANGE, probits_with_examples
from classex_book import load_study

N_FEATURES, NOISE = 6, 0.6


def drawn(rng, n_classes, n_examples):
    """Similarities of one test point for each Gaussian class, its label, and labels of the stored examples."""
    centres = rng.normal(size=(n_classes, N_FEATURES))
    owner = np.repeat(np.arange(n_classes), n_examples)
    stored = centres[owner] + NOISE * rng.normal(size=(owner.size, N_FEATURES))
    tests = centres + NOISE * rng.normal(size=centres.shape)
    return 2 * tests @ stored.T - np.square(stored).sum(axis=1), np.arange(n_classes), owner


def test_with_the_observed_examples_it_is_the_default():
    similarities, labels, owner = drawn(np.random.default_rng(1), 40, 4)
    ranks = cx.correct_ranks(similarities.reshape(40, 40, 4).max(axis=2), labels)
    mean, variance = cx.methods.GaussianProcess().fit(ranks).posterior(np.array([40.0, 300.0]))
    found = probits_with_examples(similarities, labels, owner, np.array([40.0, 300.0]), 4)
    np.testing.assert_allclose(found, (mean, variance), atol=1e-8)


def test_beyond_them_the_probit_rises_along_a_line():
    """The sample counts with one more class, whose accuracy falls from 1 to 1/2, as in the default."""
    similarities, labels, owner = drawn(np.random.default_rng(2), 40, 6)
    observed = accuracy_surface(similarities, labels, owner, 40, [3, 6]).accuracy[0]
    half, all_of_them = special.ndtri((40 * observed + 0.5) / 41)
    many = np.array([40.0, 1_000.0])  # the slope beyond the observed classes is that with all of them
    now, _ = probits_with_examples(similarities, labels, owner, many, 6)
    more, wider = probits_with_examples(similarities, labels, owner, many, 24)
    np.testing.assert_allclose(more - now, 2 * (all_of_them - half), atol=1e-10)
    certain = probits_with_examples(similarities, labels, owner, many, 24, 0.0)[1]
    np.testing.assert_allclose(wider - certain, (2 * SLOPE_CHANGE) ** 2, atol=1e-12)


def test_intervals_cover_what_the_population_shows():
    """Thirty samples of 60 out of 500 Gaussian classes: each interval in at least .8, which .95 fails once in 10^3."""
    rng = np.random.default_rng(3)
    similarities, _, _ = drawn(rng, 500, 8)
    everything = similarities.reshape(500, 500, 8)
    truth = accuracy_surface(similarities, range(500), np.repeat(range(500), 8), [60, 240], [2, 4, 8]).accuracy
    covered, errors, same = [], [], []
    for _ in range(30):
        chosen = rng.choice(500, 60, replace=False)
        kept = rng.permuted(np.tile(np.arange(8), (60, 1)), axis=1)[:, :4]
        few = everything[chosen[:, np.newaxis, np.newaxis], chosen[:, np.newaxis], kept].reshape(60, 240)
        found = cx.extrapolate_examples(
            few, range(60), np.repeat(range(60), 4), n_classes=[60, 240], n_examples=[2, 4, 8]
        )
        covered.append((found.interval[..., 0] <= truth) & (truth <= found.interval[..., 1]))
        errors.append(found.accuracy - truth)
        same.append(found.accuracy[:, 1] - truth[:, 2])
    assert (np.mean(covered, axis=0) >= 0.8).all()
    assert (np.square(errors).mean(axis=0)[:, 2] < np.square(same).mean(axis=0)).all()


def test_the_constant_is_the_one_that_four_domains_gave():
    stored = {row["without"]: float(row["change"]) for row in load_study("examples/changes")}
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
    data = drawn(np.random.default_rng(4), 5, 2)
    with pytest.raises(ValueError, match=message):
        cx.extrapolate_examples(*data, **options)
    with pytest.raises(ValueError, match="example_labels must give every class at least two examples"):
        cx.extrapolate_examples(data[0][:, ::2], data[1], data[2][::2], n_classes=9, n_examples=2)
