"""Fits to ranks and scores: what they predict, and what they rest on."""

from __future__ import annotations

import numpy as np

import classex as cx

from .inputs import case, labels, many, sampled, scores, tied, unequal, untied

SIZES = [2, 10, 25, 100, 1000, 10**6]


@case
def probit_normal():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(untied())
    return fitted.predict(SIZES), fitted.distribution_.mu, fitted.distribution_.nu


@case
def probit_normal_of_many_points():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(many())
    return fitted.predict(SIZES), fitted.predict([60, 500], top=3), fitted.distribution_.mu, fitted.distribution_.nu


@case
def probit_normal_with_ties():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(tied())
    return fitted.predict(SIZES), fitted.distribution_.mu, fitted.distribution_.nu


@case
def probit_normal_of_a_gallery():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(unequal())
    return fitted.predict(SIZES), fitted.distribution_.mu, fitted.distribution_.nu


@case
def probit_normal_of_sampled_wrong_labels():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(sampled())
    return fitted.predict(SIZES), fitted.distribution_.mu, fitted.distribution_.nu


@case
def probit_normal_of_known_width():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal(nu=1)).fit_ranks(untied())
    return fitted.predict(SIZES), fitted.distribution_.mu


@case
def probit_normal_without_prior():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal(prior=False)).fit_ranks(many())
    return fitted.predict(SIZES), fitted.distribution_.mu, fitted.distribution_.nu


@case
def probit_normal_for_metrics():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(many())
    return fitted.predict([10, 60, 1000], metric="mrr"), fitted.predict([10, 60, 1000], metric="recall@5")


@case
def probit_normal_distribution():
    distribution = cx.methods.ProbitNormal().fit(many())
    return (
        distribution.cdf(np.linspace(0.05, 0.95, 7)),
        distribution.log_likelihood,
        distribution.covariance,
        distribution.variance(np.array([10.0, 100.0, 1000.0])),
    )


@case
def probit_normal_formulas():
    log_pmf, gradient = cx.distributions.probit_normal_log_pmf(np.array([0.0, 3.0, 9.0]), 9, 0.4, 1.7)
    node_pmf, _, _ = cx.distributions.posterior_nodes(np.array([0.0, 9.0]), 9, np.zeros(2), 1.0)
    value, slope = cx.distributions.probit_normal.accuracy_and_gradient(1.2, 0.8, np.array([2.0, 30.0]), 1)
    return (
        *(log_pmf, gradient, node_pmf, value, slope),
        cx.methods.probit_normal_accuracy(2.0, 1.0, [2, 10, 100, 10**5]),
        cx.methods.probit_normal_accuracy(1.0, 0.3, [5, 500], top=3),
    )


@case
def empirical_bayes():
    fitted = cx.Extrapolator(cx.methods.EmpiricalBayes()).fit_ranks(untied())
    return fitted.predict(SIZES), fitted.distribution_.log_likelihood


@case
def empirical_bayes_of_many_points():
    fitted = cx.Extrapolator(cx.methods.EmpiricalBayes(n_steps=25)).fit_ranks(many())
    return fitted.predict(SIZES), fitted.predict([60, 500], top=2), fitted.distribution_.freedom


@case
def empirical_bayes_with_ties():
    return (cx.Extrapolator(cx.methods.EmpiricalBayes()).fit_ranks(tied()).predict(SIZES),)


@case
def empirical_bayes_of_sampled_wrong_labels():
    return (cx.Extrapolator(cx.methods.EmpiricalBayes()).fit_ranks(sampled()).predict(SIZES),)


@case
def empirical_bayes_distribution():
    distribution = cx.methods.EmpiricalBayes(n_steps=5).fit(many())
    return distribution.cdf(np.linspace(0.05, 0.95, 5)), distribution.log_likelihood


@case
def beta_binomial():
    fitted = cx.Extrapolator(cx.methods.BetaBinomial()).fit_ranks(many())
    distribution = fitted.distribution_
    return (
        fitted.predict(SIZES),
        distribution.alpha,
        distribution.beta,
        distribution.limit,
        distribution.never,
        distribution.always,
    )


@case
def beta_binomial_with_ties():
    return (cx.Extrapolator(cx.methods.BetaBinomial()).fit_ranks(tied()).predict(SIZES),)


@case
def beta_binomial_without_atoms():
    fitted = cx.Extrapolator(cx.methods.BetaBinomial(limited=False, atoms=False)).fit_ranks(untied())
    return (
        fitted.predict(SIZES),
        fitted.distribution_.alpha,
        fitted.distribution_.beta,
        fitted.distribution_.log_likelihood,
    )


