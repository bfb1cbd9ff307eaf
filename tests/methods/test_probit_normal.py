"""The probit-normal distribution: accuracy, fit, covariance, and the ends of the scale."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

import classex as cx
from classex.distributions import collapse_wins
from classex.distributions.probit_normal import _objective, accuracy_and_gradient
from classex.methods import ProbitNormal, probit_normal_accuracy
from classex.models import GaussianClasses


def ranks_of(wins: np.ndarray, k1: int, ties: np.ndarray | None = None) -> cx.CorrectRanks:
    zeros = np.zeros(wins.size, dtype=np.int64)
    return cx.CorrectRanks(wins, zeros if ties is None else ties, np.arange(wins.size) % k1, k1)


def drawn_scores(k1: int, mu: float, nu: float, rng: np.random.Generator) -> np.ndarray:
    """Scores with independent uniform wrong labels: the distribution is exact, and points are independent."""
    scores = rng.random((k1, k1))
    scores[np.arange(k1), np.arange(k1)] = special.ndtr(rng.normal(mu, nu, k1))
    return scores


@pytest.mark.parametrize("top", [1, 2])
@pytest.mark.parametrize(("mu", "nu"), [(0.0, 1.0), (2.0, 0.3), (4.5, 2.0), (1.0, 0.01)])
def test_accuracy_is_the_integral(mu: float, nu: float, top: int) -> None:
    sizes = [3, 100, 10**6]
    expected = [
        integrate.quad(
            lambda w, k=k: stats.norm.pdf(w, mu, nu) * stats.binom.cdf(top - 1, k - 1, special.ndtr(-w)),
            mu - 9 * nu,
            mu + 9 * nu,
            points=[mu - nu, mu, mu + nu],
            limit=400,
            epsabs=1e-13,
        )[0]
        for k in sizes
    ]
    np.testing.assert_allclose(probit_normal_accuracy(mu, nu, sizes, top=top), expected, rtol=1e-7, atol=1e-12)


def test_two_classes_in_closed_form() -> None:
    assert probit_normal_accuracy(1.2, 0.7, 2)[0] == pytest.approx(special.ndtr(1.2 / np.sqrt(1 + 0.49)), abs=1e-12)


def test_published_values_of_the_information_curve() -> None:
    np.testing.assert_allclose(
        probit_normal_accuracy(2.0, 1.0, [2, 10, 100]), [0.921350, 0.673645, 0.323219], atol=1e-6
    )


def test_gradient_of_accuracy() -> None:
    sizes, h = np.array([5.0, 1e3, 1e9]), 1e-5
    gradient = accuracy_and_gradient(2.0, 0.6, sizes, 1)[1]
    by_mu = probit_normal_accuracy(2 + h, 0.6, sizes) - probit_normal_accuracy(2 - h, 0.6, sizes)
    by_nu = probit_normal_accuracy(2, 0.6 * np.exp(h), sizes) - probit_normal_accuracy(2, 0.6 * np.exp(-h), sizes)
    np.testing.assert_allclose(gradient, np.stack([by_mu, by_nu], axis=1) / (2 * h), atol=1e-7)


def test_accuracy_with_a_trillion_classes() -> None:
    values = probit_normal_accuracy(5.0, 1.0, [1, 10**6, 10**12])
    assert values[0] == pytest.approx(1, rel=1e-12)
    assert 0 < values[2] < values[1] < 1


def test_fit_maximises_the_likelihood() -> None:
    """A plain reference: sums of binomial probabilities over a fine grid of w, Nelder-Mead."""
    rng = np.random.default_rng(2)
    k1 = 30
    wins = rng.binomial(k1 - 1, special.ndtr(rng.normal(1.5, 0.8, k1)))
    grid = np.linspace(-9, 9, 4001)
    chance = stats.binom.pmf(wins[:, None], k1 - 1, special.ndtr(grid))

    def loss(theta: np.ndarray) -> float:
        density = stats.norm.pdf(grid, theta[0], np.exp(theta[1])) * (grid[1] - grid[0])
        return -float(np.log(chance @ density).sum())

    best = optimize.minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10})
    fit = ProbitNormal(prior=False).fit(ranks_of(wins, k1))
    np.testing.assert_allclose([fit.mu, np.log(fit.nu)], best.x, atol=1e-4)
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-6)


def test_prior_is_worth_about_one_point() -> None:
    rng = np.random.default_rng(3)
    k1 = 400
    wins = rng.binomial(k1 - 1, special.ndtr(rng.normal(2.0, 0.8, k1)))
    with_prior, without = ProbitNormal().fit(ranks_of(wins, k1)), ProbitNormal(prior=False).fit(ranks_of(wins, k1))
    error = np.sqrt(with_prior.covariance[0, 0])
    assert 0 < abs(with_prior.mu - without.mu) < 0.1 * error


def test_covariance_is_that_of_leaving_classes_out() -> None:
    """Slow reference: refit without each class, its column removed from the scores."""
    rng = np.random.default_rng(8)
    sample = GaussianClasses(4, 0.5).sample(40, n_repeats=3, rng=rng)
    fit = ProbitNormal(prior=False).fit(cx.correct_ranks(sample.scores, sample.labels))
    thetas = []
    for left_out in range(40):
        rows = sample.labels != left_out
        labels = sample.labels[rows] - (sample.labels[rows] > left_out)
        part = cx.correct_ranks(np.delete(sample.scores[rows], left_out, axis=1), labels)
        refit = ProbitNormal(prior=False).fit(part)
        thetas.append([refit.mu, np.log(refit.nu)])
    deviations = np.array(thetas) - np.mean(thetas, axis=0)
    expected = 39 / 40 * deviations.T @ deviations
    np.testing.assert_allclose(np.sqrt(np.diag(fit.covariance)), np.sqrt(np.diag(expected)), rtol=0.1)


def test_known_nu_fits_the_mean_alone() -> None:
    rng = np.random.default_rng(6)
    fit = ProbitNormal(nu=1).fit(cx.correct_ranks(drawn_scores(200, 2.0, 1.0, rng), np.arange(200)))
    assert fit.nu == 1
    assert abs(fit.mu - 2) < 4 * np.sqrt(fit.covariance[0, 0])
    assert fit.covariance[1, 1] == 0
    assert fit.covariance[0, 1] == 0


@pytest.mark.parametrize("k1", [3, 50, 100_000])
def test_every_point_right(k1: int) -> None:
    fit = ProbitNormal().fit(ranks_of(np.full(k1, k1 - 1), k1))
    error = 1 - probit_normal_accuracy(fit.mu, fit.nu, k1)[0]
    assert 0.3 / k1 < error < 1.5 / k1
    values = probit_normal_accuracy(fit.mu, fit.nu, [k1, 10 * k1, 10**12])
    assert (np.diff(values) < 0).all()
    assert values[-1] >= 0
    assert (np.linalg.eigvalsh(fit.covariance) > 1e-4).all()


@pytest.mark.parametrize("k1", [3, 50])
def test_no_point_right(k1: int) -> None:
    fit = ProbitNormal().fit(ranks_of(np.zeros(k1, dtype=int), k1))
    assert np.isfinite([fit.mu, fit.nu]).all()
    assert probit_normal_accuracy(fit.mu, fit.nu, k1)[0] < 0.6 / k1


def test_without_prior_perfect_ranks_stay_in_bounds() -> None:
    fit = ProbitNormal(prior=False).fit(ranks_of(np.full(10, 9), 10))
    assert abs(fit.mu) <= 30
    assert probit_normal_accuracy(fit.mu, fit.nu, 1000)[0] > 0.999


def test_thinned_ranks_have_own_class_errors() -> None:
    sample = GaussianClasses(4, 0.5).sample(60, rng=1)
    full = cx.correct_ranks(sample.scores, sample.labels)
    bare = cx.CorrectRanks(full.wins, full.ties, full.labels, full.n_classes)
    assert 0 < ProbitNormal().fit(bare).covariance[0, 0] <= 1.05 * ProbitNormal().fit(full).covariance[0, 0]


def test_the_maximum_is_one_where_the_distribution_is_wide() -> None:
    """Points that are perfect or at chance: the fitted distribution is wide, and its slope must still be 0."""
    rng = np.random.default_rng(20)
    wins = np.where(rng.random(274) < 0.84, 263, rng.integers(0, 264, 274))
    fit = ProbitNormal().fit(cx.ranks_from_wins(wins, 264))
    assert fit.nu > 3
    at, step = np.array([fit.mu, np.log(fit.nu)]), 1e-4 * np.eye(2)
    counts = collapse_wins(cx.ranks_from_wins(wins, 264))
    up, down = ([_objective(counts, at + sign * move, True)[0] for move in step] for sign in (1, -1))
    assert np.abs(np.subtract(up, down)).max() < 2e-4 * 1e-5
