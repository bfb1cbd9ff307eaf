# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

import classex as cx
from classex.distributions import FunctionBasis, LinearSplineBasis, PolynomialBasis, ProbitBasis, restated_limits


def refused_bases():
    yield from [
        (lambda: ProbitBasis([], 0.5), "knots must hold at least one"),
        (lambda: ProbitBasis([0.0], 0), "bandwidth must be a finite number greater than 0"),
        (lambda: ProbitBasis.for_data(1, 1, 0.5), "n_classes must be an integer of at least 2"),
        (lambda: LinearSplineBasis(0), "n_hinges must be an integer of at least 1"),
        (lambda: PolynomialBasis(-1), "degree must be an integer of at least 0"),
        (lambda: FunctionBasis(lambda u: u), "must have 2 axes"),
        (lambda: FunctionBasis(lambda _: np.ones((2, 2))), "functions must return shape"),
        (lambda: PolynomialBasis(2).evaluate(1.5), r"u must be in \[0, 1\]"),
        (lambda: PolynomialBasis(2).moments(2.5), "n_classes must hold whole numbers"),
        (lambda: PolynomialBasis(2).moments(2, top=0), "top must be an integer of at least 1"),
        (lambda: cx.distributions.average_accuracy(lambda u: u / 0.0, 2), "value of discriminability must be finite"),
    ]
    yield lambda: FunctionBasis(3), "functions must be callable, not int", TypeError


def refused_limits():
    for options, message in [
        ({"accuracy": 1.2}, r"accuracy must be in \[0, 1\], not 1.2"),
        ({"top": 10}, "top must be below the number of classes, not 10 with 10 classes"),
        ({"n_classes": [2, 3], "top_observed": [1, 1, 1]}, "shapes must broadcast against each other"),
        ({"n_observed": 2.5}, "n_observed must hold whole numbers"),
    ]:
        yield lambda: restated_limits(**{"accuracy": 0.5, "n_observed": 5, "n_classes": 10} | options), message
