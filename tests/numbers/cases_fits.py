"""Fits to ranks and scores: what they predict, and what they rest on."""

from __future__ import annotations

import numpy as np

import classex as cx

from .inputs import case, labels, many, sampled, scores, tied, unequal, untied

SIZES = [2, 10, 25, 100, 1000, 10**6]


@case
def probit_normal():
    fitted = cx.ProbitNormalExtrapolator().fit_ranks(untied())
    return fitted.predict(SIZES), fitted.law_.mu, fitted.law_.nu


@case
def probit_normal_of_many_points():
    fitted = cx.ProbitNormalExtrapolator().fit_ranks(many())
    return fitted.predict(SIZES), fitted.predict([60, 500], top=3), fitted.law_.mu, fitted.law_.nu


@case
def probit_normal_with_ties():
    fitted = cx.ProbitNormalExtrapolator().fit_ranks(tied())
    return fitted.predict(SIZES), fitted.law_.mu, fitted.law_.nu


@case
def probit_normal_of_a_gallery():
    fitted = cx.ProbitNormalExtrapolator().fit_ranks(unequal())
    return fitted.predict(SIZES), fitted.law_.mu, fitted.law_.nu


@case
def probit_normal_of_sampled_wrong_labels():
    fitted = cx.ProbitNormalExtrapolator().fit_ranks(sampled())
    return fitted.predict(SIZES), fitted.law_.mu, fitted.law_.nu


@case
def probit_normal_of_known_width():
    fitted = cx.ProbitNormalExtrapolator(nu=1).fit_ranks(untied())
    return fitted.predict(SIZES), fitted.law_.mu


@case
def probit_normal_without_prior():
    fitted = cx.ProbitNormalExtrapolator(prior=False).fit_ranks(many())
    return fitted.predict(SIZES), fitted.law_.mu, fitted.law_.nu


@case
def probit_normal_for_metrics():
    fitted = cx.ProbitNormalExtrapolator().fit_ranks(many())
    return fitted.predict([10, 60, 1000], metric="mrr"), fitted.predict([10, 60, 1000], metric="recall@5")


@case
def probit_normal_distribution():
    law = cx.laws.fit_probit_normal(many())
    return (
        law.cdf(np.linspace(0.05, 0.95, 7)),
        law.log_likelihood,
        law.covariance,
        law.variance(np.array([10.0, 100.0, 1000.0])),
    )


@case
def probit_normal_formulas():
    log_pmf, gradient = cx.laws.probit_normal_log_pmf(np.array([0.0, 3.0, 9.0]), 9, 0.4, 1.7)
    node_pmf, _, _ = cx.laws.posterior_nodes(np.array([0.0, 9.0]), 9, np.zeros(2), 1.0)
    value, slope = cx.laws.accuracy_and_gradient(1.2, 0.8, np.array([2.0, 30.0]), 1)
    return (
        *(log_pmf, gradient, node_pmf, value, slope),
        cx.laws.probit_normal_accuracy(2.0, 1.0, [2, 10, 100, 10**5]),
        cx.laws.probit_normal_accuracy(1.0, 0.3, [5, 500], top=3),
    )


@case
def empirical_bayes():
    fitted = cx.EmpiricalBayesExtrapolator().fit_ranks(untied())
    return fitted.predict(SIZES), fitted.law_.log_likelihood


@case
def empirical_bayes_of_many_points():
    fitted = cx.EmpiricalBayesExtrapolator(n_steps=25).fit_ranks(many())
    return fitted.predict(SIZES), fitted.predict([60, 500], top=2), fitted.law_.freedom


@case
def empirical_bayes_with_ties():
    return (cx.EmpiricalBayesExtrapolator().fit_ranks(tied()).predict(SIZES),)


@case
def empirical_bayes_of_sampled_wrong_labels():
    return (cx.EmpiricalBayesExtrapolator().fit_ranks(sampled()).predict(SIZES),)


@case
def empirical_bayes_distribution():
    law = cx.laws.fit_empirical_bayes(many(), n_steps=5)
    return law.cdf(np.linspace(0.05, 0.95, 5)), law.log_likelihood


@case
def beta_binomial():
    fitted = cx.BetaBinomialExtrapolator().fit_ranks(many())
    law = fitted.law_
    return fitted.predict(SIZES), law.alpha, law.beta, law.limit, law.never, law.always


@case
def beta_binomial_with_ties():
    return (cx.BetaBinomialExtrapolator().fit_ranks(tied()).predict(SIZES),)


@case
def beta_binomial_without_atoms():
    fitted = cx.BetaBinomialExtrapolator(limited=False, atoms=False).fit_ranks(untied())
    return fitted.predict(SIZES), fitted.law_.alpha, fitted.law_.beta, fitted.law_.log_likelihood


