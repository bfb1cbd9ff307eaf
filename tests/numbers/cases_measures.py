"""Prediction advantage, open sets, and identification from recordings."""

from __future__ import annotations

import numpy as np

import classex as cx
from classex_book.encoding import IdentificationModel, fit_encoding, noise_covariance, predict_responses
from classex_book.recordings import delay_features, detrend, noise_ceiling, out_of_run_r2, segment_scores

from .inputs import case, labels, scores


def predicted() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True classes, predictions and confidences of 40 rows in three unequal classes."""
    rng = np.random.default_rng(20)
    truth = np.repeat([0, 1, 2], [24, 10, 6])
    wrong = rng.uniform(size=40) < 0.25
    return truth, np.where(wrong, rng.integers(0, 3, size=40), truth), np.round(rng.uniform(size=40), 1)


def numeric() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, predictions of them, and weights of the rows."""
    rng = np.random.default_rng(21)
    truth = rng.normal(3, 2, size=30)
    return truth, truth + rng.normal(size=30), rng.uniform(0.5, 2, size=30)


@case
def advantages():
    truth, guess, _ = predicted()
    y, z, weight = numeric()
    cost = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    return [
        cx.prediction_advantage(truth, guess),
        cx.prediction_advantage(truth, guess, loss=cost),
        cx.prediction_advantage(y, z, loss="squared"),
        cx.prediction_advantage(y, z, loss="absolute"),
        cx.prediction_advantage(y, z, loss="pinball", quantile=0.8),
        cx.prediction_advantage(y, z, loss="squared", sample_weight=weight),
        cx.prediction_advantage(y, z, loss="absolute", sample_weight=weight),
    ]


@case
def advantages_of_probabilities():
    truth = predicted()[0]
    probability = np.random.default_rng(22).dirichlet(np.ones(3), size=40) + 2.0 * np.eye(3)[truth]
    probability /= probability.sum(axis=1, keepdims=True)
    return (cx.prediction_advantage(truth, probability, loss="cross_entropy"),)


@case
def advantages_with_intervals():
    truth, guess, _ = predicted()
    y, z, weight = numeric()
    one = cx.prediction_advantage_interval(truth, guess)
    two = cx.prediction_advantage_interval(y, z, loss="squared", confidence_level=0.8, sample_weight=weight)
    three = cx.prediction_advantage_interval(y, z, loss="absolute", method="bootstrap", n_resamples=100, rng=0)
    return (
        *(one.value, one.standard_error, one.low, one.high),
        *(two.value, two.standard_error, two.low, two.high),
        *(three.value, three.standard_error, three.low, three.high),
    )


@case
def advantages_of_accuracies():
    return (
        cx.advantage.advantage_of_accuracy(0.7, [2, 3, 4, 100]),
        cx.advantage.advantage_of_accuracy([0.1, 0.5, 0.99], 10),
    )


@case
def measures_from_confusion():
    found = cx.advantage.confusion_measures([[50, 3, 2], [4, 20, 1], [5, 0, 5]])
    return (
        *(found.prediction_advantage, found.accuracy, found.balanced_accuracy, found.kappa, found.matthews),
        *(found.macro_f, found.recall, found.precision, found.f_score),
    )


@case
def measures_from_predictions():
    truth, guess, confidence = predicted()
    confusion = np.bincount(3 * truth + guess, weights=1 + confidence, minlength=9).reshape(3, 3)
    found = cx.advantage.confusion_measures(confusion)
    return (
        *(found.prediction_advantage, found.accuracy, found.balanced_accuracy, found.kappa, found.matthews),
        *(found.macro_f, found.recall, found.precision, found.f_score),
    )


@case
def predictions_without_features():
    truth, _, confidence = predicted()
    y, _, weight = numeric()
    return [
        cx.advantage.bayesian_marginal_prediction(truth, sample_weight=1 + confidence),
        cx.advantage.bayesian_marginal_prediction(truth, loss="cross_entropy"),
        cx.advantage.bayesian_marginal_prediction(y, loss="squared", sample_weight=weight),
        cx.advantage.bayesian_marginal_prediction(y, loss="absolute", sample_weight=weight),
        cx.advantage.bayesian_marginal_prediction(y, loss="pinball", quantile=0.3),
        2 * [cx.advantage.bayesian_marginal_prediction(y, loss="absolute")],
    ]


@case
def risks_without_features():
    y = numeric()[0]
    truth = predicted()[0]
    return [
        cx.advantage.marginal_risk(truth),
        cx.advantage.marginal_risk(truth, correction="first_order"),
        cx.advantage.marginal_risk(truth, loss="cross_entropy", correction="first_order"),
        cx.advantage.marginal_risk(y, loss="squared"),
        cx.advantage.marginal_risk(y, loss="squared", correction="first_order"),
        cx.advantage.marginal_risk(y, loss="absolute", correction="first_order"),
        cx.advantage.marginal_risk(y, loss="pinball", quantile=0.2, correction="first_order"),
    ]


