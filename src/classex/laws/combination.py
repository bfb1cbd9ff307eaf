"""Several laws in one: chosen, stacked or averaged by how well they extrapolate from subsets of the classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._parallel import in_parallel
from classex._validation import as_generator, as_positive_float, as_positive_int, one_of
from classex.curves.accuracy import accuracy_curve
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.laws.law import Evidence, Law, confined_accuracy, metric_of_law
from classex.laws.ratio import ProbitLaw
from classex.laws.subsets import ranks_of_classes
from classex.results import CorrectRanks, ExtrapolationEvidence

__all__ = ["CombinedLaw", "fit_combination"]

FloatArray = NDArray[np.float64]
Fit = Callable[[CorrectRanks, NDArray[Any] | None], Law]

FEWEST_CLASSES = 5
_NEGLIGIBLE = 1e-3


@dataclass(frozen=True)
class CombinedLaw:
    """A mixture of laws.

    Attributes
    ----------
    members : mapping of str to Law
        The laws by name, each fitted to all classes.
    weights : ndarray of shape (n_members,)
        Their weights, in the same order, summing to 1; those below a thousandth do not count.
    trials : tuple of ExtrapolationEvidence
        How well every law extrapolated from subsets of the classes, where that was tried.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.laws import CombinedLaw, PitmanYorLaw
    >>> easy, hard = (
    ...     PitmanYorLaw(0.0, 9.0, "likelihood"),
    ...     PitmanYorLaw(0.0, 1.0, "likelihood"),
    ... )
    >>> both = CombinedLaw({"easy": easy, "hard": hard}, np.array([0.5, 0.5]))
    >>> [law.accuracy(np.array([2.0])).round(4) for law in (easy, hard, both)]
    [array([0.95]), array([0.75]), array([0.85])]
    """

    members: Mapping[str, Law]
    weights: FloatArray
    trials: tuple[ExtrapolationEvidence, ...] = field(default=(), repr=False)

    @property
    def evidence(self) -> Evidence:
        """The weights."""
        return Evidence(dict(zip(self.members, self.weights.tolist(), strict=True)), float(self.weights.size - 1))

    def counting(self) -> tuple[dict[str, Law], FloatArray]:
        """Return the members whose weight counts, and their weights, normalised."""
        counts = self.weights > _NEGLIGIBLE
        names = [name for name, keep in zip(self.members, counts, strict=True) if keep]
        weights = self.weights[counts]
        return {name: self.members[name] for name in names}, weights / weights.sum()

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Weighted mean of the members' average accuracies."""
        members, weights = self.counting()
        mean: FloatArray = weights @ np.stack([confined_accuracy(law, sizes, top) for law in members.values()])
        return mean

    @property
    def law(self) -> ProbitLaw | None:
        """The mixture on the members' nodes; None where one of them stands on none."""
        members, weights = self.counting()
        laws = [getattr(law, "law", None) for law in members.values()]
        known = [law for law in laws if isinstance(law, ProbitLaw)]
        if len(known) < len(laws):
            return None
        share = [weight * law.weight for weight, law in zip(weights, known, strict=True)]
        return ProbitLaw(np.concatenate([law.nodes for law in known]), np.concatenate(share))

    def cdf(self, u: FloatArray) -> FloatArray:
        """Weighted mean of the members' discriminability functions."""
        members, weights = self.counting()
        mean: FloatArray = np.tensordot(weights, np.stack([law.cdf(u) for law in members.values()]), axes=1)
        return mean

    def disagreement(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Weighted variance of the members' average accuracies around their mean."""
        return self.metric_disagreement(sizes, as_rank_metric("accuracy", top))

    def metric_disagreement(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Weighted variance of what the members say of a metric around their mean."""
        members, weights = self.counting()
        each = np.stack([metric_of_law(law, sizes, metric) for law in members.values()])
        apart: FloatArray = weights @ np.square(each - weights @ each)
        return apart

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> CombinedLaw:
        """Fit the members that count to other data; the weights stay."""
        members, weights = self.counting()
        return CombinedLaw({name: law.refit(ranks, scores, classes) for name, law in members.items()}, weights)

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray | None:
        """Return None: only resampling can tell."""
        del sizes, top
        return None


def fit_combination(
    ranks: CorrectRanks,
    scores: NDArray[Any] | None = None,
    *,
    fits: Mapping[str, Fit],
    combine: str = "stack",
    ratios: Sequence[float] = (2.0, 4.0),
    n_splits: int = 8,
    shrinkage: float = 0.3,
    rng: Any = 0,
) -> CombinedLaw:
    """Fit several laws and combine them by how well they extrapolate from subsets of the classes.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    scores : ndarray of shape (n_test, n_classes), optional
        The scores behind them.
    fits : mapping of str to callable
        Functions of ranks and scores that return laws, by name.
    combine, ratios, n_splits, shrinkage, rng
        As in `classex.CrossValidatedExtrapolator`.

    Returns
    -------
    CombinedLaw

    Raises
    ------
    ValueError
        If a setting is out of range.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> fits = {
    ...     "probit-normal": cx.laws.fit_probit_normal,
    ...     "exponential": cx.laws.fit_exponential,
    ... }
    >>> cx.laws.fit_combination(ranks, fits=fits, combine="average").weights
    array([0.5, 0.5])
    """
    how = one_of(combine, "combine", ("stack", "choose", "average"))
    shares = tuple(as_positive_float(ratio, "ratios") for ratio in ratios)
    if not shares or min(shares) <= 1:
        raise ValueError(f"ratios must all be greater than 1, not {ratios!r}")
    splits = as_positive_int(n_splits, "n_splits", minimum=2)
    gamma = as_positive_float(shrinkage, "shrinkage", allow_zero=True)
    generator = as_generator(rng)
    members = {name: fit(ranks, scores) for name, fit in fits.items()}
    kept = np.empty(0) if how == "average" else _subset_sizes(ranks.n_classes, shares, splits)
    predicted = _trials(list(members.values()), ranks, scores, kept, generator)
    truth = float(accuracy_curve(ranks, ranks.n_classes).accuracy[0])
    weights = combination_weights(predicted - truth, how, gamma)
    return CombinedLaw(members, weights, _records(list(members), kept, predicted, ranks.n_classes, truth, weights))


def combination_weights(error: FloatArray, combine: str, shrinkage: float) -> FloatArray:
    """Weights of methods from their errors, shape (n_trials, n_methods); equal without trials."""
    n_trials, m = error.shape
    if n_trials == 0:
        return np.full(m, 1 / m)
    products = error.T @ error / n_trials
    if combine == "choose":
        best: FloatArray = np.eye(m)[int(np.argmin(np.diag(products)))]
        return best
    # (w - 1/m)^2 summed is w'w minus a constant, for weights that sum to 1
    return simplex_weights(products + shrinkage * np.trace(products) / m * np.eye(m))


def _subset_sizes(k1: int, ratios: tuple[float, ...], n_splits: int) -> NDArray[np.int64]:
    """Number of classes of every trial."""
    sizes = [int(k1 // ratio) for ratio in ratios]
    return np.repeat([size for size in sizes if size >= FEWEST_CLASSES], n_splits).astype(np.int64)


def _trials(
    laws: list[Law],
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    kept: NDArray[Any],
    rng: np.random.Generator,
) -> FloatArray:
    """Every law's predictions for all classes from random ones of them: shape (n_trials, n_laws)."""
    subsets = [np.sort(rng.permutation(ranks.n_classes)[: int(size)]) for size in kept]
    tasks = [(laws, ranks, scores, classes, own) for classes, own in zip(subsets, rng.spawn(len(subsets)), strict=True)]
    predicted = np.array(in_parallel(_predict_all, tasks, "class subsets"), dtype=np.float64)
    return predicted.reshape(kept.size, len(laws))


def _predict_all(
    laws: list[Law],
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    classes: NDArray[np.int64],
    rng: np.random.Generator,
) -> list[float]:
    few, block = ranks_of_classes(ranks, scores, classes, rng)
    at = np.array([float(ranks.n_classes)])
    return [float(confined_accuracy(law.refit(few, block, classes), at)[0]) for law in laws]


def _records(
    names: list[str], kept: NDArray[Any], predicted: FloatArray, k1: int, truth: float, weights: FloatArray
) -> tuple[ExtrapolationEvidence, ...]:
    return tuple(
        ExtrapolationEvidence(
            name,
            k1 / float(size),
            int(size),
            float((predicted[kept == size, column] - truth).mean()),
            float(np.sqrt(np.square(predicted[kept == size, column] - truth).mean())),
            float(weights[column]),
        )
        for size in np.unique(kept)[::-1]
        for column, name in enumerate(names)
    )


def simplex_weights(products: FloatArray) -> FloatArray:
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
