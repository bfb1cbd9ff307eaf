"""Classes on the sphere: the sampler against another, the exact truth against other formulas and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

from classex_book.models import VonMisesFisherClasses

MODELS = [
    VonMisesFisherClasses(n_features=2, concentration=3.0),
    VonMisesFisherClasses(n_features=3, concentration=40.0),
    VonMisesFisherClasses(n_features=128, concentration=93.0),
    VonMisesFisherClasses(n_features=128, concentration=20.0),
    VonMisesFisherClasses(n_features=1024, concentration=300.0),
]


@pytest.mark.parametrize("p", [2, 3, 20])
def test_the_sampler_follows_the_density(p):
    """Cosines with the mean against the distribution function by quadrature (Kolmogorov), false alarm 1e-4."""
    model = VonMisesFisherClasses(n_features=p, concentration=4.0)
    sample = model.sample(2000, rng=1)
    np.testing.assert_allclose(np.linalg.norm(sample.points, axis=1), 1, atol=1e-12)
    cosine = model._draw_cosine(2000, np.random.default_rng(1))
    angle = np.linspace(0, np.pi, 20_001)
    density = np.exp(4.0 * np.cos(angle)) * np.sin(angle) ** (p - 2)
    distribution = integrate.cumulative_trapezoid(density, angle, initial=0.0)
    distribution = np.interp(np.arccos(cosine), angle, distribution / distribution[-1])
    assert stats.kstest(distribution, "uniform").pvalue > 1e-4


def test_the_sampler_has_the_moments_of_scipys():
    """Mean of an embedding along its class's direction, z = 4; scipy draws from the same distribution."""
    p, kappa, n = 12, 15.0, 20_000
    mean = special.iv(p / 2, kappa) / special.iv(p / 2 - 1, kappa)
    own = VonMisesFisherClasses(p, kappa)._draw_cosine(n, np.random.default_rng(2))
    pole = np.eye(p)[0]
    theirs = stats.vonmises_fisher(pole, kappa).rvs(n, random_state=np.random.default_rng(3))[:, 0]
    for t in (own, theirs):
        assert abs(t.mean() - mean) < 4 * t.std() / np.sqrt(n)
    assert stats.ks_2samp(own, theirs).pvalue > 1e-4


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_density_of_the_own_product_integrates_to_one(model):
    x, weight = model._grid
    assert weight.sum() == pytest.approx(1, abs=1e-11)
    halved = np.exp(model._log_density(x[::2])) * (x[2] - x[0])
    assert halved.sum() == pytest.approx(1, abs=1e-11)


def test_stored_examples_against_the_product_of_two_cosines():
    """Mean inner product of two embeddings of a class: the square of their mean along its direction."""
    p, kappa = 30, 25.0
    x, weight = VonMisesFisherClasses(p, kappa)._grid
    mean = special.iv(p / 2, kappa) / special.iv(p / 2 - 1, kappa)
    assert weight @ (1 - 2 * special.expit(x)) == pytest.approx(mean**2, abs=1e-12)


def test_on_the_circle_the_accuracy_of_two_classes_is_an_integral_of_angles():
    """p = 2: the wrong reference is uniform, so U* = 1 - angle / pi; the own angle is a difference of two draws."""
    angle = np.linspace(0, np.pi, 100_001)
    density = special.i0(2 * 3.0 * np.cos(angle / 2))
    expected = integrate.trapezoid(density * (1 - angle / np.pi) ** 6, angle) / integrate.trapezoid(density, angle)
    model = VonMisesFisherClasses(n_features=2, concentration=3.0)
    assert model.average_accuracy(7) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("k", [2, 30])
def test_brute_force_simulation_agrees(model, k):
    """Classes drawn, test points classified; z = 4."""
    rng = np.random.default_rng(k)
    hits = [(s.scores.argmax(axis=1) == s.labels).mean() for s in (model.sample(k, rng=rng) for _ in range(400))]
    assert abs(np.mean(hits) - model.average_accuracy(k)) < 4 * np.std(hits) / 20 + 1e-12


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_discriminability_is_convex_and_its_moments_are_the_accuracies(model):
    d = model.discriminability(np.linspace(0, 1, 201))
    assert d[0] == 0
    assert d[-1] == 1
    assert (np.diff(d, 2) >= -1e-9).all()
    node, weight = np.polynomial.legendre.leggauss(300)
    w = (node + 1) / 2
    for k in (2, 100):
        moment = 1 - model.discriminability((1 - w) ** (1 / (k - 1))) @ weight / 2
        assert moment == pytest.approx(model.average_accuracy(k), abs=3e-5)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_information_is_the_divergence_of_the_favourability_from_uniform(model):
    """The rule is the Bayes rule, so nothing is lost; from D alone, on a grid fine near 1."""
    u = 1 - np.append(np.geomspace(1, 1e-12, 8001), 0.0)
    p = np.diff(model.discriminability(u))
    kept = p > 1e-300
    divergence = (p[kept] * np.log(p[kept] / np.diff(u)[kept])).sum()
    assert divergence <= model.information() + 1e-9
    # beyond 1 - 1e-12 the grid sees nothing
    assert divergence == pytest.approx(model.information(), abs=2e-2 if model.information() < 15 else np.inf)


def test_the_calibrated_model_has_the_accuracy_asked_for():
    model = VonMisesFisherClasses.calibrated(0.43, 1672)
    assert model.average_accuracy(1672) == pytest.approx(0.43, abs=1e-9)
    assert VonMisesFisherClasses.calibrated(0.999, 3, n_features=2).average_accuracy(3) == pytest.approx(0.999)


def test_samples_have_the_promised_shapes_and_repeat_with_their_seed():
    model = VonMisesFisherClasses(n_features=5, concentration=10.0)
    sample = model.sample(6, n_repeats=3, rng=11)
    assert sample.scores.shape == (18, 6)
    assert sample.references.shape == (6, 5)
    np.testing.assert_array_equal(sample.points, model.sample(6, n_repeats=3, rng=11).points)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: VonMisesFisherClasses(n_features=1), "n_features must be an integer of at least 2 and at most 2048"),
        (lambda: VonMisesFisherClasses(concentration=0.0), "concentration must be a finite number greater than 0"),
        (lambda: VonMisesFisherClasses.calibrated(0.01, 100), "accuracy must be greater than chance, 1/100, not 0.01"),
        (lambda: VonMisesFisherClasses.calibrated(1.0, 100), "accuracy must be a number strictly between 0 and 1"),
        (lambda: VonMisesFisherClasses().scores([[1.0, 0.0]], [[1.0, 0.0]]), "points must have 128 columns"),
    ],
)
def test_bad_input_gets_one_clear_error(make, message):
    with pytest.raises(ValueError, match=message):
        make()
