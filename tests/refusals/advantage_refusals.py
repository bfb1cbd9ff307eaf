# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

from classex.advantage import (
    advantage_of_accuracy,
    best_rejection,
    confusion_measures,
    guaranteed_bounds,
    marginal_risk,
    prediction_advantage,
    prediction_advantage_interval,
    related_measures,
    selective_curve,
)


def refused_bias():
    yield lambda: marginal_risk([0, 1], correction="bootstrap"), "correction must be one of 'none', 'first_order'"
    yield lambda: marginal_risk([0, 1], correction="first_order"), "at least three rows of y_true, not 2"


def refused_intervals():
    for options, message in [
        ({"method": "exact"}, "method must be one of 'delta', 'bootstrap', not 'exact'"),
        ({"confidence_level": 1}, "confidence_level must be a number strictly between 0 and 1"),
        ({"n_resamples": 10}, "n_resamples must be an integer of at least 100"),
    ]:
        yield lambda: prediction_advantage_interval([0, 1, 1], [0, 1, 0], **options), message
    yield (
        lambda: prediction_advantage_interval([0, 1, 1], [0, 1, 0], method="bootstrap", rng="seed"),
        "rng must be a seed",
        TypeError,
    )
    yield (
        lambda: prediction_advantage_interval([0, 1], [0, 1], method="bootstrap", n_resamples=100, rng=0),
        r"only \d+ of 100 bootstrap samples had more than one label",
    )


def refused_measure():
    for call, message in [
        (([1, 1], [1, 0]), "the marginal risk is 0"),
        (([2.0, 2.0], [1.0, 0.0], "squared"), "constant target"),
        (([0.1, 0.1, 0.1], [1.0, 0.0, 3.0], "absolute"), "marginal risk is 0"),
        (([1, 1], [[0.5, 0.5], [0.5, 0.5]], "cross_entropy"), "y_pred has 2 columns of probabilities, but there are 1"),
        (([[1.0, 2.0], [3.0, 2.0]], [[1.0, 2.0], [3.0, 2.0]], "squared"), "y_true must have 1 axes"),
        (([0, 1], [0, 1, 1]), r"y_pred must have 2 rows.*\(3,\)"),
        (([0, 1], [[0], [1]]), "y_pred must have at least one row and hold one class label per row"),
        (([0.5, 1.0], [0, 1]), r"row 0 is 0.5; use a loss for numbers"),
        (([0, 1], [0, 1], "hinge"), "loss must be one of 'cross_entropy', 'zero_one'"),
        (([0, 1], [0.2, 1.2], "cross_entropy"), "sum to 1 in each row, but row 1"),
        (([0, 1], [[0.2, 0.7], [0.5, 0.5]], "cross_entropy"), "row 0 sums to 0.9"),
        (([0.0, np.nan], [0, 1], "squared"), "y_true must be finite"),
        (([0.0, 1.0], [0, np.inf], "squared"), "y_pred must be finite"),
        (([0.0, 1.0], [[0, 1], [1, 2]], "squared"), "y_pred must have 1 axes"),
        (([0, 1], [0, 2], [[0, 1], [1, 0]]), r"y_pred must hold labels among .* row 1 is"),
        (([0, 1, 2], [0, 2, 1], [[0, 1], [1, 0]]), r"loss, a cost matrix, has shape \(2, 2\), but there are 3 labels"),
        (([0, 1], [0, 1], [[0, -1], [1, 0]]), "must not be negative"),
        (([0, 1], [0, 1], [[0, 1, 1], [1, 0, 1]]), r"must have shape \(2, 2\)"),
        (([], []), "y_true must have at least one row"),
        (([0, 1], [0, 1], lambda *_: -np.ones(2)), "loss must not be negative, but row 0"),
        (([0, 1], [0, 1], lambda *_: np.ones(3)), r"loss must return one number per row, shape \(2,\)"),
        (([0, 1], [0, 1], lambda *_: 1.0), "the value of loss must have 1 axes"),
        (([0, 1], [0, 1], lambda y, f: np.ones(2) if y == f else y), "loss failed: The truth value"),
        (([[0, 1], [1, 2]], [[0, 1], [1, 2]], lambda *_: np.ones(2)), "marginal_prediction must be given"),
    ]:
        y, f, *rest = call
        yield lambda: prediction_advantage(y, f, **({"loss": rest[0]} if rest else {})), message
    yield lambda: prediction_advantage([0.0, 1.0], [0.0, 1.0], loss=len), r"loss failed: len\(\) takes", TypeError
    for options, message in [
        ({"quantile": 0.3}, "quantile goes with loss='pinball'"),
        ({"loss": "pinball", "quantile": 1.0}, "quantile must be a number strictly between 0 and 1, not 1.0"),
        ({"loss": "squared", "labels": [0, 1]}, "labels goes with class labels"),
        ({"labels": [0, 2]}, r"y_true must hold labels among .*row 1"),
        ({"labels": [0, 1, 1]}, "labels must differ"),
        ({"sample_weight": [1, 1, 1]}, r"sample_weight must have shape \(2,\)"),
        ({"sample_weight": [1, -1]}, "sample_weight must not be negative, but row 1 is -1.0"),
        ({"sample_weight": [0, 0]}, "positive sum"),
        ({"sample_weight": [0, 1]}, "marginal risk is 0"),
        ({"loss": "squared", "marginal_prediction": np.inf}, "marginal_prediction must be a finite number, not inf"),
    ]:
        yield lambda: prediction_advantage([0, 1], [0, 1], **options), message
    yield (
        lambda: prediction_advantage([0, 1], [0.3, 0.4], loss="cross_entropy", marginal_prediction=[0.5, 0.6]),
        "marginal_prediction must hold 2 probabilities",
    )


