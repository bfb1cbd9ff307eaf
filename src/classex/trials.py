"""What a result can be checked against, and what more examples would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._checks import as_class_counts, as_generator, as_positive_int, as_probability
from classex._estimates import density, probit
from classex._optional import in_parallel
from classex._result import Result, seed_of
from classex._types import FloatArray, IntArray, MethodName
from classex.curves.accuracy import accuracy_curve, spaced_sizes
from classex.curves.examples import AccuracySurface, surface_deviations
from classex.distributions.distribution import confined_accuracy
from classex.extrapolator import Extrapolator
from classex.forecast.forecast import MOST_SIZES
from classex.forecast.posterior import CurvePrior
from classex.methods.gaussian_process import from_curve
from classex.methods.protocol import Method
from classex.methods.registry import method_by_name
from classex.ranks import correct_ranks, subset_ranks
from classex.ranks.scores import scores_and_labels

__all__ = ["extrapolate_examples", "extrapolation_trials"]


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
    >>> from classex import ExtrapolationTrials
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
    matrix, truth = scores_and_labels(scores, labels, None)
    k = matrix.shape[1]
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
    methods: list[Method], scores: NDArray[Any], labels: IntArray, order: IntArray, sizes: IntArray
) -> FloatArray:
    """Predictions of every method for all classes, from the first few in an order of them: nested subsets."""
    predicted = np.empty((len(methods), sizes.size))
    for column, size in enumerate(sizes):
        ranks, block = subset_ranks(scores, labels, np.sort(order[:size]))
        for row, method in enumerate(methods):
            distribution = method.fit(correct_ranks(block, ranks.labels), block)
            predicted[row, column] = confined_accuracy(distribution, np.array([float(order.size)]))[0]
    return predicted


# Mean and standard deviation of the gain, how far it wanders in one doubling, and standard deviation of the level, in
# probits: chosen with four domains of real data known (`benchmarks/examples`)
_GAIN, _GAIN_SD, _SLOPE_SD, _LEVEL_SD = 0.3, 0.15, 0.02, 3.0
# Numbers of examples at which the observed curve is read
_MOST_EXAMPLES = 8


def extrapolate_examples(
    similarities: ArrayLike,
    labels: ArrayLike,
    example_labels: ArrayLike,
    *,
    n_classes: ArrayLike,
    n_examples: ArrayLike,
    confidence_level: float = 0.95,
) -> AccuracySurface:
    r"""Predict the accuracy of nearest neighbours with K classes and r stored examples of each.

    Parameters
    ----------
    similarities, labels, example_labels
        As in `classex.curves.accuracy_surface`, with at least two examples of each class.
    n_classes : int or array_like of int
        Numbers of classes K, each at least 2.
    n_examples : int or array_like of int
        Numbers of stored examples r of each class, each at least 1.
    confidence_level : float
        Nominal coverage of the intervals, in (0, 1).

    Returns
    -------
    AccuracySurface
        Its intervals are for the average over random sets of classes of the population and random examples.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Notes
    -----
    Let :math:`z(k, r)` be the probit of the exact average accuracy with k of the observed classes and r of their
    :math:`r_1` examples. `classex.Extrapolator` extrapolates :math:`z(k, r_1)` in k. The difference
    :math:`z(k, r) - z(k, r_1)` is added: that of the observed k, and beyond the observed classes that with all of them.
    Up to :math:`r_1` examples it is observed. Beyond them, the gain from each doubling of the examples is
    :math:`\rho` times the gain from the doubling before:

    .. math:: z(k, 2^x) = \alpha + \beta\,t(x) + w(t(x)), \qquad t(x) = \rho^2\,\frac{\rho^x - 1}{\rho - 1} .

    The probit rises along a straight line in the logarithm of r if :math:`\rho = 1`, approaches a plateau if
    :math:`\rho < 1`, and accelerates if :math:`\rho > 1`. Thirteen values from 1.25 to .64 are equally likely
    beforehand. Given :math:`\rho`, the level :math:`\alpha` is normal with a standard deviation of 3, :math:`\beta` is
    normal with mean .3 and standard deviation .15, and w is an integrated Brownian motion, whose slope has the standard
    deviation :math:`.02 \sqrt t`. These are conditioned on :math:`z(k, 1), \dots, z(k, r_1)` with their covariance over
    classes, and the posterior is the mixture over :math:`\rho`. Its median is added to the prediction.

    Squared distances add up: those of both ends of the default's interval, those of the quantiles of the mixture, and
    the sampling variance over classes that an observed difference adds.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> centres = rng.normal(size=(40, 1, 5))
    >>> stored = (centres + 0.5 * rng.normal(size=(40, 4, 5))).reshape(160, 5)
    >>> tests = centres[:, 0] + 0.5 * rng.normal(size=(40, 5))
    >>> similarity = -np.linalg.norm(tests[:, None] - stored, axis=2)
    >>> found = cx.extrapolate_examples(
    ...     similarity,
    ...     range(40),
    ...     np.repeat(range(40), 4),
    ...     n_classes=[40, 80],
    ...     n_examples=[4, 8],
    ... )
    >>> found.accuracy.round(2)
    array([[0.55, 0.57],
           [0.47, 0.49]])
    """
    wanted = as_class_counts(n_classes, minimum=2)
    numbers = as_class_counts(n_examples, "n_examples")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    mean, half = predicted_probits(similarities, labels, example_labels, wanted, numbers, level)
    error = half.mean(axis=2) / special.ndtri(0.5 + level / 2) * density(mean)
    ends = special.ndtr(mean[..., np.newaxis] + half * [-1.0, 1.0])
    people = int(np.unique(np.asarray(labels)).size)
    sizes = wanted.astype(np.int64), numbers.astype(np.int64)
    return AccuracySurface(*sizes, special.ndtr(mean), error, ends, people, level)


def predicted_probits(
    similarities: ArrayLike,
    labels: ArrayLike,
    example_labels: ArrayLike,
    wanted: FloatArray,
    numbers: FloatArray,
    level: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """Probits of the predicted accuracies, (n_k, n_r), and the distances of both ends of their intervals."""
    names, owner, count = np.unique(np.asarray(example_labels), return_inverse=True, return_counts=True)
    if (most := int(count.min())) < 2:
        raise ValueError(f"example_labels must give every class at least two examples, but one class has {most}")
    # the curves with up to all of the examples, in probits, with the default's hypothetical class
    grid, fewer = spaced_sizes(1, most, _MOST_EXAMPLES), np.minimum(numbers, most)
    used = np.unique([*grid, *fewer])
    seen = spaced_sizes(2, names.size, MOST_SIZES)
    _, _, value, deviation = surface_deviations(similarities, labels, example_labels, seen, used.astype(np.int64))
    parts = np.moveaxis(deviation, 1, 2).reshape(names.size, -1)
    curves = from_curve(
        np.tile(seen, used.size), value.T.ravel(), parts.T @ parts, np.unique(np.asarray(labels)).size, None
    )
    observed, noise = curves.probit.reshape(used.size, -1), curves.noise.reshape(2 * (used.size, seen.size))
    covariance, known = np.einsum("umvm->muv", noise), np.isin(used, grid)
    # what the number of examples adds to the probit with all of them, and to the squared distances of both ends
    each = zip(observed[known].T, covariance[:, known][:, :, known], strict=True)
    beyond = [more_examples(grid, *one, np.maximum(numbers, most), level) for one in each]
    (middle, low, high), at = np.stack(beyond, axis=1), np.searchsorted(used, fewer)
    wider = special.ndtri(0.5 + level / 2) ** 2 * np.maximum(covariance[:, at, at] - covariance[:, -1:, -1], 0.0)
    added = middle + (observed[at] - observed[-1]).T, wider + np.square(low - middle), wider + np.square(high - middle)
    more, *squares = np.apply_along_axis(lambda curve: np.interp(np.log(wanted), np.log(seen), curve), 1, added)
    order = np.argsort(owner, kind="stable")
    best = np.maximum.reduceat(np.asarray(similarities)[:, order], np.cumsum(count) - count, axis=1)
    default = Extrapolator().fit_ranks(correct_ranks(best, np.searchsorted(names, np.asarray(labels))))
    predicted = default.predict(wanted)[:, np.newaxis], default.predict_interval(wanted, confidence_level=level)
    centre, ends = map(probit, predicted)
    return centre + more, np.sqrt(np.square(ends - centre)[:, np.newaxis] + np.stack(squares, axis=2))


@dataclass(frozen=True)
class Gains:
    """Curves in the number of examples, whose gains change by one factor from doubling to doubling."""

    rates: tuple[float, ...]

    @property
    def weights(self) -> FloatArray:
        """All factors are equally likely."""
        return np.full(len(self.rates), 1 / len(self.rates))

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each curve does."""
        return tuple("saturates" if rate < 1 else "goes on" for rate in self.rates)

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        """Mean and covariance of each curve: in its own time, doublings that count less and less, it is straight."""
        rate, doublings = np.log(self.rates)[:, np.newaxis], np.log2(sizes)
        time = np.exp(2 * rate) * doublings * special.exprel(rate * doublings) / special.exprel(rate)
        early, late = (pick(time[:, :, np.newaxis], time[:, np.newaxis]) for pick in (np.minimum, np.maximum))
        wander = _SLOPE_SD**2 * early**2 * (3 * late - early) / 6
        return _GAIN * time, _LEVEL_SD**2 + _GAIN_SD**2 * early * late + wander


#: Factors by which the gain may change from one doubling of the examples to the next
EXAMPLES = CurvePrior((Gains(tuple(0.8 ** np.linspace(-1, 2, 13))),))


def more_examples(
    seen: FloatArray, observed: FloatArray, noise: FloatArray, wanted: FloatArray, level: float
) -> FloatArray:
    """What more examples than observed add to a probit: median and ends of its interval, shape (3, n_wanted).

    Parameters
    ----------
    seen, observed : ndarray of shape (n,)
        Numbers of examples, rising, and observed probits.
    noise : ndarray of shape (n, n)
        Covariance of the observed probits.
    wanted : ndarray of shape (n_wanted,)
        Numbers of examples, each at least the last observed one.
    level : float
        Nominal coverage of the interval.
    """
    found = EXAMPLES.posterior(seen, observed, noise, None, wanted)
    return found.quantiles([0.5, 0.5 - level / 2, 0.5 + level / 2]).T
