# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

import classex as cx
from classex import _checks as v
from classex import bayes
from classex_book.encoding import IdentificationModel
from tests.refusals.worlds import ranked, scored

RNG = np.random.default_rng(0)

PLAIN = RNG.normal(size=(60, 20))

LABELS = np.arange(60) % 20


RANKS = cx.correct_ranks(np.random.default_rng(0).integers(0, 3, (12, 6)), np.arange(12) % 6)

LEVEL = 1 - 1e-16


def model():
    rng = np.random.default_rng(1)
    return IdentificationModel().fit(rng.normal(size=(50, 3)), rng.normal(size=(50, 4)))


def refused_extrapolate_examples():
    data = scored(5)[0].T, np.arange(5), scored(5)[1]
    for options, message in [
        ({"n_classes": 1, "n_examples": 2}, "n_classes"),
        ({"n_classes": 9, "n_examples": 0}, "n_examples"),
        ({"n_classes": 9, "n_examples": 2, "confidence_level": 1.0}, "confidence_level"),
    ]:
        yield lambda: cx.extrapolate_examples(*data, **options), message
    yield (
        lambda: cx.extrapolate_examples(data[0][:, ::2], data[1], data[2][::2], n_classes=9, n_examples=2),
        "example_labels must give every class at least two examples",
    )


def refused_first_hours():
    for call, message in [
        (lambda: cx.ranks_from_wins([11], 10), r"wins must be in 0\.\.9, but position 0 is 11"),
        (lambda: cx.ranks_from_wins([1], 10, ties=[-1]), r"ties must be in 0\.\.8, but position 0 is -1"),
        (lambda: cx.accuracy_curve(PLAIN, LABELS), r"call correct_ranks\(scores, labels\) first"),
        (lambda: cx.Extrapolator(cx.methods.ProbitNormal(nu=1e9)).fit(PLAIN, LABELS), "nu must be at most 100"),
    ]:
        yield call, message, (ValueError, TypeError)


def refused_like():
    flat = ranked(20)
    for like, error, message in [
        ("brains", ValueError, "like must be"),
        (3.5, TypeError, r"like must be a curve, a pair \(n_classes, accuracy\) or a name, not 3.5"),
        (([2], [0.9]), ValueError, "for each of two or more numbers of classes"),
        (([2, 5], [90.0, 80.0]), ValueError, r"like must be in \[0, 1\], not 90.0"),
        (([0, 5], [0.9, 0.8]), ValueError, "like must"),
    ]:
        yield lambda: cx.extrapolate(flat, n_classes=100, like=like), message, error
    flat = ranked(20)
    yield (
        lambda: cx.extrapolate(flat, n_classes=100, like="icons", method="probit-normal"),
        "like goes with the default method, not with 'probit-normal'",
        TypeError,
    )
    flat = ranked(20)
    yield (
        lambda: cx.extrapolate(cx.Extrapolator().fit_ranks(flat), n_classes=100, like="icons"),
        "like must be None with a fitted estimator",
        TypeError,
    )


def refused_odd_input():
    for call, error, message in [
        (lambda: cx.accuracy_curve(RANKS, []), ValueError, "n_classes must hold at least one number"),
        (lambda: cx.accuracy_curve(RANKS, top=np.timedelta64(2, "s")), TypeError, "top must be an integer"),
        (lambda: cx.accuracy_curve(RANKS, 10**400), TypeError, "n_classes must hold whole numbers"),
        (lambda: cx.information_confidence_bound(RANKS, confidence_level=LEVEL), ValueError, "confidence_level must"),
        (
            lambda: bayes.bayes_accuracy_bound(0.9, n_classes=10, n_repeats=2, confidence_level=LEVEL),
            ValueError,
            "confidence_level must be",
        ),
        (
            lambda: cx.prediction_advantage([0.0, 1e300], [0, -1e300], loss="squared"),
            ValueError,
            r"y_true must hold numbers of size at most 1e\+140, not 1e\+300",
        ),
        (lambda: cx.risk_curve(np.eye(3), range(3), np.full((3, 3), 1e300)), ValueError, r"cost must hold costs of"),
        (lambda: model().identify(np.empty((0, 3)), np.empty((0, 4))), ValueError, "stimuli and responses must have"),
        (lambda: model().identify(np.ones((2, 3)), np.empty((0, 4))), ValueError, "responses must have at least one"),
        (lambda: bayes.bayes_accuracy_bound(10**400, n_classes=2, n_repeats=1), ValueError, "beyond 1e308"),
        (
            lambda: bayes.bayes_accuracy_variance_bound(10**400, average_accuracy=0.5, one_fewer=0),
            ValueError,
            "n_classes must be an integer of at least 2 and at most 1000000000000000",
        ),
    ]:
        yield call, message, error


