"""Every model against closed forms, against its own D(u), and against brute-force simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, ndtr, ndtri
from scipy.stats import binom

from classex.bayes import average_bayes_accuracy
from classex.models import (
    BivariateNormal,
    GaussianClasses,
    GaussianSequence,
    PartlyIdentifiable,
    RandomCode,
)
from classex_book.models import MultivariateLogistic

MODELS = [
    BivariateNormal(rho=0.7),
    GaussianClasses(n_features=10, noise=0.3),
    GaussianClasses(n_features=3, noise=0.5, stored="centroid"),
    GaussianSequence(n_features=20, signal=4.0),
    MultivariateLogistic(n_features=8, weight=2.0),
    RandomCode(length=12, crossover=0.1),
    PartlyIdentifiable(share=0.4),
]
SIZES = (2, 10, 100)

# Average accuracy with 2..10 classes, to four digits
TABLE = {
    0.3: [0.5697, 0.4034, 0.3141, 0.2580, 0.2194, 0.1911, 0.1695, 0.1524, 0.1385],
    0.5: [0.6234, 0.4590, 0.3657, 0.3051, 0.2625, 0.2307, 0.2060, 0.1863, 0.1702],
    0.7: [0.6929, 0.5353, 0.4386, 0.3728, 0.3249, 0.2885, 0.2598, 0.2366, 0.2173],
    0.9: [0.8088, 0.6803, 0.5881, 0.5186, 0.4644, 0.4210, 0.3853, 0.3554, 0.3301],
}


@pytest.mark.parametrize("rho", TABLE)
def test_bivariate_normal_reproduces_the_published_averages(rho):
    model = BivariateNormal(rho=rho)
    np.testing.assert_allclose(model.average_accuracy(np.arange(2, 11)), TABLE[rho], atol=5.1e-5)


def test_bivariate_normal_discriminability_matches_known_values():
    value = BivariateNormal(rho=0.7).discriminability([0.1, 0.5, 0.9])
    np.testing.assert_allclose(value, [0.008807, 0.219991, 0.764830], atol=5.1e-7)


def test_two_independent_quadratures_agree_up_to_a_trillion_classes():
    """The bivariate normal is the Gaussian sequence in one dimension, up to the scale of x."""
    rho = 0.7
    sequence = GaussianSequence(n_features=1, signal=rho**2 / (1 - rho**2))
    k = np.array([2, 10, 1e4, 1e6, 1e9, 1e12])
    ratio = sequence.average_accuracy(k) / BivariateNormal(rho=rho).average_accuracy(k)
    np.testing.assert_allclose(ratio, 1, atol=1e-4)
    np.testing.assert_allclose(ratio[:4], 1, atol=2e-6)
    u = np.linspace(0, 1, 41)
    np.testing.assert_allclose(sequence.discriminability(u), BivariateNormal(rho=rho).discriminability(u), atol=1e-10)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("k", SIZES)
def test_moments_of_the_discriminability_give_the_average_accuracy(model, k):
    """AGA_k = 1 - (k-1) int D(u) u^(k-2) du, with the integral over w = 1 - u^(k-1) to reach u near 1."""
    stepwise = isinstance(model, (RandomCode, PartlyIdentifiable))
    if stepwise:  # a kinked D(u) wants many points rather than a high order
        node, weight = (np.arange(40_000) + 0.5) / 20_000 - 1, np.full(40_000, 1 / 20_000)
    else:
        node, weight = np.polynomial.legendre.leggauss(200)
    w = (node + 1) / 2
    moment = 1 - model.discriminability((1 - w) ** (1 / (k - 1))) @ weight / 2
    assert moment == pytest.approx(model.average_accuracy(k), abs=3e-5)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_discriminability_is_a_distribution_function(model):
    d = model.discriminability(np.linspace(0, 1, 101))
    assert d[0] == 0
    assert d[-1] == 1
    assert (np.diff(d) >= -1e-9).all()
    assert model.discriminability(0.5) == pytest.approx(d[50], abs=1e-12)


@pytest.mark.parametrize(
    "model", [BivariateNormal(0.5), GaussianSequence(5, 2.0), MultivariateLogistic(6, 1.0), RandomCode(10, 0.2)]
)
def test_bayes_rules_have_convex_discriminability(model):
    assert (np.diff(model.discriminability(np.linspace(0, 1, 201)), 2) >= -1e-6).all()


@pytest.mark.parametrize("stored", ["example", "centroid"])
def test_gaussian_favourability_against_counting(stored):
    """Slow reference: draw wrong references and count those farther than the own one; z = 4."""
    model = GaussianClasses(n_features=4, noise=0.4, stored=stored)
    rng = np.random.default_rng(7)
    sample = model.sample(40, rng=rng)
    # references of a first class set are independent of the test points of a second
    others = model.sample(20_000, rng=rng).references
    own = np.linalg.norm(sample.points - sample.references, axis=1)
    counted = np.array(
        [(np.linalg.norm(others - y, axis=1) > d).mean() for y, d in zip(sample.points, own, strict=True)]
    )
    exact = 1 - model._rule.wrong(own**2, np.square(sample.points).sum(axis=1))
    assert (np.abs(counted - exact) <= 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-9).all()


def test_bivariate_favourability_against_counting_and_the_printed_example():
    model = BivariateNormal(rho=0.7)
    assert model.favourability(0.8, 0.3) == pytest.approx(0.6414, abs=5e-5)
    other = np.random.default_rng(1).standard_normal(400_000)
    counted = (np.abs(0.7 * other - 0.8) > abs(0.7 * 0.3 - 0.8)).mean()
    assert counted == pytest.approx(model.favourability(0.8, 0.3), abs=4 * np.sqrt(0.25 / 400_000))


def test_bivariate_accuracy_of_a_given_class_set():
    model = BivariateNormal(rho=0.7)
    y = np.array([0.5, -1.0, 0.1])
    gap = 0.7 * np.diff(np.sort(y)) / (2 * np.sqrt(1 - 0.49))
    assert model.bayes_accuracy(y) == pytest.approx((2 * ndtr(gap).sum() - 3 + 2) / 3, abs=1e-14)
    x = np.linspace(-8, 8, 100_001)
    density = np.exp(-((x[:, None] - 0.7 * y) ** 2) / (2 * 0.51)) / np.sqrt(2 * np.pi * 0.51)
    right = density * (density == density.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.class_accuracies(y), right.sum(axis=0) * (x[1] - x[0]), atol=1e-4)


def test_random_code_against_enumeration_of_all_codes():
    """All 4^3 codes of three words of two bits, all words received, ties shared."""
    e, total = 0.2, 0.0
    words = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    distance = np.abs(words[:, None] - words[None]).sum(axis=2)
    for code in np.ndindex(4, 4, 4):
        d = distance[list(code)]
        nearest = d == d.min(axis=0)
        total += ((0.8 ** (2 - d) * e**d) * nearest / nearest.sum(axis=0)).sum() / 3
    assert RandomCode(length=2, crossover=e).average_accuracy(3) == pytest.approx(total / 64, abs=1e-14)


def test_random_code_class_accuracies_match_decoding():
    code = RandomCode(length=6, crossover=0.15)
    references = code.sample(5, rng=0).references
    every = (np.arange(64)[:, None] >> np.arange(6)) & 1
    best = code.scores(every, references) == code.scores(every, references).max(axis=1, keepdims=True)
    chance = 0.85 ** (6 + code.scores(every, references)) * 0.15 ** -code.scores(every, references)
    expected = (chance * best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    np.testing.assert_allclose(code.class_accuracies(references), expected, atol=1e-14)


def test_random_code_at_rates_beyond_floating_point():
    code = RandomCode(length=4000, crossover=0.11)
    below, above = code.average_accuracy_at_rate([code.capacity * 0.8, code.capacity * 1.2])
    assert below > 0.999
    assert above < 1e-3
    assert RandomCode(100, 0.1).average_accuracy_at_rate(np.log(1000) / 100) == pytest.approx(
        RandomCode(100, 0.1).average_accuracy(1000), abs=1e-12
    )
    # rate 0 is a single codeword; at rate log 2 no code does better than naming one word in 2^n
    assert code.average_accuracy_at_rate(0.0) == pytest.approx(1, abs=1e-9)


def test_random_code_with_large_k_has_the_hand_made_moment():
    """E U^(k-1), U uniform within its step, by plain summation where nothing underflows."""
    n, e, k = 20, 0.1, 5000
    h = np.arange(n + 1)
    s = binom.sf(h, n, 0.5)
    w = binom.pmf(h, n, 0.5)
    plain = (binom.pmf(h, n, e) * ((s + w) ** k - s**k) / (k * w)).sum()
    assert RandomCode(n, e).average_accuracy(k) == pytest.approx(plain, rel=1e-9)


def test_logistic_model_against_the_definition():
    """Two bits: nodes for the two coordinates of a class, all four test points, no favourability involved."""
    s, n = 1.5, 300
    one = expit(s * ndtri((np.arange(n) + 0.5) / n))
    bit = np.array([1 - one, one])
    likelihood = np.stack([np.outer(bit[a], bit[b]).ravel() for a in (0, 1) for b in (0, 1)], axis=1)
    expected = average_bayes_accuracy(likelihood, [2, 3, 10])
    np.testing.assert_allclose(
        MultivariateLogistic(n_features=2, weight=s).average_accuracy([2, 3, 10]), expected, atol=1e-4
    )


def divergence(model):
    """Divergence of the correct class's distribution of scores from a wrong class's."""
    log_wrong, log_right = model._ladder
    return np.exp(log_right) @ (log_right - log_wrong)


def test_information_in_closed_form_and_from_the_distribution_of_the_scores():
    assert BivariateNormal(0.7).information() == pytest.approx(-0.5 * np.log(0.51), abs=1e-14)
    assert GaussianSequence(8, 4.0).information() == pytest.approx(4 * np.log(1.5), abs=1e-12)
    assert GaussianClasses(6, 0.5, stored="centroid").information() == pytest.approx(3 * np.log(3), abs=1e-12)
    # a stored example is a noisier reference: correlation 1/(1 + noise) in each coordinate
    assert GaussianClasses(6, 0.5).information() == pytest.approx(-3 * np.log(1 - (1 / 1.5) ** 2), abs=1e-12)
    code = RandomCode(30, 0.1)
    assert code.information() == pytest.approx(divergence(code), abs=1e-10)
    logistic = MultivariateLogistic(30, 1.3)
    assert logistic.information() == pytest.approx(divergence(logistic), abs=1e-5)
    assert PartlyIdentifiable(0.5).information() == np.inf


def test_stored_examples_cost_accuracy_and_shrinking_wins_some_back():
    k = np.array([10, 1000])
    example, centroid = GaussianClasses(10, 0.4), GaussianClasses(10, 0.4, stored="centroid")
    assert (example.average_accuracy(k) < example.average_bayes_accuracy(k)).all()
    assert (example.average_bayes_accuracy(k) < centroid.average_accuracy(k)).all()
    np.testing.assert_allclose(centroid.average_accuracy(k), centroid.average_bayes_accuracy(k), atol=1e-12)


def test_sharp_example_attains_the_variance_bound():
    model = PartlyIdentifiable(share=0.5)
    value = [4 * k * model.bayes_accuracy_variance(k) for k in SIZES]
    np.testing.assert_allclose(value, [0.375, 0.996, 1.000], atol=6e-4)
    rng = np.random.default_rng(0)
    drawn = [model.bayes_accuracy(model.sample(3, rng=rng).references) for _ in range(20_000)]
    assert np.var(drawn) == pytest.approx(model.bayes_accuracy_variance(3), rel=0.06)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_samples_have_the_promised_shapes_and_repeat_with_their_seed(model):
    sample = model.sample(6, n_repeats=3, rng=11)
    assert sample.scores.shape == sample.bayes_scores.shape == (18, 6)
    np.testing.assert_array_equal(sample.labels, np.repeat(np.arange(6), 3))
    np.testing.assert_array_equal(sample.points, model.sample(6, n_repeats=3, rng=11).points)
    assert sample.references.shape[0] == 6


def test_repeats_of_a_class_share_its_mean_not_its_example():
    """Test points of a class scatter around its mean with the noise variance, also with stored examples."""
    model = GaussianClasses(n_features=2, noise=0.25)
    points = model.sample(2000, n_repeats=2, rng=2).points.reshape(2000, 2, 2)
    variance = np.square(points[:, 0] - points[:, 1]).mean() / 2
    assert variance == pytest.approx(0.25, abs=4 * 0.25 * np.sqrt(2 / 4000))