@case
def beta_binomial_of_counts():
    distribution = cx.methods.BetaBinomial(limited=False, atoms=False).fit_counts([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10)
    return (
        distribution.accuracy(np.array([2.0, 6.0, 11.0])),
        distribution.cdf(np.array([0.1, 0.5, 0.9])),
        distribution.alpha,
        distribution.beta,
    )


@case
def beta_binomial_given():
    distribution = cx.methods.BetaBinomialDistribution(alpha=1.5, beta=0.4, limit=0.9, never=0.05, always=0.2)
    return distribution.accuracy(np.array([2.0, 10.0, 1000.0])), distribution.accuracy(np.array([10.0, 50.0]), 3)


@case
def pitman_yor():
    fitted = cx.Extrapolator(cx.methods.PitmanYor()).fit_ranks(many())
    return (
        fitted.predict(SIZES),
        fitted.distribution_.discount,
        fitted.distribution_.concentration,
        fitted.distribution_.log_likelihood,
    )


@case
def pitman_yor_with_ties():
    return (cx.Extrapolator(cx.methods.PitmanYor()).fit_ranks(tied()).predict(SIZES),)


@case
def pitman_yor_by_least_squares():
    fitted = cx.Extrapolator(cx.methods.PitmanYor(method="least squares")).fit_ranks(untied())
    return (
        fitted.predict(SIZES),
        fitted.distribution_.discount,
        fitted.distribution_.concentration,
        fitted.distribution_.residual,
    )


@case
def polynomial():
    fitted = cx.Extrapolator(cx.methods.sources.Polynomial()).fit_ranks(untied())
    return fitted.predict([2, 10, 25, 50, 100]), fitted.distribution_.coefficients


@case
def polynomial_of_low_degree():
    fitted = cx.Extrapolator(cx.methods.sources.Polynomial(degree=1)).fit_ranks(tied())
    return (
        fitted.predict([2, 10, 25, 50, 100]),
        fitted.distribution_.coefficients,
        fitted.distribution_.cdf(np.array([0.3, 0.8])),
    )


@case
def exponential():
    fitted = cx.Extrapolator(cx.methods.sources.Exponential()).fit_ranks(untied())
    return (
        fitted.predict(SIZES),
        fitted.predict([25, 100], top=3),
        fitted.distribution_.offset,
        fitted.distribution_.rate,
    )


@case
def exponential_of_a_gallery():
    return (cx.Extrapolator(cx.methods.sources.Exponential()).fit_ranks(unequal()).predict(SIZES),)


@case
def kernel_density():
    fitted = cx.Extrapolator(cx.methods.KernelDensity()).fit(scores(15, 2, 2.0, 11), labels(15, 2))
    return fitted.predict(SIZES), fitted.distribution_.favourability.beaten[:15]


@case
def kernel_density_by_every_rule():
    data = scores(12, 1, 2.0, 12)
    return (
        cx.Extrapolator(cx.methods.KernelDensity(bandwidth="ucv")).fit(data, labels(12)).predict([2, 12, 100]),
        cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv")).fit(data, labels(12)).predict([2, 12, 100]),
        cx.Extrapolator(cx.methods.KernelDensity(bandwidth="normal_reference"))
        .fit(data, labels(12))
        .predict([2, 12, 100]),
        cx.Extrapolator(cx.methods.KernelDensity(bandwidth=0.5)).fit(data, labels(12)).predict([2, 12, 100]),
    )


@case
def pseudolikelihood():
    return (
        cx.Extrapolator(cx.methods.sources.Pseudolikelihood()).fit_ranks(untied()).predict([2, 10, 25]),
        cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant="unconstrained"))
        .fit_ranks(untied())
        .predict([2, 10, 25]),
        cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant="moment")).fit_ranks(untied()).predict([2, 10, 25]),
        cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant="monotone moment"))
        .fit_ranks(untied())
        .predict([2, 10, 25]),
    )


@case
def points_under_known_distributions():
    normal = cx.distributions.DiscreteDistribution.normal(mu=1.4, nu=0.9)
    return (
        normal.accuracy(np.array([2.0, 10.0, 1000.0])),
        normal.accuracy(np.array([10.0, 1000.0]), 5),
        normal.cdf(np.array([0.1, 0.5, 0.9])),
        cx.distributions.average_accuracy(lambda u: u**3, [2, 5, 40]),
        cx.distributions.average_accuracy(lambda u: u**3, [5, 40], top=2),
        cx.distributions.subset_success(np.array([-1.0, 0.0, 2.0]), np.array([2.0, 5.0, 50.0]), 2),
    )


@case
def errors_of_estimators():
    return [
        cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(many()).standard_error([100, 1000], n_resamples=10),
        cx.Extrapolator(cx.methods.sources.Polynomial()).fit_ranks(untied()).standard_error([25, 50], n_resamples=10),
        cx.Extrapolator(cx.methods.sources.Exponential())
        .fit_ranks(untied())
        .standard_error([100, 1000], n_resamples=10),
        cx.Extrapolator(cx.methods.PitmanYor()).fit_ranks(untied()).standard_error([100, 1000], n_resamples=10),
    ]


@case
def fits_against_the_observed_curve():
    fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(many()).lack_of_fit_
    other = cx.Extrapolator(cx.methods.sources.Exponential()).fit_ranks(untied()).lack_of_fit_
    return fit.predicted, fit.observed, fit.standard_error, other.predicted, other.observed


@case
def numbers_of_classes_for_an_accuracy():
    fitted = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(many())
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
    trials = cx.extrapolation_trials(
        scores(25, 2, 2.0),
        labels(25, 2),
        [8, 12],
        {
            "probit-normal": cx.methods.ProbitNormal(),
            "exponential": cx.methods.sources.Exponential(),
        },
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
