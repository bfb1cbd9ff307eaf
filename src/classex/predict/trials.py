"""Errors of methods that extrapolate: predictions from random subsets of the classes against all classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._parallel import in_parallel
from classex._result import Result, seed_of
from classex._types import FloatArray, MethodName
from classex._validation import as_class_counts, as_generator, as_labels, as_positive_int, as_scores
from classex.curves.accuracy import accuracy_curve
from classex.distributions.distribution import confined_accuracy
from classex.methods._method import Method
from classex.methods.registry import method_by_name
from classex.ranks import correct_ranks, subset_ranks

__all__ = ["extrapolation_trials"]


@dataclass(frozen=True)
class ExtrapolationTrials(Result):
    """Predictions of the accuracy with all classes, from random subsets of them.

    Attributes
    ----------
    methods : tuple of str
        Names of the methods.
    n_classes : ndarray of int64 of shape (n_sizes,)
        Numbers of classes in the subsets.
    target : int
        Number of all classes.
    truth : float
        Accuracy with all classes.
    predicted : ndarray of shape (n_methods, n_sizes, n_subsets)
        Predicted accuracy with all classes.
    seed : int or None
        Seed of the subsets, if it was given as a number.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.results import ExtrapolationTrials
    >>> trials = ExtrapolationTrials(
    ...     ("exponential",),
    ...     np.array([20]),
    ...     40,
    ...     0.5,
    ...     np.array([[[0.4, 0.5, 0.7, 0.6]]]),
    ... )
    >>> trials.bias.round(3), trials.rmse.round(3)
    (array([[0.05]]), array([[0.122]]))
    """

    methods: tuple[str, ...]
    n_classes: NDArray[np.int64]
    target: int
    truth: float
    predicted: FloatArray
    seed: int | None = None

    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "Errors of predictions from subsets to all {target} classes, where the accuracy is {truth}:"

    def _table(self) -> dict[str, Any]:
        methods, sizes, _ = self.predicted.shape
        return {
            "n_classes": np.tile(self.n_classes, methods),
            "method": np.repeat(self.methods, sizes),
            "bias": self.bias.ravel(),
            "rmse": self.rmse.ravel(),
        }

    @property
    def bias(self) -> FloatArray:
        """Mean error, shape (n_methods, n_sizes)."""
        return np.asarray((self.predicted - self.truth).mean(axis=2))

    @property
    def rmse(self) -> FloatArray:
        """Root mean squared error, shape (n_methods, n_sizes)."""
        return np.asarray(np.sqrt(np.square(self.predicted - self.truth).mean(axis=2)))


def extrapolation_trials(
    scores: ArrayLike,
    labels: ArrayLike,
    n_classes: ArrayLike,
    methods: Mapping[str, Method | MethodName] | Sequence[Method | MethodName],
    *,
    n_subsets: int = 20,
    rng: Any = 0,
) -> ExtrapolationTrials:
    """Let methods predict the accuracy with all classes from random subsets of the classes.

    The subsets are drawn without replacement, and are the same for every method. A method receives only the scores of
    the subset's test points for the subset's classes. A smaller experiment would have given the same if the classifier
    is marginal, that is if the scores of a class do not depend on the other classes.

    Parameters
    ----------
    scores : array_like of shape (n_test, k)
        Score of every label for every test point; higher is better.
    labels : array_like of shape (n_test,)
        Column of the correct label of each test point; every class has at least one.
    n_classes : int or array_like of int of shape (n_sizes,)
        Sizes k1 of the subsets, each from 2 to k - 1.
    methods : mapping of str to Method or str, or sequence of these
        The methods, or their names in `classex.methods.METHODS`; the keys of a mapping are the names in the result.
    n_subsets : int
        Number of subsets of each size.
    rng : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    ExtrapolationTrials
        The accuracy with all classes and every prediction of it, with root mean squared errors.

    Raises
    ------
    ValueError
        If the scores or labels are unfit (see `correct_ranks`), a size is out of range, or `methods` is empty.
    TypeError
        If a method is neither a name nor one of `classex.methods`.

    Notes
    -----
    Source: journal version section 5.1, Table 2 (faces, 100 subsets of 100, 200 and 400 of 1,672 people).

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(60, rng=1)
    >>> trials = cx.extrapolation_trials(
    ...     sample.scores,
    ...     sample.labels,
    ...     [20, 40],
    ...     ["probit-normal"],
    ...     n_subsets=10,
    ... )
    >>> trials.predicted.shape, bool(trials.rmse[0, 1] < 0.2)
    ((1, 2, 10), True)
    """
    matrix = as_scores(scores)
    k = matrix.shape[1]
    truth = as_labels(labels, matrix.shape[0], k)
    sizes = as_class_counts(n_classes, minimum=2, maximum=k - 1).astype(np.int64)
    candidates = _named(methods)
    draws = as_positive_int(n_subsets, "n_subsets", minimum=2)
    generator = as_generator(rng)
    tasks = [(list(candidates.values()), matrix, truth, generator.permutation(k), sizes) for _ in range(draws)]
    predicted = np.stack(in_parallel(_predict_from_subsets, tasks, "class subsets"), axis=2)
    observed = float(accuracy_curve(correct_ranks(matrix, truth), k).accuracy[0])
    return ExtrapolationTrials(tuple(candidates), sizes, k, observed, predicted, seed_of(rng))


def _named(candidates: Mapping[str, Method | MethodName] | Sequence[Method | MethodName]) -> dict[str, Method]:
    """Return methods by name; those of a sequence are named by their ``repr``."""
    if not isinstance(candidates, Mapping):
        names = [candidate if isinstance(candidate, str) else repr(candidate) for candidate in candidates]
        if len(set(names)) < len(names):
            raise ValueError(f"methods must differ, but two of them are {max(names, key=names.count)}")
        candidates = dict(zip(names, candidates, strict=True))
    if not candidates:
        raise ValueError("methods must hold at least one method, but is empty")
    out = {name: method_by_name(method) if isinstance(method, str) else method for name, method in candidates.items()}
    for name, method in out.items():
        if not isinstance(method, Method):
            raise TypeError(f"methods must be names or of classex.methods, but {name!r} is {method!r}")
    return out


def _predict_from_subsets(
    methods: list[Method],
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Predictions of every method for all classes, from the first few in an order of them: nested subsets."""
    predicted = np.empty((len(methods), sizes.size))
    for column, size in enumerate(sizes):
        ranks, block = subset_ranks(scores, labels, np.sort(order[:size]))
        for row, method in enumerate(methods):
            distribution = method.fit(correct_ranks(block, ranks.labels), block)
            predicted[row, column] = confined_accuracy(distribution, np.array([float(order.size)]))[0]
    return predicted
