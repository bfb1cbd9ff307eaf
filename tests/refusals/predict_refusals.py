# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

import classex as cx
from classex import Extrapolator, classes_at_accuracy
from classex.exceptions import NotFittedError
from classex.methods import KernelDensity, ProbitNormal, Regression
from tests.refusals.worlds import ranked, scored


def refused_base():
    plain = Extrapolator(Regression())
    estimator = Extrapolator(Regression()).fit(*scored())
    yield lambda: plain.predict(10), "this Extrapolator is not fitted yet: call fit", NotFittedError
    yield lambda: plain.predict_interval(10), "not fitted", AttributeError
    yield lambda: Extrapolator(Regression()).fit_ranks(np.arange(3)), "ranks must be a CorrectRanks", TypeError
    yield lambda: Extrapolator(KernelDensity()).fit_ranks(estimator.ranks_), "KernelDensity needs scores,", TypeError
    yield lambda: Extrapolator(Regression()).fit([[1, np.nan], [0, 1]], [0, 1]), "scores must be finite"
    yield lambda: estimator.predict(0), "n_classes must hold whole numbers"
    yield lambda: estimator.predict(10, top=0), "top must be an integer of at least 1"
    yield lambda: estimator.predict_interval(10, target="new"), "target must be one of 'average', 'fresh', 'superset',"
    yield lambda: estimator.predict_interval(10, confidence_level=1), "confidence_level must be a number strictly"
    yield lambda: estimator.predict_interval(10, n_resamples=3), "n_resamples must be an integer of at least 10"
    yield lambda: Extrapolator(Regression()).fit(np.eye(3), np.arange(3)).predict_interval(10), "at least 5 observed"
    yield lambda: Extrapolator(3).fit(np.eye(3), np.arange(3)), "method must be a name or one of", TypeError


def refused_capacity():
    estimator = Extrapolator(ProbitNormal()).fit(*scored())
    for accuracy, level in [(0, 0.95), (1, 0.95), (0.5, 1)]:
        yield lambda: classes_at_accuracy(estimator, accuracy, confidence_level=level), "must be a number strictly"
        yield lambda: classes_at_accuracy(Extrapolator(ProbitNormal()), 0.5), "not fitted", NotFittedError


def refused_front():
    scores, labels = scored(12)
    yield (
        lambda: cx.extrapolate(cx.io.example_file(), labels, n_classes=50),
        "labels and classes must be None with a file of scores",
        TypeError,
    )
    yield lambda: cx.extrapolate(scores, n_classes=50), "labels must be given with scores", TypeError
    yield (
        lambda: cx.extrapolate(cx.correct_ranks(scores, labels), labels, n_classes=50),
        "labels and classes must be None with",
        TypeError,
    )
    yield lambda: cx.extrapolate(scores, labels, n_classes=50, method="guess"), "method must be one of '"
    yield lambda: cx.extrapolate(scores, labels, n_classes=50, method=3), "method must be a name or one of", TypeError
    yield lambda: cx.extrapolate(scores, labels, n_classes=50, target="best"), "target must be one of"
    for given, message in [
        ({"growth": "more groups"}, "growth goes with groups"),
        ({"n_repeats": 3}, "n_repeats goes with target='fresh' or 'superset', not with target='average'"),
        ({"n_repeats": 3, "target": None}, "not with target=None"),
    ]:
        yield (
            lambda: cx.extrapolate(scores, labels, n_classes=20, **given),
            message,
            (TypeError, ValueError),
        )


def refused_manners():
    for n_jobs in [0, 1.5, "two", True]:
        est = Extrapolator(ProbitNormal()).fit_ranks(ranked())
        yield lambda: est.predict_interval(24, n_jobs=n_jobs), "n_jobs must be None or an integer other than 0"


def refused_metric():
    fit = Extrapolator(ProbitNormal()).fit_ranks(ranked())
    yield lambda: fit.predict(9, metric="auc"), "metric must be one of accuracy, mrr"
    yield lambda: fit.predict(9, metric="mrr", top=2), "top must be 1 with metric='mrr'"


def refused_published():
    published = Extrapolator().fit_curve([10, 100], [0.9, 0.7], 500)
    yield lambda: cx.extrapolate(published, n_classes=1000, target="fresh"), "target must be 'average' after fit_curve"
    for more in ({"method": "mixture"}, {"labels": [0]}, {"classes": ["a"]}):
        yield lambda: cx.extrapolate(published, n_classes=1000, **more), "method, labels, classes,", TypeError
    yield lambda: cx.extrapolate(Extrapolator(), n_classes=1000), "not fitted", NotFittedError
    for arguments, kind, message in [
        ({}, TypeError, "n_test or standard_error must be given: one of them, not none"),
        ({"n_test": 5, "standard_error": [0.1, 0.1]}, TypeError, "must be given: one of them, not both"),
        ({"standard_error": [0.1]}, ValueError, "one entry for each accuracy .2., not 1"),
        ({"standard_error": [0, 0]}, ValueError, "must not be negative, and positive"),
        ({"n_test": 0}, ValueError, "n_test must be an integer of at least 1"),
        ({"n_test": 9, "accuracy": [90, 70]}, ValueError, r"accuracy must be in \[0, 1\], not 90"),
        ({"n_test": 9, "accuracy": [0.9]}, ValueError, "accuracy must have one entry for each of the 2 n_classes"),
        ({"n_test": 9, "n_classes": [10, 10]}, ValueError, "n_classes must not hold a number twice"),
    ]:
        yield (
            lambda: Extrapolator().fit_curve(**{"n_classes": [10, 100], "accuracy": [0.9, 0.7], **arguments}),
            message,
            kind,
        )


def refused_rivals():
    for estimator, name in (
        (Extrapolator(cx.methods.PitmanYor(method="magic")), "method"),
        (Extrapolator(cx.methods.EmpiricalBayes(start="nowhere")), "start"),
    ):
        yield lambda: estimator.fit_ranks(ranked()), f"{name} must be one of"


def refused_sampled():
    drawn = cx.ranks_from_wins([15, 18, 40, 44], 5_000, n_wrong=[20, 20, 45, 45])
    for method in ["regression", "polynomial", "exponential", "pseudolikelihood"]:
        yield lambda: cx.extrapolate(drawn, n_classes=100, method=method), "ranks must compare every point with all"
    yield lambda: cx.extrapolate(drawn, n_classes=100, method="gaussian-process"), r"one number of sampled wrong"


def refused_trials():
    for change, message in [
        ({"n_classes": 1}, "n_classes must hold whole numbers of at least 2 and at most 2"),
        ({"methods": {}}, "methods must hold at least one method, but is empty"),
        ({"n_subsets": 1}, "n_subsets must be an integer of at least 2"),
        ({"labels": [0, 1, 1]}, "class 2 has none"),
    ]:
        arguments = {"labels": [0, 1, 2], "n_classes": 2, "methods": ["probit-normal"], "n_subsets": 2} | change
        yield lambda: cx.extrapolation_trials(np.eye(3), **arguments), message
