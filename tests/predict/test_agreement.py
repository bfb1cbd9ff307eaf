"""Three-way agreement: D known exactly, ranks simulated from it, average accuracy recovered as classes grow."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.distributions import PolynomialBasis

# other tests run the same lines of the package, and the tracer would take up to as much time again
pytestmark = pytest.mark.no_cover

MODELS = {
    "bivariate normal": cx.models.BivariateNormal(0.9),
    "Gaussian classes": cx.models.GaussianClasses(4, 0.3),
}
METHODS = {
    "regression": lambda: cx.Extrapolator(cx.methods.Regression(bandwidth=0.5, sizes=60)),
    "linear spline": lambda: cx.Extrapolator(cx.methods.Regression(basis="linear_spline", sizes=60)),
    "pseudolikelihood": lambda: cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant="monotone")),
}
K = np.array([10, 100, 300])


@pytest.fixture(scope="module", params=MODELS)
def experiments(request):
    model = MODELS[request.param]
    rng = np.random.default_rng(11)
    draws = {}
    for k1, repeats in ((30, 24), (300, 12)):
        draws[k1] = []
        for _ in range(repeats):
            sample = model.sample(k1, n_repeats=2, rng=rng)
            draws[k1].append(cx.correct_ranks(sample.scores, sample.labels))
    return model, draws


def test_three_ways_to_the_truth(experiments):
    """From D by quadrature, from the law of U* directly, and from the mean observed curve (z = 4)."""
    model, draws = experiments
    truth = model.average_accuracy(K)
    np.testing.assert_allclose(cx.distributions.average_accuracy(model.discriminability, K), truth, atol=2e-4)
    observed = np.array([cx.accuracy_curve(ranks, K).accuracy for ranks in draws[300]])
    error = observed.std(axis=0, ddof=1) / np.sqrt(len(observed))
    assert (np.abs(observed.mean(axis=0) - truth) < 4 * error).all()


@pytest.mark.parametrize("method", METHODS)
def test_consistent_methods_recover_the_truth(method, experiments):
    """With 300 classes the mean lies within 4 standard errors (and .01 for the basis); errors shrink with k1."""
    model, draws = experiments
    truth = model.average_accuracy(K)
    error = {}
    for k1, ranks in draws.items():
        predictions = np.array([METHODS[method]().fit_ranks(r).predict(K) for r in ranks])
        error[k1] = np.sqrt(np.square(predictions - truth).mean(axis=0))
        if k1 == 300:
            spread = predictions.std(axis=0, ddof=1) / np.sqrt(len(ranks))
            assert (np.abs(predictions.mean(axis=0) - truth) < 4 * spread + 0.01).all()
    # ten times the classes: the root mean square falls by sqrt(10) where nothing else limits it
    assert (error[300] < 0.7 * error[30]).all()


@pytest.mark.filterwarnings("ignore::classex.exceptions.LackOfFitWarning")  # of 180 fits some miss by chance
@pytest.mark.solver
def test_a_polynomial_truth_is_recovered_by_the_polynomial_methods():
    rng = np.random.default_rng(5)
    truth = cx.distributions.average_accuracy(lambda u: u**2, K)
    for make in (
        lambda: cx.Extrapolator(cx.methods.sources.Polynomial(degree=2)),
        lambda: cx.Extrapolator(cx.methods.Regression(basis=PolynomialBasis(2), sizes=40)),
        lambda: cx.Extrapolator(cx.methods.sources.Pseudolikelihood(basis=PolynomialBasis(2))),
    ):
        error = {}
        for k1 in (40, 640):
            predictions = []
            for _ in range(30):
                wins = rng.binomial(k1 - 1, rng.beta(2, 1, size=k1))
                ranks = cx.CorrectRanks(wins, np.zeros_like(wins), np.arange(k1), k1)
                predictions.append(make().fit_ranks(ranks).predict(K))
            error[k1] = np.sqrt(np.square(np.array(predictions) - truth).mean(axis=0))
        # 16 times the classes: a quarter of the error, give or take the noise of 30 draws (z = 4)
        assert (error[640] < 0.25 * error[40] * (1 + 4 * np.sqrt(2 / 60))).all()
