# ruff: noqa: B023 - each call is made before the loop goes on
from dataclasses import replace

import numpy as np

import classex as cx
from classex.curves import accuracy_surface
from classex.distributions import PolynomialBasis
from classex.methods.sources import RiskExtrapolator
from classex.ranks import in_clusters, in_units
from tests.refusals.worlds import ranked, scored

SCORES = np.array([[2.0, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]])

DISTANCE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))


SQUARE = np.random.default_rng(0).normal(size=(8, 8)) + np.eye(8)


def refused_accuracy():
    for arguments, message in [
        ({"n_classes": 8}, r"n_classes must hold whole numbers of at least 1 and at most 7, not 8"),
        ({"n_classes": [2, 0]}, r"at least 1 and at most 7, not 0"),
        ({"n_classes": 2.5}, r"not 2.5"),
        ({"top": 0}, r"top must be an integer of at least 1, not 0"),
    ]:
        yield lambda: cx.accuracy_curve(ranked(7), **arguments), message


def refused_average():
    scores, labels = scored()[0], np.arange(16) // 3
    yield (
        lambda: cx.extrapolate(scores, labels, n_classes=20, average="points", target="fresh"),
        "target must be 'average' with average='points', not 'fresh'",
    )
    yield lambda: cx.accuracy_curve(ranked(), average="micro"), "average must be one of"


def refused_clusters():
    labels, cluster = np.arange(520), np.arange(520) % 30
    ranks = cx.correct_ranks(np.eye(520), labels, clusters=cluster)
    plain = cx.correct_ranks(np.eye(520), labels)
    yield lambda: in_clusters(plain, cluster), "clusters must be given to correct_ranks: these ranks do not keep"
    yield lambda: cx.accuracy_curve(ranks, 2, clusters=cluster), "clusters must be given to correct_ranks"
    (scores, labels), ranks, cluster = scored(12), ranked(12), np.repeat(range(4), 3)
    yield lambda: cx.accuracy_curve(ranks, clusters=[0, 1, 2]), r"clusters must have shape \(12,\), one entry per"
    yield lambda: cx.extrapolate(scores[:6], labels[:6], n_classes=20, clusters=cluster), "classes with test points"
    yield lambda: cx.extrapolate(ranks, n_classes=20, method="regression", clusters=cluster), r"resampling needs at"
    yield (
        lambda: cx.extrapolate(cx.Extrapolator().fit_ranks(ranks), n_classes=20, clusters=cluster),
        "clusters, units and weights must be None with a fitted estimator",
        TypeError,
    )
    yield (
        lambda: cx.information.compare_implied_information(ranks, in_clusters(ranks, cluster)),
        "first and second must have the same clusters, or none",
    )
    yield lambda: replace(ranks, clusters=cluster), "distractors must have the clusters as groups"


def refused_examples():
    for arguments, message in [
        (([[1.0, np.nan]], [0], [0, 1]), "similarities"),
        (([[1.0, 2.0]], [0], [0, 0]), "at least 2 classes"),
        (([[1.0, 2.0]], [0], [0, 1, 2]), "each of the 2 columns"),
        (([[1.0, 2.0]], [5], [0, 1]), "but .*5.* is none"),
        (([[1.0, 2.0]], [0, 1], [0, 1]), "each of the 1 rows"),
        (([[1.0, 2.0]], [0], [0, 1], 3), "n_classes"),
        (([[1.0, 2.0]], [0], [0, 1], 2, 2), "n_examples must hold whole numbers of at least 1 and at most 1"),
    ]:
        yield lambda: accuracy_surface(*arguments), message


def refused_exchangeability():
    scores, labels = scored(9, 1)
    for change, error, message in [
        ({"groups": [0, 1]}, ValueError, r"groups must have shape \(9,\), one entry per class, but has \(2,\)"),
        ({"n_classes": 5}, ValueError, "n_classes must be at most the size of the largest group, 4, not 5"),
        ({"n_classes": 1}, ValueError, "n_classes must be an integer of at least 2"),
        ({"n_permutations": 0}, ValueError, "n_permutations must be an integer of at least 1"),
        ({"labels": [0] * 9}, ValueError, "labels must give every class at least one test point"),
        ({"scores": [[np.nan, 1.0]]}, ValueError, "scores must be finite"),
    ]:
        good = {"scores": scores, "labels": labels, "groups": list("babacacab"), "n_classes": 2, "n_permutations": 9}
        yield lambda: cx.curves.exchangeability_test(**good | change), message, error


def refused_intervals():
    yield lambda: cx.accuracy_curve(ranked(), standard_errors=False).interval(), "has no standard errors: make it with"


def refused_metrics():
    for metric, error, message in [
        ("ndgc", ValueError, "metric must be one of accuracy, mrr"),
        ("recall", ValueError, "metric must be one of"),
        ("ndcg@0", ValueError, "m a number of at least 1"),
        ("top-", ValueError, "not 'top-'"),
        (3, TypeError, "or a function of the rank, not 3"),
        (lambda r: np.where(r == 3, np.nan, 1.0), ValueError, "metric must be finite .* not for rank 3"),
    ]:
        yield lambda: cx.accuracy_curve(ranked(), metric=metric), message, error
    yield lambda: cx.accuracy_curve(ranked(), metric="mrr", top=2), "top must be 1 with metric='mrr'"


