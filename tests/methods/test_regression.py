"""The papers' ClassExReg: reference values, constraints, choice of the bandwidth, consistency, intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.special import log_ndtr, ndtri

import classex as cx
from classex.distributions import FunctionBasis, LinearSplineBasis, PolynomialBasis, ProbitBasis

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


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"basis": "linear_spline"},
        {"basis": PolynomialBasis(4)},
        {"basis": FunctionBasis(lambda u: u[:, np.newaxis] ** [1, 4, 20, 100], increasing=True)},
        {"published": "journal"},
        {"published": "program"},
        {"weights": "generalised", "bandwidth": 0.5},
    ],
)
def test_predictions_are_probabilities_that_never_rise(options, sample):
    est = cx.Extrapolator(cx.methods.Regression(**options)).fit(sample.scores, sample.labels)
    k = np.unique(np.geomspace(1, 10**12, 80).astype(np.int64))
    previous = np.zeros(k.size)
    for top in (1, 2, 5):
        accuracy = est.predict(k, top=top)
        assert ((accuracy >= 0) & (accuracy <= 1)).all()
        assert np.diff(accuracy).max() <= 1e-7
        assert (accuracy >= previous - 1e-7).all()  # a longer list of guesses cannot hurt
        assert (accuracy[k <= top] == 1).all()
        previous = accuracy
    d = est.distribution_.cdf(np.linspace(0, 1, 101))
    assert np.diff(d).min() > -1e-6
    assert ((d >= 0) & (d <= 1)).all()


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


def test_ranks_suffice(sample, fitted):
    est = cx.Extrapolator(cx.methods.Regression(rng=1)).fit_ranks(cx.correct_ranks(sample.scores, sample.labels))
    assert est.scores_ is None
    # thinned ranks stand in for half-splits; the choice may differ, the curves hardly
    np.testing.assert_allclose(est.predict([40, 200]), fitted.predict([40, 200]), atol=0.03)


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


@pytest.mark.parametrize("weights", ["equal", "generalised"])
def test_intervals_hold_the_prediction(weights, sample):
    est = cx.Extrapolator(cx.methods.Regression(bandwidth=0.6, weights=weights, sizes=20))
    est.fit(sample.scores, sample.labels)
    k = [10, 40, 400]
    ends = est.predict_interval(k, n_resamples=20)
    assert (ends[:, 0] < est.predict(k)).all()
    assert (est.predict(k) < ends[:, 1]).all()
    assert (ends[:, 0] < MODEL.average_accuracy(k)).all()
    assert (MODEL.average_accuracy(k) < ends[:, 1]).all()


def test_resampling_with_chosen_sizes_and_a_large_spline(sample):
    est = cx.Extrapolator(cx.methods.Regression(basis="linear_spline", sizes=[2, 10, 40]))
    est.fit(sample.scores, sample.labels)
    ends = est.predict_interval(100, n_resamples=10)
    assert ends.shape == (1, 2)
    few = est.method_.refit(est.distribution_, cx.correct_ranks(sample.scores[:20, :10], sample.labels[:20]))
    assert few.curve.n_classes.tolist() == [2, 10]


@pytest.mark.parametrize("options", [{}, {"bandwidth": 0.1}, {"basis": "linear_spline"}, {"weights": "generalised"}])
def test_refits_agree_with_the_fit(options, sample):
    """The fit is by cvxpy and a polishing step, a refit by non-negative least squares: equal to 1e-10."""
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    method = cx.methods.Regression(**options)
    fit = method.fit(ranks, sample.scores)
    k = np.array([2.0, 40, 80, 400, 10_000, 1e9])
    np.testing.assert_allclose(method.refit(fit, ranks).accuracy(k), fit.accuracy(k), atol=1e-10)


def test_refitting_forgets_the_old_data(sample):
    basis = ProbitBasis([0.0, 1.0, 2.0], 0.7)
    other = MODEL.sample(40, n_repeats=2, rng=9)
    for weights in ("equal", "generalised"):
        est = cx.Extrapolator(cx.methods.Regression(basis=basis, weights=weights))
        est.fit(other.scores, other.labels).predict_interval(50, n_resamples=10)
        again = est.fit(sample.scores, sample.labels).predict([50, 500])
        fresh = cx.Extrapolator(cx.methods.Regression(basis=basis, weights=weights))
        np.testing.assert_allclose(again, fresh.fit(sample.scores, sample.labels).predict([50, 500]), atol=1e-9)


def test_perfect_scores():
    est = cx.Extrapolator(cx.methods.Regression()).fit(np.eye(12), np.arange(12))
    assert est.predict([2, 10**12]) == pytest.approx([1, 1])
    assert est.standard_error([100]) == pytest.approx([0])
    general = cx.Extrapolator(cx.methods.Regression(weights="generalised", bandwidth=0.3)).fit(
        np.eye(12), np.arange(12)
    )
    assert general.predict(10**6) == pytest.approx([1])


@pytest.mark.parametrize("seed", [4, 13, 20, 25, 38])
def test_ordinary_problems_are_solved(seed):
    """With SciPy 1.14, the version before the oldest that is allowed, these ended after too many iterations."""
    features, noise = (2, 5, 10, 20)[seed % 4], (0.1, 0.3, 0.6, 1.0)[seed // 4 % 4]
    world = cx.models.GaussianClasses(n_features=features, noise=noise)
    sample = world.sample((30, 60, 100)[seed % 3], n_repeats=1 + seed % 3, rng=seed)
    est = cx.Extrapolator(cx.methods.Regression()).fit_ranks(cx.correct_ranks(sample.scores, sample.labels))
    assert abs(est.predict([1000])[0] - world.average_accuracy(1000)) < 0.2


@pytest.mark.parametrize(("k1", "split"), [(3, False), (4, True)])
def test_the_fewest_classes_that_are_split(k1, split):
    """A half needs two classes."""
    ranks = cx.ranks_from_wins([k1 - 1, k1 - 2] * k1, k1, labels=np.arange(2 * k1) % k1)
    assert (cx.methods.Regression(n_splits=2).fit(ranks).choice is not None) == split
