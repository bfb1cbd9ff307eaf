# ruff: noqa: B023 - each call is made before the loop goes on
import re

import numpy as np

from classex.fields.open_set import (
    extrapolate_open_set,
    extrapolate_published_rates,
    open_set_curve,
    verification_curve,
)


def refused_curve():
    for change, message in [
        ({"nonmated_scores": [[1.0, 2.0]]}, "nonmated_scores must have shape"),
        ({"n_enrolled": 4}, "n_enrolled must be an integer"),
        ({"thresholds": [np.nan]}, "thresholds must be finite"),
        ({"thresholds": []}, "thresholds must hold at least one number"),
        ({"nonmated_labels": [1, 2]}, "nonmated_labels must have shape"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"top": 0}, "top must be an integer"),
    ]:
        good = {"scores": np.eye(3), "labels": [0, 1, 2], "nonmated_scores": np.zeros((1, 3)), "thresholds": 0.5}
        yield lambda: open_set_curve(**(good | change)), message


def refused_exclusions():
    for bad in (np.nan, np.inf):
        scores = np.eye(3)
        scores[0, 1] = bad
        yield lambda: open_set_curve(scores, range(3), np.zeros((2, 3)), 0.5), "scores must be finite"
        yield lambda: open_set_curve(np.eye(3), range(3), scores, 0.5), "nonmated_scores must be finite"


def refused_larger():
    yield (
        lambda: extrapolate_open_set(np.eye(5), range(5), np.zeros((5, 5)), 0.0, n_enrolled=100),
        "must hold 8 people or more",
    )
    rng = np.random.default_rng(0)
    strangers = rng.normal(size=(20, 20))
    for labels in ([3] * 5, [0, 1, 2, 3, 4, 5, 6] * 3):
        yield (
            lambda: extrapolate_open_set(
                rng.normal(size=(len(labels), 20)), labels, strangers, 2.0, n_enrolled=[1, 20, 40]
            ),
            f"not {len(set(labels))} people searched for among 20, and 20",
        )


def refused_published():
    for rates, options, message in [
        ([0.02, 0.03], {"rate": "tar"}, "rate must be"),
        ([0.02, 0.03], {"rate": "fpir", "fpir": 0.1}, "does not go with rate='fpir'"),
        ([0.02, 0.03], {"fpir": 1.0}, "fpir must"),
        ([2.0, 3.2], {}, "rates must lie between 0 and 1, not 2: these look like percentages, to be divided by 100"),
        ([0.04, 0.03], {}, "the accuracy rises"),
        ([[0.02, np.nan]], {"algorithms": ["nec"]}, "two or more for each algorithm, but 'nec' has 1"),
        ([0.02, 0.03, 0.04], {}, "a column for each of the 2 n_published, not the shape (1, 3)"),
        ([0.02, 0.03], {"n_searches": 0}, "n_searches must"),
        ([0.02, 0.03], {"n_published": [1, 2]}, "n_published must"),
    ]:
        given = {"n_published": [10**6, 10**7], "n_enrolled": 10**8, "n_searches": 100_000} | options
        yield lambda: extrapolate_published_rates(given.pop("n_published"), rates, **given), re.escape(message)


def refused_verification():
    for genuine, impostor, message in [
        ([], [1.0], "genuine must hold at least one number, but is empty"),
        ([1.0], [np.nan], "impostor must be finite"),
        ([[1.0]], [1.0], "genuine must have 1 axes"),
    ]:
        yield lambda: verification_curve(genuine, impostor), message
    for units, message in [
        ([0, 1, 2], "units must be a pair"),
        (([0, 1], [0, 1, 2]), r"units must have the shape \(2,\) or \(2, 2\) for the impostor pairs, not \(3,\)"),
        (([[0, 1], [0, 0]], [0, 1]), "units must name one person in genuine pairs"),
        (([0, 1], [[0, 1], [1, 1]]), "units must name two people in impostor pairs"),
        (([0.5, 1], [0, 1]), "units must hold whole numbers or names"),
    ]:
        yield lambda: verification_curve([2.0, 3.0], [0.0, 1.0], units), message
    curve = verification_curve([2.0, 3.0], [0.0, 1.0])
    yield lambda: curve.fnmr_at_fmr(0.3), "fmr must be at least 0.5, one of the 2 impostor pairs, but is 0.3"
    yield lambda: curve.detection_cost(1.0), "prior must"
    yield lambda: curve.detection_cost(0.1, miss=0), "miss must"