@case
def beta_binomial_of_counts():
    law = cx.laws.fit_beta_binomial_counts([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, limited=False, atoms=False)
    return law.accuracy(np.array([2.0, 6.0, 11.0])), law.cdf(np.array([0.1, 0.5, 0.9])), law.alpha, law.beta


@case
def beta_binomial_given():
    law = cx.laws.BetaBinomialLaw(alpha=1.5, beta=0.4, limit=0.9, never=0.05, always=0.2)
    return law.accuracy(np.array([2.0, 10.0, 1000.0])), law.accuracy(np.array([10.0, 50.0]), 3)


@case
def pitman_yor():
    fitted = cx.PitmanYorExtrapolator().fit_ranks(many())
    return fitted.predict(SIZES), fitted.law_.discount, fitted.law_.concentration, fitted.law_.log_likelihood


@case
def pitman_yor_with_ties():
    return (cx.PitmanYorExtrapolator().fit_ranks(tied()).predict(SIZES),)


@case
def pitman_yor_by_least_squares():
    fitted = cx.PitmanYorExtrapolator(method="least squares").fit_ranks(untied())
    return fitted.predict(SIZES), fitted.law_.discount, fitted.law_.concentration, fitted.law_.residual


@case
def pitman_yor_formulas():
    return (
        cx.laws.pitman_yor_accuracy(0.3, 5, SIZES),
        cx.laws.pitman_yor_accuracy(0.0, 20, SIZES),
        cx.laws.pitman_yor_uniqueness(0.3, 5, SIZES),
        cx.laws.pitman_yor_uniqueness(0.0, 20, SIZES),
    )


@case
def polynomial():
    fitted = cx.PolynomialExtrapolator().fit_ranks(untied())
    return fitted.predict([2, 10, 25, 50, 100]), fitted.law_.coefficients


@case
def polynomial_of_low_degree():
    fitted = cx.PolynomialExtrapolator(degree=1).fit_ranks(tied())
    return fitted.predict([2, 10, 25, 50, 100]), fitted.law_.coefficients, fitted.law_.cdf(np.array([0.3, 0.8]))


@case
def exponential():
    fitted = cx.ExponentialExtrapolator().fit_ranks(untied())
    return fitted.predict(SIZES), fitted.predict([25, 100], top=3), fitted.law_.offset, fitted.law_.rate


@case
def exponential_on_a_linear_scale():
    fitted = cx.ExponentialExtrapolator(scale="linear").fit_ranks(many())
    return fitted.predict([2, 10, 60, 200]), fitted.law_.offset, fitted.law_.rate


@case
def exponential_of_a_gallery():
    return (cx.ExponentialExtrapolator().fit_ranks(unequal()).predict(SIZES),)


@case
def mixture_of_ranks():
    fitted = cx.MixtureExtrapolator(use_scores=False).fit_ranks(untied())
    return fitted.predict(SIZES), fitted.law_.log_likelihood


@case
def mixture_of_many_points():
    fitted = cx.MixtureExtrapolator(use_scores=False).fit_ranks(many())
    return fitted.predict(SIZES), fitted.predict([60, 500], top=2)


@case
def mixture_with_ties():
    return (cx.MixtureExtrapolator(use_scores=False, smoothness=1.0).fit_ranks(tied()).predict(SIZES),)


@case
def mixture_distribution():
    law = cx.laws.fit_mixture(many(), use_scores=False, smoothness=0.5)
    return law.cdf(np.linspace(0.05, 0.95, 5)), law.ratio.ratio[:10]


@case
def kernel_density():
    fitted = cx.KernelDensityExtrapolator().fit(scores(15, 2, 2.0, 11), labels(15, 2))
    return fitted.predict(SIZES), fitted.law_.favourability.beaten[:15]


@case
def kernel_density_by_every_rule():
    data = scores(12, 1, 2.0, 12)
    return (
        cx.KernelDensityExtrapolator(bandwidth="ucv").fit(data, labels(12)).predict([2, 12, 100]),
        cx.KernelDensityExtrapolator(bandwidth="bcv").fit(data, labels(12)).predict([2, 12, 100]),
        cx.KernelDensityExtrapolator(bandwidth="likelihood").fit(data, labels(12)).predict([2, 12, 100]),
        cx.KernelDensityExtrapolator(bandwidth="normal_reference").fit(data, labels(12)).predict([2, 12, 100]),
        cx.KernelDensityExtrapolator(bandwidth="silverman").fit(data, labels(12)).predict([2, 12, 100]),
        cx.KernelDensityExtrapolator(bandwidth=0.5).fit(data, labels(12)).predict([2, 12, 100]),
    )


@case
def bandwidths():
    one = scores(12, 1, 2.0, 12)[0]
    two = np.random.default_rng(13).exponential(size=60)
    return [
        *(cx.laws.kernel_bandwidth(one, "ucv"), cx.laws.kernel_bandwidth(two, "ucv")),
        *(cx.laws.kernel_bandwidth(one, "bcv"), cx.laws.kernel_bandwidth(two, "bcv")),
        *(cx.laws.kernel_bandwidth(one, "likelihood"), cx.laws.kernel_bandwidth(two, "likelihood")),
        *(cx.laws.kernel_bandwidth(one, "normal_reference"), cx.laws.kernel_bandwidth(two, "normal_reference")),
        *(cx.laws.kernel_bandwidth(one, "silverman"), cx.laws.kernel_bandwidth(two, "silverman")),
    ]


@case
def kernel_densities_of_rows():
    found = cx.laws.kernel_favourability(scores(12, 1, 2.0, 12), labels(12), "silverman")
    return found.beaten, found.bandwidth


@case
def pseudolikelihood():
    return (
        cx.PseudolikelihoodExtrapolator().fit_ranks(untied()).predict([2, 10, 25]),
        cx.PseudolikelihoodExtrapolator(variant="unconstrained").fit_ranks(untied()).predict([2, 10, 25]),
        cx.PseudolikelihoodExtrapolator(variant="moment").fit_ranks(untied()).predict([2, 10, 25]),
        cx.PseudolikelihoodExtrapolator(variant="monotone moment").fit_ranks(untied()).predict([2, 10, 25]),
    )


@case
def points_under_known_distributions():
    normal = cx.laws.ProbitLaw.normal(mu=1.4, nu=0.9)
    return (
        normal.accuracy(np.array([2.0, 10.0, 1000.0])),
        normal.accuracy(np.array([10.0, 1000.0]), 5),
        normal.cdf(np.array([0.1, 0.5, 0.9])),
        cx.laws.average_accuracy(lambda u: u**3, [2, 5, 40]),
        cx.laws.average_accuracy(lambda u: u**3, [5, 40], top=2),
        cx.laws.subset_success(np.array([-1.0, 0.0, 2.0]), np.array([2.0, 5.0, 50.0]), 2),
    )


@case
def errors_of_estimators():
    return [
        cx.ProbitNormalExtrapolator().fit_ranks(many()).standard_error([100, 1000], n_resamples=10),
        cx.PolynomialExtrapolator().fit_ranks(untied()).standard_error([25, 50], n_resamples=10),
        cx.ExponentialExtrapolator().fit_ranks(untied()).standard_error([100, 1000], n_resamples=10),
        cx.PitmanYorExtrapolator().fit_ranks(untied()).standard_error([100, 1000], n_resamples=10),
    ]


@case
def fits_against_the_observed_curve():
    fit = cx.ProbitNormalExtrapolator().fit_ranks(many()).lack_of_fit_
    other = cx.ExponentialExtrapolator().fit_ranks(untied()).lack_of_fit_
    return fit.predicted, fit.observed, fit.standard_error, other.predicted, other.observed


@case
def numbers_of_classes_for_an_accuracy():
    fitted = cx.ProbitNormalExtrapolator().fit_ranks(many())
    return [
        cx.classes_at_accuracy(fitted, 0.3, n_resamples=10).n_classes,
        cx.classes_at_accuracy(fitted, 0.1, n_resamples=10).n_classes,
    ]


@case
def results_of_the_front():
    result = cx.extrapolate(
        scores(60, 3, 2.5, 3), labels(60, 3), n_classes=[100, 5000], method="probit-normal", target=None
    )
    return result.accuracy, result.observed.value, result.observed.standard_error, result.evidence.log_likelihood


@case
def trials_on_subsets():
    trials = cx.extrapolation.extrapolation_trials(
        scores(25, 2, 2.0),
        labels(25, 2),
        [8, 12],
        {"probit-normal": cx.ProbitNormalExtrapolator(), "exponential": cx.ExponentialExtrapolator()},
        n_subsets=3,
    )
    return trials.predicted, trials.truth, trials.bias, trials.rmse


@case
def attempts():
    successes = [0, 0, 1, 3, 0, 10, 7, 0, 2, 5]
    unequal_trials = [4, 5, 9, 8, 2, 10, 20, 3, 6, 5]
    return (
        cx.pass_at_k(successes, 10, [1, 2, 3, 5, 8, 10], stopped=False).value,
        cx.pass_at_k([0, 1, 4, 4, 2, 10, 13, 1, 0, 5], unequal_trials, [1, 2], stopped=False).value,
    )
