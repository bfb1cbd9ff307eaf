"""Corrections on fitting D and predicting accuracies with more classes."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from classex.curves.accuracy import accuracy_curve
from classex.distributions import PolynomialBasis
from classex.methods import MomentRegression
from classex.models import BivariateNormal, GaussianClasses
from classex.ranks import correct_ranks
from classex_book.errata._entry import Values, erratum
from classex_book.misspecification import misspecification_bias

CUBIC, OBSERVED = PolynomialBasis(3), np.arange(2, 21)


@erratum("E1")
def prediction_without_one_minus() -> Values:
    r"""$\mathrm{AGA}_{100}$ predicted from 20 classes, $D(u) = u^3$."""
    fit = MomentRegression(CUBIC, OBSERVED).solve(3 / (OBSERVED + 2))
    risk = float((CUBIC.moments([100]) @ fit.coefficients).sum())
    u = np.random.default_rng(1).random(100_000) ** (1 / 3)
    return risk, 1 - risk, np.mean(u**99), np.std(u**99) / np.sqrt(u.size)


@erratum("E2")
def accuracy_of_the_rule_in_hand() -> Values:
    """Accuracy with 20 classes that the test accuracy of a nearest neighbour rule estimates."""
    model = GaussianClasses(n_features=5, noise=0.5)
    samples = [model.sample(20, n_repeats=5, rng=i) for i in range(400)]
    tests = np.array([np.mean(s.scores.argmax(axis=1) == s.labels) for s in samples])
    return model.average_bayes_accuracy(20), model.average_accuracy(20), tests.mean(), tests.std() / np.sqrt(400)


@erratum("E3")
def resampling_with_replacement() -> Values:
    """Test accuracy of 25 classes resampled from 50."""
    sample = GaussianClasses(n_features=10, noise=0.1).sample(50, n_repeats=5, rng=6)
    own = sample.scores[np.arange(250), sample.labels][:, np.newaxis]
    rng, accuracies = np.random.default_rng(7), {}
    for replace in (True, False):
        draws = []
        for _ in range(400):
            drawn = rng.choice(50, 25, replace=replace)
            rows = np.concatenate([np.flatnonzero(sample.labels == c) for c in drawn])
            rivals = sample.scores[np.ix_(rows, drawn)]
            # the copies of a class tie with it, and each of them is as likely to be named
            draws.append(np.mean((rivals <= own[rows]).all(axis=1) / (rivals == own[rows]).sum(axis=1)))
        accuracies[replace] = np.array(draws)
    truth = accuracy_curve(correct_ranks(sample.scores, sample.labels), 25).accuracy[0]
    return accuracies[True].mean(), accuracies[False].mean(), truth, accuracies[False].std() / np.sqrt(400)


@erratum("E4")
def scores_below_zero() -> Values:
    """Smoothed favourability where all scores are negative."""
    wrong, own, bandwidth = np.array([-3.1, -2.4, -2.2, -1.5, -0.9]), -1.2, 0.4
    printed = np.mean(norm.cdf((own - wrong) / bandwidth) - norm.cdf((0 - wrong) / bandwidth))
    right = np.mean(norm.cdf((own - wrong) / bandwidth))
    m = np.linspace(-8, own, 20_001)
    density = norm.pdf(m, wrong[:, np.newaxis], bandwidth).mean(axis=0)
    return printed, right, np.trapezoid(density, m), 1e-7


@erratum("E5")
def target_of_the_power() -> Values:
    r"""What $\hat p^{20}$ approaches in large samples, $p = .9$."""
    powers = (np.random.default_rng(2).binomial(1_000_000, 0.9, size=400) / 1_000_000) ** 20
    return 0.9, 0.9**20, powers.mean(), powers.std() / np.sqrt(400)


@erratum("E6")
def norm_that_does_not_settle() -> Values:
    r"""Standard deviation over mean of $\sqrt{k_1}\,\lVert \hat\beta - \beta \rVert$, large $k_1$."""
    # one basis function, D itself: the coefficient is 1 and its estimate the ratio of the error rates with 2 classes
    model, rng = BivariateNormal(0.7), np.random.default_rng(3)
    error, norms = 1 - model.average_accuracy(2), []
    for _ in range(3000):
        sample = model.sample(60, rng=rng)
        own = np.diag(sample.scores)[:, np.newaxis]
        norms.append(abs((sample.scores > own).sum() / (60 * 59) / error - 1))
    batches = np.array(norms).reshape(20, 150)
    ratios = batches.std(axis=1) / batches.mean(axis=1)
    return 0.0, np.sqrt(np.pi / 2 - 1), np.std(norms) / np.mean(norms), ratios.std() / np.sqrt(20)


@erratum("E7")
def bias_of_a_model_that_fits() -> Values:
    """Bias at 100 classes from the curve to 20, $D(u) = u^3$ in the span of the cubic basis."""
    design = CUBIC.moments(OBSERVED)
    weights = CUBIC.evaluate(np.linspace(0, 1, 201)) @ np.linalg.pinv(design)
    printed = (np.abs(weights).sum(axis=1) ** 2).max()
    bias = misspecification_bias(lambda u: u**3, CUBIC, OBSERVED, 100)[0]
    return printed, 0.0, abs(bias), 1e-6
