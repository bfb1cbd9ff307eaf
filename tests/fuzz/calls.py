"""Public functions with arguments that work, and values that mostly do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

import classex as cx
from classex import bayes

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(12, 6))
TIED = RNG.integers(0, 3, (12, 6)).astype(float)
LABELS = np.arange(12) % 6
RANKS = cx.correct_ranks(TIED, LABELS)
GALLERY = cx.correct_ranks(SCORES, LABELS % 5)
SAMPLED = cx.ranks_from_wins([3, 4, 1], 50, ties=[0, 1, 2], n_wrong=[5, 6, 7])
COST = 1.0 - np.eye(6)


@dataclass(frozen=True)
class Call:
    """A function, arguments that work, and the range of the numbers it may return."""

    function: Callable[..., Any]
    good: dict[str, Any]
    low: float = -np.inf
    high: float = np.inf


def _extrapolate(scores: Any, labels: Any, n_classes: Any, top: Any) -> Any:
    return cx.Extrapolator(cx.methods.ProbitNormal()).fit(scores, labels).predict(n_classes, top=top)


def _weighted(scores: Any, labels: Any, n_classes: Any, weights: Any) -> Any:
    return cx.accuracy_curve(scores, n_classes, labels=labels, weights=weights)


def _retrieval(scores: Any, relevance: Any, n_items: Any, metric: Any) -> Any:
    ranks = cx.retrieval.relevant_ranks(scores, relevance, n_items=n_items)
    return cx.retrieval.retrieval_curve(ranks, metric=metric).accuracy


BOUND = {"accuracy": 0.9, "n_classes": 20, "n_repeats": 5, "confidence_level": 0.95, "n_classifiers": 2}
DESIGN = {"width": 0.2, "accuracy": 0.9, "class_cost": 2.0, "confidence_level": 0.9}
PREDICTIONS = {"y_true": [0, 1, 1, 0], "y_pred": [0, 1, 0, 0], "sample_weight": [1.0, 2.0, 1.0, 1.0]}
NUMBERS = {"y_true": [0.0, 1.5, 1.0], "y_pred": [0.1, 1.0, 2.0], "loss": "squared"}

CALLS = {
    "correct_ranks": Call(cx.correct_ranks, {"scores": SCORES, "labels": LABELS, "classes": None}),
    "correct_ranks_from_embeddings": Call(
        cx.correct_ranks_from_embeddings,
        {
            "test": SCORES,
            "references": SCORES[:8],
            "labels": LABELS % 4,
            "reference_labels": np.arange(8) % 4,
            "metric": "cosine",
            "aggregate": "nearest",
        },
    ),
    "ranks_from_neighbours": Call(
        cx.ranks.ranks_from_neighbours,
        {
            "test": SCORES,
            "references": SCORES[:8],
            "labels": LABELS % 4,
            "neighbours": np.argsort(-SCORES @ SCORES[:8].T, axis=1)[:, :3],
            "reference_labels": np.arange(8) % 4,
            "metric": "inner_product",
            "recall": 0.5,
        },
    ),
    "ranks_from_wins": Call(
        cx.ranks_from_wins,
        {"wins": [1, 2, 3], "n_classes": 9, "ties": [0, 1, 0], "labels": [0, 1, 1], "n_wrong": None},
    ),
    "accuracy_curve": Call(
        cx.accuracy_curve, {"ranks": RANKS, "n_classes": [2, 3], "metric": "accuracy", "top": 2}, 0, 1
    ),
    "accuracy_curve of a gallery": Call(
        cx.accuracy_curve, {"ranks": GALLERY, "n_classes": [2, 6], "metric": "ndcg@3", "top": 1}, 0, 1
    ),
    "accuracy_curve of samples": Call(
        cx.accuracy_curve, {"ranks": SAMPLED, "n_classes": None, "metric": "mrr", "top": 1}, 0, 1
    ),
    "accuracy_covariance": Call(cx.curves.accuracy_covariance, {"ranks": RANKS, "n_classes": [2, 3], "top": 1}),
    "risk_curve": Call(
        cx.risk_curve,
        {"scores": SCORES, "labels": LABELS, "cost": COST, "priors": None, "n_classes": 3},
        0,
        np.inf,
    ),
    "exchangeability_test": Call(
        partial(cx.curves.exchangeability_test, n_permutations=9),  # a million of them take their time
        {
            "scores": SCORES,
            "labels": LABELS,
            "groups": [0, 0, 0, 1, 1, 1],
            "n_classes": 2,
            "rng": 0,
        },
    ),
    "extrapolate": Call(_extrapolate, {"scores": TIED, "labels": LABELS, "n_classes": [10, 100], "top": 1}, 0, 1),
    "average_bayes_accuracy_bound": Call(
        cx.average_bayes_accuracy_bound, {**BOUND, "method": "chernoff", "population_size": None}, 0, 1
    ),
    "bayes_accuracy_bound": Call(bayes.bayes_accuracy_bound, {**BOUND, "method": "clopper-pearson"}, 0, 1),
    "bayes_accuracy_variance_bound": Call(
        bayes.bayes_accuracy_variance_bound, {"n_classes": 20, "average_accuracy": 0.9, "one_fewer": None}, 0, 0.25
    ),
    "cheapest_design": Call(bayes.cheapest_design, DESIGN, 0),
    "accuracy_ceiling": Call(cx.accuracy_ceiling, {"information": [1.0, 2.0], "n_classes": 10}, 0, 1),
    "information_bound": Call(cx.information_bound, {"accuracy": [0.5, 0.9], "n_classes": 10}, 0),
    "fano_bound": Call(cx.fano_bound, {"accuracy": [0.5, 0.9], "n_classes": 10}, 0),
    "identification_accuracy": Call(cx.identification_accuracy, {"information": 2.0, "n_classes": 10}, 0, 1),
    "implied_information": Call(
        cx.implied_information, {"ranks": RANKS, "method": "likelihood", "confidence_level": 0.9}, 0
    ),
    "information_confidence_bound": Call(
        cx.information_confidence_bound,
        {"ranks": RANKS, "n_classes": [2, 6], "confidence_level": 0.9, "n_classifiers": 3, "method": "joint"},
        0,
    ),
    "accuracy_curve with weights": Call(
        _weighted,
        {"scores": SCORES, "labels": LABELS % 6, "n_classes": [2, 3], "weights": np.arange(1.0, 1 + SCORES.shape[1])},
        0,
        1,
    ),
    "restated_limits": Call(
        cx.distributions.restated_limits,
        {"accuracy": 0.6, "n_observed": 20, "n_classes": [2, 100], "top_observed": 1, "top": 1},
        0,
        1,
    ),
    "retrieval_curve": Call(
        _retrieval, {"scores": SCORES, "relevance": np.abs(SCORES) > 1, "n_items": None, "metric": "ndcg@3"}, 0
    ),
    "pass_hat_k": Call(
        cx.attempts.pass_hat_k, {"successes": [3, 0, 5], "trials": [5, 6, 5], "k": [1, 2], "groups": None}
    ),
    "prediction_advantage": Call(cx.prediction_advantage, PREDICTIONS, -np.inf, 1),
    "prediction_advantage of numbers": Call(cx.prediction_advantage, NUMBERS, -np.inf, 1),
    "prediction_advantage_interval": Call(
        cx.prediction_advantage_interval, {**NUMBERS, "confidence_level": 0.9}, -np.inf, 1
    ),
}

ODD_NUMBERS = st.sampled_from(
    [
        *(0, 1, -1, 2, 3, 6, 7, 10**6, 10**15, 2**63, 10**30, 10**400, 0.5, -0.5, 1.5, 1e-300, 5e-324, 1e300, 1e308),
        *(np.nan, np.inf, -np.inf, 1 - 1e-16, True, np.bool_(False), 1j, None, "", "accuracy", "é", b"x"),
        *(Fraction(1, 2), np.float32(2), np.int8(3), np.uint64(2**63), np.timedelta64(3, "s"), np.array(2)),
        *(np.datetime64("2020-01-01"), object(), len, {}, {1: 2}, set(), range(3), slice(1)),
    ]
)
ENTRIES = st.one_of(
    st.integers(-3, 9),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 5e-324, 1e-300, 1e140, 1e300, -1e308, np.nan, np.inf, None, "a", 1j, 10**30]),
)
SHAPES = st.lists(st.integers(0, 13), min_size=0, max_size=3).map(tuple)
DTYPES = st.sampled_from(
    ["f8", "f4", "f2", "g", "i1", "i8", "u1", "u8", "?", "c16", "m8[s]", "M8[s]", "O", "U3", "S2", ">f8", "V3"]
)


@st.composite
def odd_arrays(draw: Any) -> Any:
    """Draw an array of any shape and type, perhaps masked, sparse, read-only or a view."""
    shape, dtype = draw(SHAPES), draw(DTYPES)
    size = int(np.prod(shape))
    values = draw(st.lists(st.integers(-2, 12), min_size=min(size, 30), max_size=min(size, 30)))
    with np.errstate(all="ignore"):
        array = np.resize(np.array(values or [0]), shape).astype("U2" if dtype in ("S2", "V3") else dtype).astype(dtype)
    if array.dtype.kind == "f" and array.size and draw(st.booleans()):
        array.flat[draw(st.integers(0, array.size - 1))] = draw(st.sampled_from([np.nan, np.inf, 1e4, -0.0]))
    form = draw(
        st.sampled_from(["plain", "plain", "plain", "masked", "sparse", "frozen", "fortran", "strided", "list"])
    )
    if form == "masked":
        return np.ma.masked_array(array, mask=np.resize([True, False], shape))
    if form == "sparse" and array.ndim == 2 and array.dtype.kind in "fiu" and array.dtype.itemsize > 2:
        return sparse.csr_array(array.astype(np.float64))
    if form == "frozen":
        array.flags.writeable = False
    if form == "strided" and array.ndim:
        return np.repeat(array, 2, axis=0)[::2]
    if form == "list":
        return array.tolist()
    return np.asfortranarray(array) if form == "fortran" else array


ODD_LISTS = st.lists(ENTRIES, max_size=13)
ODD_ROWS = st.lists(st.lists(ENTRIES, max_size=7), max_size=13)
ODD = st.one_of(ODD_NUMBERS, odd_arrays(), ODD_LISTS, ODD_ROWS)


@st.composite
def near(draw: Any, good: Any) -> Any:
    """Draw a value close to one that works: an array with a few entries changed, a number moved."""
    if isinstance(good, np.ndarray) or (isinstance(good, list) and good):
        array = np.array(good)
        for _ in range(draw(st.integers(1, 3))):
            array.flat[draw(st.integers(0, array.size - 1))] = draw(
                st.integers(-2, 20) if array.dtype.kind in "iu" else st.floats(-1e308, 1e308)
            )
        return array
    if isinstance(good, int):
        return good + draw(st.integers(-30, 10**6))
    return good * draw(st.floats(-3, 1e300)) if isinstance(good, float) else draw(ODD)
