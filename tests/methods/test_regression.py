"""The papers' ClassExReg: reference values, constraints, choice of the bandwidth, consistency, intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.special import log_ndtr, ndtri

import classex as cx
from classex.distributions import LinearSplineBasis, PolynomialBasis, ProbitBasis

MODEL = cx.models.BivariateNormal(0.97)


@pytest.fixture(scope="module")
def sample():
    return MODEL.sample(40, n_repeats=2, rng=10)


@pytest.fixture(scope="module")
def fitted(sample):
    return cx.Extrapolator(cx.methods.Regression(rng=1)).fit(sample.scores, sample.labels)


@pytest.mark.parametrize("published", ["journal", "program"])
def test_reference_values(reference, reference_scores, published):
    est = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5, published=published)).fit(
        reference_scores, np.arange(12)
    )
    assert est.distribution_.curve.n_classes.tolist() == list(range(2, 13))
    np.testing.assert_allclose(
        est.distribution_.curve.accuracy, reference["average_test_accuracy_k_1_to_12"][1:], atol=1e-11
    )
    np.testing.assert_allclose(est.predict([100, 1000]), reference["nnls_extrapolated_h_0.5_k_100_1000"], atol=1e-6)


@pytest.mark.parametrize(("step", "sizes"), [(4, None), (1, range(1, 101))])
def test_program_is_that_of_the_authors_scripts_with_repeated_tests(step, sizes):
    """Their steps, written plainly: knots from k1 alone, moments at 10,000 quantiles, non-negative least squares."""
    k1, k2, h = 100, 400, 0.5
    sample = MODEL.sample(k1, n_repeats=30, rng=3)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    program = cx.Extrapolator(cx.methods.Regression(bandwidth=h, published="program", sizes=sizes)).fit_ranks(ranks)
    journal = cx.Extrapolator(cx.methods.Regression(bandwidth=h, published="journal", sizes=sizes)).fit_ranks(ranks)
    assert program.distribution_.basis.knots.max() == pytest.approx(ndtri(1 - 1 / k1**2))
    assert journal.distribution_.basis.knots.max() == pytest.approx(ndtri(1 - 1 / (30 * k1**2)))

    half = np.linspace(0, ndtri(1 - 1 / k1**2), int(np.ceil(ndtri(1 - 1 / k1**2) / h)))
    knots = np.concatenate([-half[:0:-1], half])
    w = knots[:, np.newaxis] + h * ndtri((np.arange(10_000) + 0.5) / 10_000)

    def basis(k):
        return np.append(np.exp((k - 1) * log_ndtr(w)).mean(axis=1), 1.0)

    k = np.arange(step, k1 + 1, step)
    coefficients = nnls(np.array([basis(size) for size in k]), cx.accuracy_curve(ranks, k).accuracy)[0]
    assert program.predict(k2)[0] == pytest.approx(basis(k2) @ coefficients, abs=1e-5)
    assert abs(journal.predict(k2) - program.predict(k2)) > 1e-4


def test_top_m_follows_observed_top_m(sample):
    """Within the observed range the D fitted to top-1 accuracies must give the top-3 accuracies as well."""
    est = cx.Extrapolator(cx.methods.Regression(bandwidth=0.3)).fit(sample.scores, sample.labels)
    k = np.array([5, 10, 20])
    observed = cx.accuracy_curve(est.ranks_, k, top=3)
    assert (np.abs(est.predict(k, top=3) - observed.accuracy) < 0.01).all()


def test_bandwidth_is_the_best_by_half_splitting(fitted):
    choice = fitted.distribution_.choice
    assert len(choice.bases) == 10
    assert [basis.bandwidth for basis in choice.bases] == pytest.approx(np.arange(1, 11) / 10)
    assert choice.predictions.shape == (20, 10)
    assert choice.observed == pytest.approx(cx.accuracy_curve(fitted.ranks_, 40).accuracy[0])
    plain = np.sqrt(((choice.predictions - choice.observed) ** 2).mean(axis=0))
    np.testing.assert_allclose(choice.error, plain)
    assert fitted.distribution_.basis == choice.bases[int(np.argmin(plain))]


def test_half_splits_are_those_of_a_plain_loop(sample):
    est = cx.Extrapolator(cx.methods.Regression(n_splits=3, rng=4)).fit(sample.scores, sample.labels)
    rng = np.random.default_rng(4)
    for row in est.distribution_.choice.predictions:
        classes = np.sort(rng.permutation(40)[:20])
        rows = np.isin(sample.labels, classes)
        part = cx.correct_ranks(sample.scores[np.ix_(rows, classes)], np.searchsorted(classes, sample.labels[rows]))
        accuracy = cx.accuracy_curve(part, np.arange(2, 21)).accuracy
        for predicted, basis in zip(row, est.distribution_.choice.bases, strict=True):
            fit = cx.methods.MomentRegression(basis, np.arange(2, 21)).solve(accuracy)
            assert predicted == pytest.approx(fit.accuracy(40)[0], abs=1e-9)


def test_choice_among_bases_of_all_kinds(sample):
    bases = ("probit", "polynomial", LinearSplineBasis(50), "linear_spline")
    est = cx.Extrapolator(cx.methods.Regression(basis=bases, bandwidth=0.4, n_splits=4)).fit(
        sample.scores, sample.labels
    )
    assert [type(basis) for basis in est.distribution_.choice.bases] == [
        ProbitBasis,
        PolynomialBasis,
        LinearSplineBasis,
        LinearSplineBasis,
    ]
    assert est.distribution_.basis == est.distribution_.choice.bases[int(np.argmin(est.distribution_.choice.error))]


def test_too_few_classes_to_split():
    est = cx.Extrapolator(cx.methods.Regression()).fit([[2, 1, 0], [0, 1, 2], [1, 3, 4]], [0, 1, 2])
    assert est.distribution_.choice is None
    assert est.distribution_.basis.bandwidth == pytest.approx(0.6)
    assert np.diff(est.predict([2, 3, 10, 1000])).max() <= 0


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (None, list(range(2, 41))),
        (10, [4, 8, 12, 16, 20, 24, 28, 32, 36, 40]),
        (25, list(range(2, 41))),
        ([30, 5, 5, 10], [5, 10, 30]),
    ],
)
def test_sizes_that_enter(sizes, expected, sample):
    est = cx.Extrapolator(cx.methods.Regression(sizes=sizes, bandwidth=0.5)).fit(sample.scores, sample.labels)
    assert est.distribution_.curve.n_classes.tolist() == expected


def test_many_classes_enter_at_500_sizes():
    scores = np.random.default_rng(0).normal(size=(700, 700)) + 3 * np.eye(700)
    est = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5)).fit(scores, np.arange(700))
    sizes = est.distribution_.curve.n_classes
    assert sizes.size == 500
    assert (sizes[0], sizes[-1]) == (2, 700)
    every = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5, sizes=np.arange(2, 701))).fit(scores, np.arange(700))
    np.testing.assert_allclose(est.predict([700, 7000]), every.predict([700, 7000]), atol=5e-3)


@pytest.mark.parametrize("options", [{}, {"bandwidth": 0.1}, {"basis": "linear_spline"}, {"weights": "generalised"}])
def test_refits_agree_with_the_fit(options, sample):
    """The fit is by cvxpy and a polishing step, a refit by non-negative least squares: equal to 1e-10."""
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    method = cx.methods.Regression(**options)
    fit = method.fit(ranks, sample.scores)
    k = np.array([2.0, 40, 80, 400, 10_000, 1e9])
    np.testing.assert_allclose(method.refit(fit, ranks).accuracy(k), fit.accuracy(k), atol=1e-10)


@pytest.mark.parametrize(("k1", "split"), [(3, False), (4, True)])
def test_the_fewest_classes_that_are_split(k1, split):
    """A half needs two classes."""
    ranks = cx.ranks_from_wins([k1 - 1, k1 - 2] * k1, k1, labels=np.arange(2 * k1) % k1)
    assert (cx.methods.Regression(n_splits=2).fit(ranks).choice is not None) == split
