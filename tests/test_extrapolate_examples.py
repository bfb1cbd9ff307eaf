"""Predictions with more classes and more stored examples of each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

import classex as cx
from classex.curves import accuracy_surface
from classex.curves.examples import surface_deviations
from classex.methods.gaussian_process import from_curve
from classex.trials import more_examples, predicted_probits
from classex_book.models import VonMisesFisherClasses

FACES = VonMisesFisherClasses(n_features=64, concentration=60.0)


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


def test_beyond_them_it_is_the_mixture_of_the_curve_of_all_classes():
    similarities, labels, owner = drawn(3, 40, 6)
    observed = accuracy_surface(similarities, labels, owner, 40, np.arange(1, 7)).accuracy[0]
    parts = surface_deviations(similarities, labels, owner, [40], np.arange(1, 7))[3][:, 0]
    curve = from_curve(np.full(6, 40.0), observed, parts.T @ parts, 40, None)
    asked = np.array([40.0, 1_000.0]), np.array([6.0, 24.0])
    found, ends = predicted_probits(similarities, labels, owner, *asked)
    middle, low, high = more_examples(np.arange(1.0, 7), curve.probit, curve.noise, asked[1], 0.95)
    np.testing.assert_allclose(found - found[:, :1], [middle] * 2, atol=1e-9)
    added = [np.square([low[1] - middle[1], high[1] - middle[1]])] * 2
    np.testing.assert_allclose(np.square(ends[:, 1]) - np.square(ends[:, 0]), added, atol=1e-8)  # least variance 1e-9


def plain_mixture(seen, observed, noise, wanted):
    """Weights, means and standard deviations of the gain over the last observed number, one component at a time."""
    parts = []
    for rho in (0.8**j for j in np.arange(-1, 2.01, 0.25)):

        def time(r, rho=rho):
            return rho**2 * (np.log2(r) if abs(rho - 1) < 1e-9 else (r ** np.log2(rho) - 1) / (rho - 1))

        def walk(a, b):
            return integrate.quad(lambda s: (a - s) * (b - s), 0, min(a, b))[0]

        t = [time(r) for r in (*seen, wanted)]
        prior = np.array([[9 + 0.0225 * a * b + 0.0004 * walk(a, b) for a in t] for b in t])
        n, mean = len(seen), 0.3 * np.array(t)
        density = stats.multivariate_normal(mean[:n], prior[:n, :n] + noise).pdf(observed)
        solved = np.linalg.inv(prior[:n, :n] + noise)
        centre = mean + prior[:, :n] @ solved @ (observed - mean[:n])
        left = prior - prior[:, :n] @ solved @ prior[:n]
        given_the_end = left[-1, -1] - left[-1, -2] ** 2 / left[-2, -2]
        parts.append((density, centre[-1] - centre[-2], np.sqrt(max(given_the_end, 1e-9))))
    density, gain, spread = np.array(parts).T
    return density / density.sum(), gain, spread


def test_the_mixture_is_that_of_a_plain_computation():
    seen, wanted = np.array([1.0, 2.0, 3.0, 5.0]), [10.0, 80.0]
    observed, root = np.array([0.1, 0.4, 0.5, 0.7]), np.tril(np.full((4, 4), 0.06))
    found = more_examples(seen, observed, root @ root.T, np.array(wanted), 0.9)
    for r, column in zip(wanted, found.T, strict=True):
        weight, gain, spread = plain_mixture(seen, observed, root @ root.T, r)
        for end, share in zip(column, (0.5, 0.05, 0.95), strict=True):
            assert weight @ special.ndtr((end - gain) / spread) == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize("rho", [0.66, 0.7, 0.9, 1.0, 1.1])
@pytest.mark.parametrize("most", [4, 8])
def test_an_exact_curve_is_continued(rho, most):
    """Whatever the change of the gain, and between the values of the mixture; up to four times the examples."""
    seen, wanted = np.arange(1.0, most + 1), most * np.array([2.0, 4.0])

    def exact(r):
        return (
            0.3 * np.log2(r) * special.exprel(np.log(rho) * np.log2(r)) * (np.log(rho) / (rho - 1) if rho != 1 else 1)
        )

    gain = exact(wanted) - exact(seen[-1])
    middle, low, high = more_examples(seen, exact(seen), 1e-5 * np.eye(most) + 1e-4, wanted, 0.95)
    np.testing.assert_allclose(middle, gain, atol=0.04, rtol=0.1)
    assert ((low < gain) & (gain < high)).all()
