# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

import classex as cx


def refused_growth():
    for change, message in [
        ({"groups": [0, 1]}, "groups must have shape"),
        ({"groups": range(6)}, "none holds two"),
        ({"growth": "fast"}, "growth must be"),
        ({"growth": {0: 0.5}}, "growth must give shares"),
        ({"growth": [[3, 3]]}, "growth must have a row"),
        ({"metric": "mrr"}, "must have their default values with groups"),
    ]:
        scores = np.random.default_rng(0).normal(size=(6, 6)) + 2 * np.eye(6)
        arguments = {"n_classes": 50, "groups": [0, 0, 0, 1, 1, 1]} | change
        yield lambda: cx.extrapolate(scores, range(6), **arguments), message
    yield (
        lambda: cx.extrapolate(cx.ranks_from_wins([2, 3, 1, 3], 4), n_classes=50, groups=[0, 0, 1, 1]),
        "groups need scores",
        TypeError,
    )