@case
def selections():
    truth, guess, confidence = predicted()
    some = cx.advantage.selective_curve(truth, guess, confidence, coverage=[0.1, 0.35, 0.6, 0.8, 1.0])
    return some.risk, some.marginal_risk, some.advantage


@case
def selections_of_numbers():
    y, z, weight = numeric()
    found = cx.advantage.selective_curve(
        y, z, np.abs(y), loss="squared", coverage=[0.2, 0.5, 1.0], sample_weight=weight
    )
    return found.risk, found.marginal_risk, found.advantage


@case
def rejections():
    one = np.repeat([0.1, 0.4, 0.8], [10, 5, 5])
    accept = cx.advantage.best_rejection(np.column_stack([1 - one, one]), coverage=0.6)
    return [accept[:10].sum(), accept[10:15].sum(), accept[15:].sum()]


def searches() -> tuple[np.ndarray, np.ndarray]:
    """Scores of mated and of other searches in a gallery of 15, rounded so that some equal a threshold."""
    rng = np.random.default_rng(23)
    return np.round(scores(15, 2, 2.5, 24), 1), np.round(rng.standard_normal((20, 15)), 1)


@case
def open_set():
    mated, other = searches()
    found = cx.open_set.open_set_curve(mated, labels(15, 2), other, [1.0, 1.5, 2.0, 2.5, 3.0])
    return found.fpir, found.fnir, found.fmr


@case
def open_set_with_fewer_enrolled():
    mated, other = searches()
    found = cx.open_set.open_set_curve(mated, labels(15, 2), other, [1.0, 2.0, 3.0], n_enrolled=6)
    ranked = cx.open_set.open_set_curve(mated, labels(15, 2), other, [1.0, 2.0], n_enrolled=8, top=3)
    return found.fpir, found.fnir, found.fmr, ranked.fnir


@case
def open_set_with_several_images():
    mated, other = searches()
    found = cx.open_set.open_set_curve(
        mated, labels(15, 2) // 3, other, [1.0, 2.0, 3.0], enrolled_labels=np.arange(15) // 3, nonmated_labels=None
    )
    return found.fpir, found.fnir, found.fmr


@case
def open_set_if_independent():
    return (cx.open_set.binomial_fpir([1e-9, 0.001, 0.2], [10**6, 1000, 3]),)


def recordings() -> tuple[np.ndarray, np.ndarray]:
    """Features of 60 stimuli, and responses of eight voxels to them."""
    rng = np.random.default_rng(25)
    features = rng.standard_normal((60, 4))
    return features, features @ rng.standard_normal((4, 8)) + 2.0 * rng.standard_normal((60, 8))


@case
def encoding():
    features, responses = recordings()
    fit = fit_encoding(features[:45], responses[:45])
    return fit.coefficients[0], fit.intercept, predict_responses(fit, features[45:46])


@case
def identification():
    features, responses = recordings()
    model = IdentificationModel().fit(features[:45], responses[:45])
    ranks = model.identify(features[45:], responses[45:])
    return ranks.wins, model.scores(features[45:], responses[45:])[0]


@case
def covariances_of_noise():
    residuals = np.random.default_rng(26).standard_normal((12, 3))
    return (
        noise_covariance(residuals),
        noise_covariance(residuals, method="diagonal", shrinkage=0.3),
    )


@case
def preparation_of_recordings():
    features, responses = recordings()
    runs = np.repeat([0, 1, 2], 20)
    signal, ceiling = noise_ceiling(responses.reshape(3, 20, 8)[:, :, :3])
    return (
        delay_features(features[:4, :1], [0, 1, 2], runs=[0, 0, 1, 1]),
        detrend(responses[:6, :1], degree=2),
        *(signal, ceiling, out_of_run_r2(features, responses[:, :3], runs)),
        segment_scores(scores(6, 1, 1.0, 27), 3),
    )


@case
def permutations():
    test = cx.identification.permutation_test(scores(20, 1, 1.0, 28), n_permutations=39, rng=1)
    runs = cx.identification.permutation_test(
        scores(20, 1, 0.5, 28), runs=np.arange(20) // 5, n_classes=4, n_permutations=19, rng=2
    )
    return test.accuracy, test.p_value, test.permuted[:5], runs.accuracy, runs.p_value


@case
def groups_of_subjects():
    group = cx.identification.random_effects([2.0, 2.6, 1.7, 2.5], [0.2, 0.1, 0.2, 0.3])
    alike = cx.identification.random_effects([2.0, 2.1, 2.05], [0.5, 0.4, 0.6], confidence_level=0.9)
    return (
        *(group.value, group.standard_error, group.interval.low, group.interval.high, group.between),
        *(alike.value, alike.standard_error, alike.interval.low, alike.interval.high, alike.between),
    )