def refused_restate():
    for reports, options, message in [
        ([(2, 1, 0.8), (3, 1, 0.6)], {}, r"every distribution misses them by 0\.0\d+ or more"),
        ([(50, 1)], {}, r"a report must be \(n_classes, top, accuracy, standard_error\), not \(50, 1\)"),
        ([(50, 50, 0.5)], {}, "top of a report must be an integer of at least 1 and at most 49, not 50"),
        ([(1, 1, 0.5)], {}, "n_classes of a report must be an integer of at least 2, not 1"),
        ([(50, 1, 62)], {}, r"accuracy of a report must be a number in \[0, 1\], not 62"),
        ([(50, 1, 0.6, -0.1)], {}, "standard_error of a report must be a finite number of at least 0"),
        ([(50, 1, 0.6), (50, 1, 0.61)], {}, "each of another accuracy"),
        ([], {}, "reports must be at least one"),
        ([(50, 1, 0.6)], {"shape": "flat"}, "shape must be one of 'any', 'increasing', not 'flat'"),
        ([(50, 1, 0.6)], {"top": 5, "n_classes": 5}, "n_classes must hold whole numbers of at least 6, not 5"),
        ([(50, 1, 0.6)], {"confidence_level": 1}, "confidence_level must be a number strictly between 0 and 1"),
    ]:
        yield lambda: cx.restate(reports, **{"n_classes": 10} | options), message
    yield lambda: cx.set_size(cx.ranks_from_wins([3, 2, 3], 4), 10, coverage=1), "coverage must be a number strictly"
    yield lambda: cx.set_size(cx.Extrapolator(), 10), "not fitted"


def refused_validation():
    for scores, error, message in [
        ([[1.0, np.nan]], ValueError, r"scores must be finite, but holds nan at row 0, column 1"),
        ([1.0, 2.0], ValueError, r"scores must have 2 axes, but its shape is \(2,\)"),
        ([[1.0], [2.0]], ValueError, r"at least two columns \(classes\), but its shape is \(2, 1\)"),
        (np.empty((0, 3)), ValueError, r"at least one row, but its shape is \(0, 3\)"),
        ([["a", "b"]], TypeError, r"scores must hold numbers, not values of dtype"),
        ([[1j, 2.0]], TypeError, r"scores must hold real numbers"),
        ([[1.0, 2.0], [3.0]], ValueError, r"scores must be a rectangular array of numbers"),
    ]:
        yield lambda: v.as_scores(scores), message, error
    for labels, error, message in [
        ([0, 1], ValueError, r"labels must have shape \(3,\), one entry per row, but has \(2,\)"),
        ([0, 1, 2], ValueError, r"labels must lie in 0..1, but row 2 is 2"),
        ([0, 0.5, 1], ValueError, r"labels must hold integers, but row 1 is 0.5"),
        ([0, 0, 0], ValueError, r"class 1 has none \(1 of 2 classes are empty\)"),
        (["a", "b", "a"], TypeError, r"labels must hold integers, not values of dtype"),
    ]:
        yield lambda: v.as_labels(labels, 3, 2), message, error
    for value, error in [(0, ValueError), (1.5, ValueError), (np.nan, ValueError)]:
        yield lambda: v.as_positive_int(value, "top"), r"top must be an integer of at least 1, not", error
    for value in [True, "3", None, [1], b"1"]:
        yield lambda: v.as_positive_int(value, "top"), r"top must be an integer of at least 1", TypeError
    for value, error, message in [
        ([2, 0], ValueError, r"whole numbers of at least 1, not 0"),
        (np.inf, ValueError, r"whole numbers of at least 1, not inf"),
        ([[2]], ValueError, r"a number or a one-dimensional array, but its shape is \(1, 1\)"),
        ("ten", TypeError, r"n_classes must hold whole numbers"),
    ]:
        yield lambda: v.as_class_counts(value), message, error
    yield lambda: v.as_cost(np.zeros((2, 3)), 2), r"cost must have shape \(2, 2\), but has \(2, 3\)"
    yield lambda: v.as_cost([[0, -1], [1, 0]], 2), r"cost\[0, 1\] is -1.0"
    yield (
        lambda: cx.curves.exchangeability_test(np.eye(4), range(4), [0, 0, None, 1], 2),
        "groups must be all numbers or all strings",
        TypeError,
    )
    yield lambda: v.distinct(np.array(["a", 1, None], dtype=object), "runs"), "runs must be all numbers or", TypeError
