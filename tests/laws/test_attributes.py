"""Every public function that takes ranks reads each of their attributes that changes weights or independence."""

from __future__ import annotations

import inspect
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

import classex as cx

pytestmark = pytest.mark.filterwarnings("ignore")
K, POINTS = 40, 120
RNG = np.random.default_rng(8)
LABELS = np.sort(np.append(RNG.integers(K, size=POINTS - K), np.arange(K)))  # unequal numbers of points
EFFECT = RNG.normal(size=4)[np.arange(POINTS) % 4]
SCORES = RNG.normal(size=(POINTS, K)) + (2 + EFFECT)[:, None] * np.eye(K)[LABELS] + RNG.normal(size=K // 4).repeat(4)
PLAIN = cx.correct_ranks(SCORES, LABELS)
LEFT_OUT = RNG.random(SCORES.shape) < 0.2
LEFT_OUT[np.arange(POINTS), LABELS] = False
VARIANTS = {
    "point_units": cx.ranks.in_units(PLAIN, np.arange(POINTS) % 4),
    "clusters": cx.ranks.in_clusters(PLAIN, np.arange(K) // 4),
    "class_balanced": replace(PLAIN, class_balanced=False),
    "n_wrong": replace(PLAIN, wins=PLAIN.wins // 3, ties=0 * PLAIN.ties, distractors=None, n_wrong=0 * PLAIN.wins + 13),
    "left_out": cx.correct_ranks(SCORES, LABELS, left_out=LEFT_OUT),
}
#: what the variants are compared with: the same numbers without the attribute
WITHOUT = dict.fromkeys(VARIANTS, PLAIN) | {
    "n_wrong": replace(VARIANTS["n_wrong"], n_wrong=None),
    "left_out": replace(VARIANTS["left_out"], n_wrong=None, left_out=False),
}


def numbers(found):
    """All numbers of a result."""
    if isinstance(found, dict):
        return np.concatenate([numbers(value) for value in found.values()]) if found else np.zeros(0)
    if isinstance(found, list | tuple):
        return np.concatenate([numbers(value) for value in found]) if len(found) else np.zeros(0)
    if hasattr(found, "to_dict"):
        return numbers(found.to_dict())
    if hasattr(found, "__dataclass_fields__"):
        return numbers(vars(found))
    array = np.asarray(found)
    return array.astype(float).ravel() if array.dtype.kind in "biuf" else np.zeros(0)


def worse(ranks):
    """The same points, of which every third loses once more."""
    return replace(ranks, wins=np.maximum(ranks.wins - (np.arange(POINTS) % 3 == 0), 0))


def fitted(method):
    def of(ranks):
        estimator = cx.Extrapolator(method).fit_ranks(ranks)
        return estimator.predict([60]), estimator.predict_interval([60])

    return of


CALLS = {
    "accuracy_curve": lambda ranks: cx.accuracy_curve(ranks, [4, 12]),
    "accuracy_covariance": lambda ranks: cx.curves.accuracy_covariance(ranks, [4, 12]),
    "extrapolate": lambda ranks: cx.extrapolate(ranks, n_classes=60),
    "moment_limits": lambda ranks: cx.forecast.moment_limits(ranks, [60]),
    "implied_information": cx.implied_information,
    "compare_implied_information": lambda ranks: cx.information.compare_implied_information(ranks, worse(ranks)),
    "curve_test": cx.information.curve_test,
    "information_confidence_bound": cx.information_confidence_bound,
    "collapse_wins": cx.distributions.collapse_wins,
} | {f"Extrapolator({name!r})": fitted(name) for name in ("beta-binomial", "probit-normal", "regression")}
#: functions of ranks that estimate nothing: they check, weigh or change them
PLUMBING = {"as_ranks", "default_method", "in_clusters", "in_units", "point_shares", "point_weights", "thin_ranks"}
#: point estimates, which independence does not change
WITHOUT_ERRORS = {("collapse_wins", "point_units"), ("collapse_wins", "clusters")}


def takes_ranks():
    """Names of the public functions that take ranks of the correct label."""
    rooms, found = [cx], set()
    for room in rooms:
        for name in dir(room):
            one = getattr(room, name)
            if isinstance(one, ModuleType) and one.__name__.startswith("classex.") and one not in rooms:
                rooms.append(one)
            elif inspect.isfunction(one) and name == one.__name__ and name in getattr(room, "__all__", ()):
                kinds = [str(each.annotation) for each in inspect.signature(one).parameters.values()]
                given = any("CorrectRanks" in kind for kind in kinds) or "ranks" in inspect.signature(one).parameters
                if given and not one.__module__.startswith("classex.fields"):  # ranks of relevant items
                    found.add(name)
    return found


def test_every_function_of_ranks_is_here():
    assert {name for name in CALLS if "(" not in name} | PLUMBING >= takes_ranks() - {"set_size"}


@pytest.mark.parametrize("attribute", VARIANTS)
@pytest.mark.parametrize("function", CALLS)
def test_each_attribute_changes_the_result_or_is_refused(function, attribute):
    call = CALLS[function]
    try:
        found = numbers(call(VARIANTS[attribute]))
    except (ValueError, TypeError):
        return  # refused
    try:
        before = numbers(call(WITHOUT[attribute]))
    except (ValueError, TypeError):
        return  # without the attribute there is no answer
    same = found.shape == before.shape and np.allclose(found, before, rtol=1e-9, atol=0, equal_nan=True)
    assert same == ((function, attribute) in WITHOUT_ERRORS)
