"""The base of every model: experiments to draw, and the exact truth about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_counts, as_finite_array, as_generator, as_positive_int, as_probabilities
from classex._types import FloatArray

__all__ = []


@dataclass(frozen=True)
class Sample:
    """One simulated experiment: k classes drawn at random, and test points of each.

    Attributes
    ----------
    points : ndarray of shape (n_test, p)
        Test points, the repeats of class 0 first.
    references : ndarray of shape (k, p)
        Reference of each class: its parameter, its centroid, or one stored example.
    labels : ndarray of shape (n_test,)
        Class of each test point, in ``0..k-1``.
    model : Model
        Model of the experiment.

    Examples
    --------
    >>> from classex.models import GaussianClasses
    >>> sample = GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> (
    ...     sample.points.shape,
    ...     sample.references.shape,
    ...     sample.labels[:4],
    ...     sample.scores.shape,
    ... )
    ((100, 10), (50, 10), array([0, 0, 1, 1]), (100, 50))
    """

    points: FloatArray
    references: FloatArray
    labels: NDArray[np.int64]
    model: Model

    @cached_property
    def scores(self) -> FloatArray:
        """Scores of the model's rule, shape (n_test, k); computed on first use."""
        return self.model.scores(self.points, self.references)

    @cached_property
    def bayes_scores(self) -> FloatArray:
        """Scores of the Bayes rule given the references, shape (n_test, k); computed on first use."""
        return self.model.bayes_scores(self.points, self.references)


