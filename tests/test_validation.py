"""The front door: each kind of bad input has one clear message."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

import classex as cx
from classex import _checks as v


def test_scores_pass_through_in_their_precision():
    single = np.ones((3, 2), dtype=np.float32)
    assert v.as_scores(single) is single
    assert v.as_scores([[1, 2]]).dtype == np.float64
    assert v.as_scores([[True, False]]).dtype == np.float64


def test_other_arrays_name_the_position():
    with pytest.raises(ValueError, match=r"x must be finite, but holds nan at position \(1,\)"):
        v.as_finite_array([0.0, np.nan], "x", ndim=1)
    assert v.as_finite_array([1, 2], "x", ndim=1, dtype=np.float32).dtype == np.float32


def test_positive_int_bounds():
    assert v.as_positive_int(np.float64(7), "top") == 7
    with pytest.raises(ValueError, match=r"at least 2 and at most 5, not 6"):
        v.as_positive_int(6, "top", minimum=2, maximum=5)


def test_class_counts_reach_a_trillion():
    assert v.as_class_counts(10**12).tolist() == [1e12]
    with pytest.raises(ValueError, match=r"at least 2 and at most 4, not 5"):
        v.as_class_counts([3, 5], minimum=2, maximum=4)


def test_positive_float():
    assert v.as_positive_float(0, "h", allow_zero=True) == 0
    for value in (0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match=r"h must be a finite number greater than 0"):
            v.as_positive_float(value, "h")
    with pytest.raises(TypeError, match=r"h must be a finite number of at least 0, not '1'"):
        v.as_positive_float("1", "h", allow_zero=True)


def test_probability():
    assert v.as_probability(1, "accuracy") == 1
    assert v.as_probability(0.95, "confidence_level", open_ends=True) == 0.95
    for value in (1.1, -0.1, np.nan):
        with pytest.raises(ValueError, match=r"accuracy must be a number in \[0, 1\], not"):
            v.as_probability(value, "accuracy")
    with pytest.raises(ValueError, match=r"confidence_level must be a number strictly between 0 and 1, not 1.0"):
        v.as_probability(1.0, "confidence_level", open_ends=True)
    with pytest.raises(TypeError, match=r"accuracy must be a number in \[0, 1\], not True"):
        v.as_probability(True, "accuracy")


def test_probabilities_and_information():
    assert v.as_probabilities([[0, 1]], "accuracy").shape == (1, 2)
    assert v.as_information(np.inf) == np.inf
    with pytest.raises(ValueError, match=r"accuracy must be in \[0, 1\], not 1.5"):
        v.as_probabilities([0.2, 1.5], "accuracy")
    with pytest.raises(ValueError, match=r"information must be at least 0 \(nats\), not nan"):
        v.as_information(np.nan)
    with pytest.raises(TypeError, match=r"information must hold numbers"):
        v.as_information("much")


def test_generator():
    generator = np.random.default_rng(3)
    assert v.as_generator(generator) is generator
    assert v.as_generator(3).integers(1000) == np.random.default_rng(3).integers(1000)
    with pytest.raises(TypeError, match="rng must be a seed") as caught:
        v.as_generator(csr_array(np.arange(400.0).reshape(20, 20)))
    assert len(str(caught.value)) < 1000
    with pytest.raises(TypeError, match=r"rng must be a seed or a numpy.random.Generator, not 'x'"):
        v.as_generator("x")


def test_one_of():
    assert v.one_of("a", "method", ("a", "b")) == "a"
    with pytest.raises(ValueError, match=r"method must be one of 'a', 'b', not 'c'"):
        v.one_of("c", "method", ("a", "b"))


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (lambda: cx.correct_ranks_from_embeddings([[0.0], [1.0]], [[0.0], [1.0]], [0, 1], metric=len), "metric"),
        (lambda: cx.accuracy_curve(cx.ranks_from_wins([1, 0], 3), 2, metric=np.arctan2), "metric"),
        (lambda: cx.distributions.FunctionBasis(np.arctan2), "functions"),
        (lambda: cx.prediction_advantage([0.0, 1.0], [0.0, 1.0], loss=len), "loss"),
    ],
)
def test_a_function_of_the_caller_that_fails_is_named(ask, name):
    with pytest.raises(TypeError, match=rf"{name} failed: .*argument") as failure:
        ask()
    assert isinstance(failure.value.__cause__, TypeError)


@pytest.mark.parametrize("metric", [len, np.sum], ids=["len", "sum"])
def test_a_metric_that_lumps_the_ranks_together_is_not_taken_for_a_constant(metric):
    ranks = cx.ranks_from_wins([1, 0], 3)
    if metric is len:
        with pytest.raises(TypeError, match="metric failed: object of type 'int' has no len"):
            cx.accuracy_curve(ranks, [2, 3], metric=metric)
    else:  # of a single rank the sum is the rank
        mean_rank = cx.accuracy_curve(ranks, [2, 3], metric=lambda rank: rank).accuracy
        assert np.array_equal(cx.accuracy_curve(ranks, [2, 3], metric=metric).accuracy, mean_rank)


def test_numbers_of_classes_leave_room_for_their_logarithms():
    assert v.as_class_counts(1e300)[0] == 1e300
    with pytest.raises(
        ValueError, match=r"n_classes must hold whole numbers of at least 1 and at most 1e\+300, not 1e\+308"
    ):
        v.as_class_counts([2.0, 1e308])


def test_rows_that_weigh_next_to_nothing_weigh_nothing():
    assert v.as_weights([5e-324, 2.0, 1e-290], 3).tolist() == [0.0, 2.0, 1e-290]
    assert v.as_weights([5e-324, 5e-324], 2).tolist() == [5e-324, 5e-324]
    with pytest.raises(ValueError, match="the marginal risk is 0"):
        cx.prediction_advantage([0, 1, 1, 0], [0, 1, 0, 0], sample_weight=[5e-324, 2.0, 1.0, 5e-324])


@pytest.mark.parametrize(("n_clusters", "warned"), [(9, True), (10, False)])
def test_few_clusters_draw_a_warning(n_clusters, warned):
    """A standard error from nine clusters errs by a quarter: 1 / sqrt(2 (n - 1))."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        v.as_clusters(np.arange(20) % n_clusters, np.arange(20), 20)
    assert [one.category for one in caught] == [UserWarning] * warned