def refused_rejection():
    for options, message in [
        ({"probabilities": [[0.5, 0.6]]}, "sum to 1"),
        ({"probabilities": [[1.0]]}, "at least two classes"),
        ({"probabilities": [[1.0, 0.0], [1.0, 0.0]]}, "every row is certain of one class"),
        ({"coverage": 0}, r"coverage must be a number in \(0, 1\]"),
        ({"coverage": 2}, "coverage must be"),
    ]:
        call = {"probabilities": [[0.5, 0.5], [0.2, 0.8]], "coverage": 0.5, **options}
        yield lambda: best_rejection(**call), message


def refused_relatives():
    yield from [
        (lambda: confusion_measures([[1, 2, 3], [1, 2, 3]]), r"confusion must have shape"),
        (lambda: confusion_measures([[1]]), r"K of at least 2"),
        (lambda: confusion_measures([[1, -2], [3, 4]]), "confusion must not be negative, but holds -2.0"),
        (lambda: confusion_measures([[1, 2], [0, 0]]), "at least two true classes"),
        (lambda: confusion_measures([1, 2]), "confusion must have 2 axes"),
        (lambda: related_measures([0, 1], [0, 1, 1]), "y_pred must have 2 rows"),
        (lambda: related_measures([1, 1], [0, 1]), "at least two true classes"),
        (lambda: guaranteed_bounds([0.5, 0.6]), "shares must be at least two positive probabilities"),
        (lambda: advantage_of_accuracy(0.5, 1), "n_classes must hold whole numbers of at least 2, not 1"),
        (lambda: advantage_of_accuracy(1.5, 3), "accuracy must be"),
    ]
    yield lambda: related_measures([0, 1], ["a", "b"]), "y_pred holds values of dtype", TypeError


def refused_selective():
    for options, message in [
        ({"confidence": [1, 2]}, r"confidence must have shape \(3,\)"),
        ({"confidence": [1, np.nan, 2]}, "confidence must be finite"),
        ({"coverage": [0.5, 0.5]}, r"coverage must increase and lie in \(0, 1\]"),
        ({"loss": "squared", "y_true": np.zeros((3, 2)), "y_pred": np.zeros((3, 2))}, "y_true must have 1 axes"),
    ]:
        call = {"y_true": [0, 1, 1], "y_pred": [0, 1, 0], "confidence": [1, 2, 3], **options}
        yield lambda: selective_curve(**call), message