class Model(ABC):
    """A generative model of classes and test points, with exact formulas for its accuracy and information.

    Draws are independent: k classes from the population of classes, then `n_repeats` test points of each.
    ``average_accuracy`` and ``discriminability`` describe the model's own rule (``scores``),
    ``average_bayes_accuracy`` the best possible rule given the same references.

    Examples
    --------
    >>> from classex.models import BivariateNormal, Model
    >>> model = BivariateNormal(0.7)
    >>> isinstance(model, Model), round(model.average_accuracy(2), 4)
    (True, 0.6929)
    >>> sample = model.sample(500, rng=0)
    >>> float((sample.scores.argmax(axis=1) == sample.labels).mean()) < 0.1
    True
    """

    def sample(self, n_classes: int, *, n_repeats: int = 1, rng: Any = None) -> Sample:
        """Draw classes, and test points of each.

        Parameters
        ----------
        n_classes : int
            Number of classes k, at least 2.
        n_repeats : int
            Test points per class.
        rng : None, int or numpy.random.Generator
            Seed or generator.

        Returns
        -------
        Sample
            Test points, references, labels, and scores on demand.
        """
        k = as_positive_int(n_classes, "n_classes", minimum=2)
        r = as_positive_int(n_repeats, "n_repeats")
        points, references = self._draw(k, r, as_generator(rng))
        return Sample(points, references, np.repeat(np.arange(k), r), self)

    def average_accuracy(self, n_classes: ArrayLike) -> Any:
        r"""Average generalisation accuracy :math:`\mathrm{AGA}_k = E (U^*)^{k-1}` of the model's rule.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes k, at least 1, up to :math:`10^{12}`.

        Returns
        -------
        float or ndarray
            A probability for each k; a float for a single k.
        """
        return at_class_counts(n_classes, self._average_accuracy)

    def average_bayes_accuracy(self, n_classes: ArrayLike) -> Any:
        """Average Bayes accuracy: `average_accuracy` of the best rule given the same references."""
        return self.average_accuracy(n_classes)

    def discriminability(self, u: ArrayLike) -> Any:
        """Distribution function D(u) of the favourability U* of a random test point, for u in [0, 1].

        ``AGA_k = 1 - (k-1) int_0^1 D(u) u^(k-2) du``. A float for a single u, else an array of u's shape.
        """
        grid = as_probabilities(u, "u")
        value = np.where(grid >= 1, 1.0, 0.0)
        inside = (grid > 0) & (grid < 1)
        value[inside] = np.clip(self._discriminability(grid[inside]), 0.0, 1.0)
        return float(value) if value.ndim == 0 else value

    @abstractmethod
    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Scores of the model's rule, shape (n_test, k); the highest score is the predicted class."""

    def bayes_scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Scores of the Bayes rule given the references: the log likelihood, up to a constant of the test point."""
        return self.scores(points, references)

    def class_accuracies(self, references: ArrayLike) -> FloatArray:
        """Pr[the Bayes rule is right | class i, these classes], for every class of a given set.

        Parameters
        ----------
        references : array_like of shape (k, p)
            References of the k classes.

        Returns
        -------
        ndarray of shape (k,)
            Probabilities.
        """
        raise NotImplementedError(f"{type(self).__name__} has no formula for the accuracy of given classes")

    def bayes_accuracy(self, references: ArrayLike) -> float:
        """Bayes accuracy of a given set of classes: the mean of `class_accuracies`."""
        return float(self.class_accuracies(references).mean())

    @abstractmethod
    def information(self) -> float:
        """Mutual information between a class's reference and its test point, in nats."""

    @abstractmethod
    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]: ...

    @abstractmethod
    def _average_accuracy(self, k: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _discriminability(self, u: FloatArray) -> FloatArray: ...


def at_class_counts(n_classes: ArrayLike, formula: Callable[[FloatArray], FloatArray]) -> Any:
    """Apply a formula to validated class counts: 1 at k = 1, a float for a single k."""
    counts = as_class_counts(n_classes)
    value = np.where(counts > 1, np.clip(formula(counts), 0.0, 1.0), 1.0)
    return float(value[0]) if np.ndim(n_classes) == 0 else value


def expected_power(log_u: FloatArray, weight: FloatArray, k: FloatArray) -> FloatArray:
    r""":math:`E (U^*)^{k-1}` for every k, by quadrature: weights and logarithms of U* at its nodes."""
    return np.array([np.exp((size - 1) * log_u) @ weight for size in k])


def log_favourability(beaten: FloatArray) -> FloatArray:
    """Logarithm of 1 - beaten, finite where a favourability rounds to 0: it contributes nothing at any k."""
    return np.asarray(np.log1p(-np.minimum(beaten, 1 - 2.0**-53)))


def as_point_sets(points: ArrayLike, references: ArrayLike, p: int) -> tuple[FloatArray, FloatArray]:
    """Return test points (n, p) and references (k, p), both with `p` columns."""
    y = as_finite_array(points, "points", ndim=2, dtype=np.float64)
    x = as_finite_array(references, "references", ndim=2, dtype=np.float64)
    for name, array in (("points", y), ("references", x)):
        if array.shape[1] != p:
            raise ValueError(f"{name} must have {p} columns, but its shape is {array.shape}")
    return y, x


# exp(-30) is below the rounding of anything it is added to
_NEGLIGIBLE = -30.0


class LadderModel(Model):
    r"""A model with finitely many values of the score, the same for every test point.

    With ties broken at random, the favourability of a correct class with the h-th best value is uniform on
    :math:`[1 - b_{h+1}, 1 - b_h]`, :math:`b_h` the probability that a wrong class has a better value. So
    :math:`E (U^*)^{k-1}` given the value is :math:`[(1 - b_h)^k - (1 - b_{h+1})^k] / (k w_h)`,
    :math:`w_h = b_{h+1} - b_h`.
    """

    @property
    @abstractmethod
    def _ladder(self) -> tuple[FloatArray, FloatArray]:
        """Log probabilities of the values for a wrong class and for the correct one, best value first."""

    def _average_accuracy(self, k: FloatArray) -> FloatArray:
        return self._accuracy_at(np.log(k))

    def _accuracy_at(self, log_k: FloatArray) -> FloatArray:
        """Average accuracy for every log k; k need not be whole, nor representable."""
        log_wrong, log_right = self._ladder
        log_better = np.append(-np.inf, np.logaddexp.accumulate(log_wrong)[:-1])
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            # log probability 1 - b_h that a wrong class has this value or a worse one
            from_below = np.logaddexp.accumulate(log_wrong[::-1])[::-1]
            log_beatable = np.where(log_better < np.log(0.5), np.log1p(-np.exp(log_better)), from_below)
            log_share = np.minimum(log_wrong - log_beatable, 0.0)
            # log of -log(1 - share): by how much one value lowers the logarithm of the favourability
            exact = np.log(-np.log1p(-np.exp(log_share)))
            log_drop = np.where(log_share < _NEGLIGIBLE, log_share, exact)
            value = np.empty(log_k.size)
            for i, log_size in enumerate(log_k):
                # exp(log_size) * log_beatable; 0 where nothing is better, also if k is beyond floating point
                kept = np.where(log_beatable == 0, 0.0, -np.exp(np.minimum(log_size + np.log(-log_beatable), 709.0)))
                drop = log_size + log_drop
                gained = np.where(drop < _NEGLIGIBLE, drop, np.log(-np.expm1(-np.exp(drop))))
                value[i] = np.exp(log_right + kept + gained - log_size - log_wrong).sum()
        return value

    def _discriminability(self, u: FloatArray) -> FloatArray:
        # linear between the values
        knot, value = (np.append(0.0, np.cumsum(np.exp(log_p[::-1]))) for log_p in self._ladder)
        return np.asarray(np.interp(u, knot / knot[-1], value / value[-1]))
