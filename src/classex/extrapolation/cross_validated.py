"""Choice and combination of extrapolation methods by how well they extrapolate from subsets of the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._parallel import in_parallel
from classex._validation import as_generator, as_positive_float, as_positive_int, one_of
from classex.curves.accuracy import accuracy_curve
from classex.extrapolation._base import Extrapolator
from classex.extrapolation._intervals import FEWEST_CLASSES, resampled_variance
from classex.extrapolation.mixture import MixtureExtrapolator
from classex.extrapolation.probit_normal import ProbitNormalExtrapolator
from classex.ranks import subset_ranks, thin_ranks
from classex.results import CorrectRanks, ExtrapolationEvidence

__all__ = ["CrossValidatedExtrapolator", "named_candidates"]

FloatArray = NDArray[np.float64]

_MOST_HALVES = 20
_NEGLIGIBLE = 1e-3


class CrossValidatedExtrapolator(Extrapolator):
    r"""Choose or combine methods by how well they extrapolate from subsets of the classes to all of them.

    For each ratio, classes are drawn without replacement, ``k1 / ratio`` at a time. Every candidate is fitted on
    them and predicts the accuracy with all :math:`k_1` classes, which is known. Candidates are then chosen by
    their mean squared error, or combined with the non-negative weights, summing to one, that minimise

    .. math:: w^\top P w + \gamma \, \frac{\operatorname{tr} P}{m} \sum_{c=1}^m \Bigl(w_c - \frac1m\Bigr)^2,
              \qquad P_{cd} = \frac1n \sum_i (\hat p_{ic} - \mathrm{ATA}_{k_1})(\hat p_{id} - \mathrm{ATA}_{k_1}).

    The second term draws the weights together: the trials share their classes, so their errors are few and
    alike, and small differences between methods are mostly chance.

    Parameters
    ----------
    candidates : mapping of str to Extrapolator, or sequence of Extrapolator, optional
        The methods, unfitted. By default the probit-normal law, the smooth mixture, regression, and (with
        scores) the kernel density method.
    combine : {"stack", "choose", "average"}
        Whether to combine the candidates, to choose one, or to average them with equal weights, which needs no
        trials.
    ratios : sequence of float
        Ratios of observed to drawn classes, each greater than 1. Those that leave fewer than 5 classes are
        left out.
    n_splits : int
        Number of class subsets for each ratio.
    shrinkage : float
        The weight :math:`\gamma`, at least 0.
    rng : int, numpy.random.Generator or None
        Seed or generator of the class subsets.

    Attributes
    ----------
    evidence_ : tuple of ExtrapolationEvidence
        Bias and root mean squared error of every candidate at every ratio, and its final weight.
    weights_ : ndarray of shape (n_candidates,)
        Weights of the candidates, in their order.
    candidates_ : dict of str to Extrapolator
        The candidates, fitted on all classes.

    Notes
    -----
    Source: journal version section 3.4 chooses a bandwidth from half the classes; here methods are compared, at
    several ratios. Tuning values (a bandwidth, a smoothness) are those the methods choose on all classes. With
    fewer than 10 classes nothing can be compared and the weights are equal.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> methods = {"probit-normal": cx.ProbitNormalExtrapolator(), "mixture": cx.MixtureExtrapolator()}
    >>> estimator = cx.CrossValidatedExtrapolator(methods, n_splits=4).fit(sample.scores, sample.labels)
    >>> [record.method for record in estimator.evidence_]
    ['probit-normal', 'mixture', 'probit-normal', 'mixture']
    """

    evidence_: tuple[ExtrapolationEvidence, ...]
    weights_: FloatArray
    candidates_: dict[str, Extrapolator]

    def __init__(
        self,
        candidates: Mapping[str, Extrapolator] | Sequence[Extrapolator] | None = None,
        *,
        combine: str = "stack",
        ratios: Sequence[float] = (2.0, 4.0),
        n_splits: int = 8,
        shrinkage: float = 0.3,
        rng: Any = 0,
    ) -> None:
        self.candidates = None if candidates is None else named_candidates(candidates)
        self.combine = one_of(combine, "combine", ("stack", "choose", "average"))
        self.ratios = tuple(as_positive_float(ratio, "ratios") for ratio in ratios)
        if not self.ratios or min(self.ratios) <= 1:
            raise ValueError(f"ratios must all be greater than 1, not {ratios!r}")
        self.n_splits = as_positive_int(n_splits, "n_splits", minimum=2)
        self.shrinkage = as_positive_float(shrinkage, "shrinkage", allow_zero=True)
        self.rng = rng
        self._weights: FloatArray | None = None

    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        candidates = _defaults(scores is not None) if self.candidates is None else self.candidates
        for name, candidate in candidates.items():
            if candidate.needs_scores and scores is None:
                raise TypeError(f"candidate {name!r} needs scores, ranks do not suffice: call fit(scores, labels)")
        self.candidates_ = {
            name: (Extrapolator._resampled(candidate) if self._weights is None else copy(candidate))._fit_checked(
                ranks, scores
            )
            for name, candidate in candidates.items()
        }
        if self._weights is None:
            kept, predicted = self._trials(ranks, scores)
            self.weights_ = self._combine(predicted - _truth(ranks))
        else:
            kept, predicted, self.weights_ = np.empty(0), np.empty((0, len(candidates))), self._weights
        self.evidence_ = _evidence(list(candidates), kept, predicted, ranks, self.weights_)

    def _trials(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> tuple[FloatArray, FloatArray]:
        """Return the number of classes of every trial, and every candidate's prediction for all classes."""
        rng = as_generator(self.rng)
        k1 = ranks.n_classes
        sizes = [int(k1 // ratio) for ratio in self.ratios if self.combine != "average"]
        kept = np.repeat([size for size in sizes if size >= FEWEST_CLASSES], self.n_splits).astype(np.int64)
        subsets = [np.sort(rng.permutation(k1)[:size]) for size in kept]
        generators = rng.spawn(kept.size)
        tasks = [
            (list(self.candidates_.values()), ranks, scores, classes, own)
            for classes, own in zip(subsets, generators, strict=True)
        ]
        predicted = np.array(in_parallel(_predict_all, tasks, "class subsets"))
        return kept.astype(np.float64), predicted.reshape(kept.size, len(self.candidates_))

    def _combine(self, error: FloatArray) -> FloatArray:
        n_trials, m = error.shape
        if n_trials == 0:
            return np.full(m, 1 / m)
        products = error.T @ error / n_trials
        if self.combine == "choose":
            best: FloatArray = np.eye(m)[int(np.argmin(np.diag(products)))]
            return best
        # (w - 1/m)^2 summed is w'w minus a constant, for weights that sum to 1
        return _simplex_weights(products + self.shrinkage * np.trace(products) / m * np.eye(m))

    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        mean: FloatArray = self._members()[1] @ self._predictions(n_classes, top)
        return mean

    def _members(self) -> tuple[dict[str, Extrapolator], FloatArray]:
        """Fitted candidates whose weight matters, and their weights, normalised."""
        matters = self.weights_ > _NEGLIGIBLE
        names = [name for name, keep in zip(self.candidates_, matters, strict=True) if keep]
        weights = self.weights_[matters]
        return {name: self.candidates_[name] for name in names}, weights / weights.sum()

    def _predictions(self, sizes: FloatArray, top: int) -> FloatArray:
        return np.stack([member._predict_checked(sizes, top) for member in self._members()[0].values()])

    def _resampled(self) -> Extrapolator:
        """Return a combination with the same weights of candidates that keep the tuning values they chose."""
        twin = super()._resampled()
        if isinstance(twin, CrossValidatedExtrapolator):
            members, twin._weights = self._members()
            twin.candidates = {name: member._resampled() for name, member in members.items()}
        return twin

    def _on_classes(self, classes: NDArray[np.int64]) -> None:
        for candidate in (self.candidates or {}).values():
            candidate._on_classes(classes)

    def _freedom(self, n_resamples: int) -> int:
        return min(n_resamples, _MOST_HALVES) - 1

    def _variance(self, sizes: FloatArray, top: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Half-sampling of classes, at least that of the probit-normal law, plus the methods' disagreement."""
        halves = resampled_variance(self, sizes, top, min(n_resamples, _MOST_HALVES), rng, 0.5)
        plain = ProbitNormalExtrapolator().fit_ranks(self.ranks_)._variance(sizes, top, n_resamples, rng)
        predictions = self._predictions(sizes, top)
        weights = self._members()[1]
        apart = weights @ np.square(predictions - weights @ predictions)
        out: FloatArray = np.maximum(halves, plain) + apart
        return out


def named_candidates(candidates: Mapping[str, Extrapolator] | Sequence[Extrapolator]) -> dict[str, Extrapolator]:
    """Return estimators under their names; those of a sequence are named by how they were made."""
    if not isinstance(candidates, Mapping):
        names = [repr(candidate) for candidate in candidates]
        if len(set(names)) < len(names):
            raise ValueError(f"candidates must differ, but two of them are {max(names, key=names.count)}")
        candidates = dict(zip(names, candidates, strict=True))
    if not candidates:
        raise ValueError("candidates must hold at least one estimator, but is empty")
    for name, candidate in candidates.items():
        if not isinstance(candidate, Extrapolator):
            raise TypeError(f"candidates must be extrapolation estimators, but {name!r} is {candidate!r}")
    return dict(candidates)


def _defaults(with_scores: bool) -> dict[str, Extrapolator]:
    from classex.extrapolation.regression import RegressionExtrapolator

    out: dict[str, Extrapolator] = {
        "probit-normal": ProbitNormalExtrapolator(),
        "mixture": MixtureExtrapolator(),
        "regression": RegressionExtrapolator(),
    }
    if with_scores:
        from classex.extrapolation.kernel_density import KernelDensityExtrapolator

        out["kernel density"] = KernelDensityExtrapolator()
    return out


def _truth(ranks: CorrectRanks) -> float:
    return float(accuracy_curve(ranks, ranks.n_classes).accuracy[0])


def _simplex_weights(products: FloatArray) -> FloatArray:
    """Minimise w'Pw over the simplex, by accelerated projected steps."""
    n = products.shape[0]
    step = 0.5 / max(float(np.linalg.eigvalsh(products)[-1]), 1e-300)
    w = momentum = np.full(n, 1 / n)
    t = 1.0
    for _ in range(5000):
        new = _onto_simplex(momentum - 2 * step * products @ momentum)
        t_new = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
        moved = float(np.abs(new - w).max())
        momentum, t, w = new + (t - 1) / t_new * (new - w), t_new, new
        if moved < 1e-10:
            break
    return w


def _onto_simplex(x: FloatArray) -> FloatArray:
    down = np.sort(x)[::-1]
    excess = np.cumsum(down) - 1
    last = int(np.flatnonzero(down * np.arange(1, x.size + 1) > excess)[-1])
    out: FloatArray = np.maximum(x - excess[last] / (last + 1), 0.0)
    return out


def _evidence(
    names: list[str], kept: FloatArray, predicted: FloatArray, ranks: CorrectRanks, weights: FloatArray
) -> tuple[ExtrapolationEvidence, ...]:
    truth = _truth(ranks)
    return tuple(
        ExtrapolationEvidence(
            name,
            ranks.n_classes / float(size),
            int(size),
            float((predicted[kept == size, column] - truth).mean()),
            float(np.sqrt(np.square(predicted[kept == size, column] - truth).mean())),
            float(weights[column]),
        )
        for size in np.unique(kept)[::-1]
        for column, name in enumerate(names)
    )


def _predict_all(
    candidates: list[Extrapolator],
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    classes: NDArray[np.int64],
    rng: np.random.Generator,
) -> list[float]:
    """Every fitted candidate's prediction for all classes from some of them."""
    if scores is None:
        few, block = thin_ranks(ranks, classes, rng=rng), None
    else:
        few, block = subset_ranks(scores, ranks.labels, classes)
    predictions = []
    for candidate in candidates:
        twin = candidate._resampled()
        twin._on_classes(classes)
        predictions.append(float(twin._fit_checked(few, block).predict(ranks.n_classes)[0]))
    return predictions