def refused_risk():
    for change, message in [
        ({"cost": DISTANCE[:3]}, r"cost must have shape \(4, 4\), but has \(3, 4\)"),
        ({"cost": -DISTANCE}, "cost must not be negative, but cost"),
        ({"priors": [1, 2, 3]}, "priors must be 4 numbers greater than 0"),
        ({"n_classes": [1]}, "n_classes must hold whole numbers of at least 2 and at most 4, not 1"),
        ({"n_classes": [5]}, "at most 4, not 5"),
    ]:
        given = {"scores": SCORES, "labels": [0, 1, 2, 3], "cost": DISTANCE} | change
        yield lambda: cx.risk_curve(**given), message
    yield (
        lambda: RiskExtrapolator(basis="polynomial").fit(SCORES, [0, 1, 2, 3], DISTANCE),
        "basis must be a Basis",
        TypeError,
    )
    yield lambda: RiskExtrapolator().fit(SCORES, [0, 1, 2, 3], DISTANCE), "basis must have at most 3 functions"
    est = RiskExtrapolator(basis=PolynomialBasis(2))
    yield lambda: est.predict(5), "not fitted"
    est.fit(SCORES, [0, 1, 2, 3], DISTANCE)
    yield lambda: est.standard_error(5), "a standard error needs a basis of at most 2 functions"
    yield lambda: est.predict_interval(5, confidence_level=2), "confidence_level must be"


def refused_units():
    (scores, labels), subject = scored(20, 3), np.tile(range(3), 20)
    ranks, weights = cx.correct_ranks(scores, labels), [1] * 20
    usual = "units must have their default values with weights"
    yield from (
        (lambda: cx.accuracy_curve(ranks, units=[0] * 60), "units must name at least 2 units"),
        (lambda: cx.accuracy_curve(ranks, units=[0, 1]), r"units must have shape \(60,\), one entry per test point"),
        (lambda: in_units(in_units(ranks, labels), labels), "have units already"),
        (lambda: cx.accuracy_curve(scores, labels=labels, weights=weights, units=labels), usual),
        (lambda: cx.extrapolate(scores, labels, n_classes=9, weights=weights, units=labels), usual),
        (lambda: cx.information.compare_implied_information(ranks, in_units(ranks, labels)), "same point_units"),
        (lambda: replace(ranks, point_units=[0, 1]), "point_units must have shape"),
    )
    yield (
        lambda: cx.extrapolate(scores, labels, n_classes=50, groups=[0, 1] * 10, units=subject),
        "units and weights must be None with groups",
        TypeError,
    )
    fitted = cx.Extrapolator().fit(scores, labels, units=subject)
    yield lambda: cx.extrapolate(fitted, n_classes=50, units=subject), "units and weights must be None with", TypeError


def refused_weighted():
    for change, message in [
        ({"weights": [1, 1, 1, 1, 1, 1, 1, np.inf]}, "are infinite: .* groups= and growth="),
        ({"weights": [1, 1, 1, 1, 1, 1, 1, 100]}, "leave 5 effective classes, but leave 1: .* groups= and growth="),
        ({"weights": [1, 1]}, "weights must have shape"),
        ({"weights": -np.ones(8)}, "weights must not be negative"),
        ({"average": "points"}, "must have their default values with weights"),
    ]:
        given = {"labels": range(8), "weights": np.ones(8)} | change
        yield lambda: cx.accuracy_curve(SQUARE, **given), message
        yield lambda: cx.extrapolate(SQUARE, n_classes=50, **given), message
    given, ranks = {"labels": range(8), "weights": np.ones(8)}, cx.ranks_from_wins([2, 3, 1, 3], 4)
    yield lambda: cx.accuracy_curve(SQUARE, 9, **given), "at most 8"
    for change, message in (
        ({"method": "probit-normal"}, "default values with weights"),
        ({"target": "fresh"}, "'average' after fit_curve or with weights"),
    ):
        yield lambda: cx.extrapolate(SQUARE, n_classes=50, **given, **change), message
    yield lambda: cx.accuracy_curve(ranks, labels=range(4)), "labels must be None without weights", TypeError
    yield (
        lambda: cx.extrapolate(SQUARE, n_classes=50, groups=np.arange(8) % 2, **given),
        "clusters, units and weights must be None with groups",
        TypeError,
    )
    yield lambda: cx.accuracy_curve(ranks, labels=range(4), weights=np.ones(4)), "weights need scores", TypeError
    yield lambda: cx.extrapolate(ranks, n_classes=50, weights=np.ones(4)), "weights need scores", TypeError
    yield (
        lambda: cx.extrapolate(cx.Extrapolator().fit_ranks(ranks), n_classes=50, weights=np.ones(4)),
        "clusters, units and weights must be None with a fitted estimator",
        TypeError,
    )
