"""Moments of the bases against quadrature and arbitrary precision, and their shapes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import ndtr, ndtri

import classex as cx
from classex.distributions import FunctionBasis, LinearSplineBasis, PiecewiseLinearBasis, PolynomialBasis, ProbitBasis

BASES = {
    "probit": ProbitBasis([-1.5, 0.0, 1.1, 4.0], 0.35),
    "wide probit": ProbitBasis([-1.0, 2.0], 1.0),
    "spline": LinearSplineBasis(4),
    "hats": PiecewiseLinearBasis([0.0, 0.3, 0.9, 1.0]),
    "polynomial": PolynomialBasis(4),
    "own": FunctionBasis(lambda u: np.column_stack([u, u**7, np.sqrt(u)]), increasing=True),
}


def plain_moment(basis, column, k, top):
    """E h(B), B ~ Beta(k - top, top), by adaptive quadrature over the quantiles of B."""
    distribution = stats.beta(k - top, top)

    def integrand(p):
        return basis.evaluate(distribution.ppf(p))[0, column]

    return sum(integrate.quad(integrand, a, a + 0.125, limit=400, epsabs=1e-11)[0] for a in np.arange(0, 1, 0.125))


@pytest.mark.parametrize("top", [1, 3])
@pytest.mark.parametrize("k", [4, 20, 1000])
@pytest.mark.parametrize("name", BASES)
def test_moments_are_those_of_quadrature(name, k, top):
    basis = BASES[name]
    moments = basis.moments(k, top=top)
    assert moments.shape == (1, basis.n_functions)
    expected = [plain_moment(basis, column, k, top) for column in range(basis.n_functions)]
    np.testing.assert_allclose(moments[0], expected, atol=3e-8)


@pytest.mark.parametrize("k", [2, 100, 10**6, 10**12])
def test_closed_forms_from_2_to_a_million_million(k):
    np.testing.assert_allclose(PolynomialBasis(3).moments(k)[0], (k - 1) / (np.arange(4) + k - 1), rtol=1e-14)
    # E [B - t]_+ with 1 - B ~ Beta(1, k - 1): e - (1 - t^k) / k
    spline = LinearSplineBasis(10_000)
    e = 1 - spline.knots[1:]
    np.testing.assert_allclose(spline.moments(k)[0, 1:], e + np.expm1(k * np.log1p(-e)) / k, atol=1e-12 / k)
    # a kernel with one knot: E Phi(t + hW)^(k-1), by an independent rule on a much finer grid
    w = np.linspace(-12, 12, 200_001)
    density = stats.norm.pdf(w) / stats.norm.pdf(w).sum()
    for knot, h in ((0.0, 0.1), (4.0, 0.5), (7.0, 1.0)):
        expected = density @ -np.expm1((k - 1) * stats.norm.logcdf(knot + h * w))
        assert ProbitBasis([knot], h).moments(k)[0, 0] == pytest.approx(expected, abs=1e-12)


def test_moments_reproduce_the_reference_values(reference):
    basis = ProbitBasis.published(12, 1, 0.5)
    accuracy = 1 - basis.moments([2, 100])[:, :-1]
    np.testing.assert_allclose(accuracy[0], reference["radial_basis_h_0.5_first_row_k2"][:-1], atol=6e-7)
    np.testing.assert_allclose(accuracy[1], reference["radial_basis_h_0.5_row_k100"][:-1], atol=6e-7)


@pytest.mark.parametrize("name", BASES)
def test_values_stay_finite_to_the_ends(name):
    basis = BASES[name]
    value = basis.evaluate(np.array([0.0, 0.5, 1.0]))
    assert value.shape == (3, basis.n_functions)
    assert np.isfinite(value).all()
    if basis.increasing:
        assert (np.diff(value, axis=0) >= 0).all()
        assert (value >= 0).all()


def test_probit_kernel_is_a_normal_distribution_on_the_probit_scale():
    u = np.array([0.1, 0.4, 0.99])
    expected = stats.norm(0.7, 0.3).cdf(ndtri(u))
    np.testing.assert_allclose(ProbitBasis([0.7], 0.3).evaluate(u)[:, 0], expected, rtol=1e-13)


@pytest.mark.parametrize(("k1", "r", "h"), [(12, 1, 0.5), (500, 1, 0.1), (500, 4, 1.0), (2, 1, 1.0)])
def test_knots_of_the_journal(k1, r, h):
    basis = ProbitBasis.for_data(k1, r, h)
    gap = np.diff(basis.knots)
    assert gap.min() >= h / 2 - 1e-12
    assert basis.knots.max() == pytest.approx(ndtri(1 - 1 / (r * k1**2)))
    np.testing.assert_allclose(basis.knots, -basis.knots[::-1], atol=1e-12)
    assert (2 * basis.knots.max()) / (basis.knots.size) < h / 2  # no room for one knot more


def test_knots_of_the_authors_program():
    knots = ProbitBasis.published(12, 1, 0.5).knots
    assert knots.size == 9
    assert knots[4] == 0
    assert knots[-1] == pytest.approx(ndtri(1 - 1 / 144))


def test_monotone_polynomials_are_those_with_rising_bernstein_coefficients():
    rows = PolynomialBasis(3).shape_rows()
    n = rows.shape[0] - 1
    # the Bernstein polynomials of degree n with these coefficients are the powers
    u = np.linspace(0, 1, 11)
    bernstein = stats.binom.pmf(np.arange(n + 1), n, u[:, np.newaxis])
    np.testing.assert_allclose(bernstein @ rows, PolynomialBasis(3).evaluate(u), atol=1e-12)


@pytest.mark.parametrize("rho", [0.3, 0.7, 0.95])
def test_average_accuracy_of_a_known_d(rho):
    model = cx.models.BivariateNormal(rho)
    k = [2, 3, 10, 1000, 10**6]
    exact = model.average_accuracy(k)
    np.testing.assert_allclose(
        cx.distributions.average_accuracy(model.discriminability, k), exact, rtol=2e-6, atol=1e-9
    )


def test_average_accuracy_of_powers_at_any_k_and_top():
    k = np.array([2, 5, 10**4, 10**12])
    np.testing.assert_allclose(cx.distributions.average_accuracy(lambda u: u**2, k), 2 / (k + 1), rtol=1e-6)
    # top 2: 1 - E B^2 with B ~ Beta(k-2, 2)
    expected = (4 * k - 2) / (k * (k + 1.0))
    np.testing.assert_allclose(cx.distributions.average_accuracy(lambda u: u**2, k, top=2), expected, rtol=1e-6)
    assert cx.distributions.average_accuracy(lambda u: u, [1, 2], top=2) == pytest.approx([1, 1])
    assert cx.distributions.average_accuracy(lambda u: ndtr(ndtri(u) - 40), 10**6) == pytest.approx(1)
