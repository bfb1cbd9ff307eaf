"""Classes in groups that do not grow at random: near and far rivals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex import plots
from classex._checks import as_finite_array, as_groups, as_positive_float, as_probability, one_of, shown
from classex._estimates import density, probit
from classex._result import Result
from classex._types import FloatArray, GroupGrowth, IntArray
from classex.curves.accuracy import SubsetMean, beyond_half, centred, without_small
from classex.curves.metrics import as_rank_metric
from classex.forecast.forecast import ACCURACY, Forecast, KnownCurve
from classex.forecast.posterior import CurvePrior, Posterior, mixture_of
from classex.methods.gaussian_process import from_curve, spread_of_losses
from classex.ranks.ranks import tie_outcomes, weights_of_labels
from classex.ranks.scores import scores_and_labels

__all__ = ["Growth", "NearFarComparisons", "near_far_comparisons", "predict_growth"]


@dataclass(frozen=True)
class Growth(Result):
    """Near and far rivals of a prediction, and the prediction against the share of near rivals among the new classes.

    Attributes
    ----------
    near_share : ndarray of shape (n,)
        Share of the new classes that belong to the point's own group; empty if one kind of rival was not observed.
    accuracy : ndarray of shape (n,)
        Predicted accuracy with that share.
    interval : ndarray of shape (n, 2)
        Ends of its intervals, which allow for new groups.
    n_near, n_far : ndarray of shape (m,)
        Numbers of classes of the point's own group (its own class included) and of other groups, averaged over points,
        for each prediction.
    worth : float
        Number of far rivals that a near one is worth.
    n_classes : int
        The largest number of classes K, to which the shares refer.
    random_share : float
        Share of near rivals if new classes come from the observed groups at random.
    confidence_level : float
        Nominal coverage of the intervals.
    departure : str or None
        The kind of curve that the data make likely, if it is not the usual one.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> growth = cx.extrapolate(
    ...     sample.scores, sample.labels, n_classes=500, groups=[0, 1] * 25
    ... ).growth
    >>> growth.n_near, growth.n_far, round(growth.random_share, 2)
    (array([250.]), array([250.]), 0.5)
    """

    near_share: FloatArray
    accuracy: FloatArray
    interval: FloatArray
    n_near: FloatArray
    n_far: FloatArray
    worth: float
    n_classes: int
    random_share: float
    confidence_level: float
    departure: str | None = None

    def _sentence(self) -> str:
        known = f"A near rival is worth {self.worth:.3g} far ones."
        if self.near_share.size:
            known += f" With {self.n_classes:,} classes the accuracy is {self.accuracy[0]:.3f} if all new ones are far"
            known += f" rivals, and {self.accuracy[-1]:.3f} if all are near;"
            known += f" at random, {100 * self.random_share:.0f} % are near."
        return known

    def share_at(self, accuracy: float) -> float:
        """Share of near rivals at which the prediction crosses an accuracy: where a decision changes.

        Parameters
        ----------
        accuracy : float
            The accuracy that is needed.

        Returns
        -------
        float
            The share; 1 if every share gives more, NaN if none gives as much or the shares are not known.

        Raises
        ------
        TypeError, ValueError
            If `accuracy` is not a probability.
        """
        needed = as_probability(accuracy, "accuracy")
        if self.near_share.size == 0 or needed > self.accuracy.max():
            return float("nan")
        # near rivals may be the weaker ones: the curve then rises
        order = np.argsort(self.accuracy)
        return float(np.interp(needed, self.accuracy[order], self.near_share[order]))

    def plot(self, ax: Any = None, **line: Any) -> Any:
        """Draw the prediction and its interval against the share of near rivals.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        AccuracyCurveDisplay
        """
        display = plots.AccuracyCurveDisplay(None, self.near_share, self.accuracy, self.interval, name="predicted")
        display.plot(ax, **line).ax_.set(xscale="linear", xlabel="share of near rivals among new classes")
        return display


class NearFarComparisons:
    """Comparisons of every test point with its near and its far rivals, for one curve after another.

    They take about five bytes for each score.

    Parameters
    ----------
    scores : ndarray of shape (n_test, n_classes)
        Score of every label for every test point, as `classex.correct_ranks` takes them.
    labels : ndarray of int64 of shape (n_test,)
        Column of the correct label of each test point.
    member : ndarray of int64 of shape (n_classes,)
        Group of each class: 0, 1, ....

    Attributes
    ----------
    member : ndarray of int64 of shape (n_classes,)
        Group of each class.
    size : ndarray of int64 of shape (n_groups,)
        Number of classes of each group.
    share : ndarray of shape (n_groups,)
        Share of each group in the average, over classes with test points.

    Notes
    -----
    Ties count in expectation over random tie-breaking: exactly up to 32 ties of a point, closely beyond. Source: thesis
    equation (2.4), for two kinds of wrong labels; the product is this package's.

    Examples
    --------
    Four classes in two pairs; within a pair every point takes the other class for its own, between pairs none does.

    >>> import numpy as np
    >>> from classex.fields.growth import NearFarComparisons
    >>> scores = np.array([[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> found = NearFarComparisons(scores, np.arange(4), np.array([0, 0, 1, 1]))
    >>> found.curve(np.array([[0, 0], [1, 1]]), np.array([[2, 2], [0, 0]]))[0]
    array([1., 0.])
    """

    def __init__(self, scores: NDArray[Any], labels: IntArray, member: IntArray) -> None:
        points = np.arange(labels.size)
        own, mine = scores[points, labels][:, np.newaxis], member[labels]
        self.member, self.size, self.labels = member, np.bincount(member), labels
        near = mine[:, np.newaxis] == member
        other = np.ones_like(near)
        other[points, labels] = False
        self._kinds = (near & other, ~near)
        self._below, self._tied = scores < own, (scores == own) & other
        weight = weights_of_labels(labels)
        self._weight = weight / weight.sum()
        self._n_units = np.unique(labels).size
        self.share = np.bincount(mine, weights=self._weight, minlength=self.size.size).astype(np.float64)
        wins, self._ties = (
            np.stack([(mask & kind).sum(axis=1) for kind in self._kinds], axis=1) for mask in (self._below, self._tied)
        )
        broken = [tie_outcomes(*pair) for pair in self._ties.tolist()]
        number = np.array([len(outcomes) for outcomes in broken])
        self._point, self._start = np.repeat(points, number), np.cumsum(number) - number
        outcomes = np.concatenate(broken)
        self._extra, self._chance = outcomes[:, :2].astype(np.int64), outcomes[:, 2]
        self._wins = wins[self._point] + self._extra

    def curve(self, near: IntArray, far: IntArray) -> tuple[FloatArray, FloatArray]:
        """Average accuracies with these numbers of rivals, and the influence of each class on them.

        Parameters
        ----------
        near, far : ndarray of int64 of shape (n, n_groups)
            Numbers of near and of far rivals, for points of each group; at most those observed.

        Returns
        -------
        accuracy : ndarray of shape (n,)
            Averages, every class with the same weight.
        influence : ndarray of shape (n_classes, n)
            What each class adds to the deviation of the accuracies, as the truth of its own points and as a rival of
            others. It is the infinitesimal jackknife: a group of two classes has no near rival left without one. The
            Gram matrix is the covariance over classes; with the influences of a group's classes summed first, it is
            that over groups (`group_errors`). Beyond half of the rivals it is continued as in `classex.accuracy_curve`.
        """
        half_near, half_far = self.size // 2, (self.member.size - self.size + 1) // 2
        value, own, whole = self._deviations(near, far)
        half, alone, together = self._deviations(np.minimum(near, half_near), np.minimum(far, half_far))
        beyond = ((near > half_near) | (far > half_far)).any(axis=1)
        ends = {"room": (value * (1 - value), half * (1 - half)), "scale": (value, half)}
        return value, np.where(beyond, beyond_half(own, alone, together, **ends), whole)

    def group_errors(self, influence: FloatArray) -> FloatArray:
        """Standard errors over groups, from the influences of classes; at least two groups."""
        total = np.stack([influence[self.member == group].sum(axis=0) for group in range(self.size.size)])
        # a sum over groups has their number of degrees of freedom in place of that of classes
        freedom = (1 - 1 / self._n_units) / (1 - 1 / len(total))
        return np.asarray(np.linalg.norm(total, axis=0) * np.sqrt(freedom))

    def _deviations(self, near: IntArray, far: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Accuracies, and the deviations of classes through their own points alone, and as rivals as well."""
        mine = self.member[self.labels]
        weighed = self._success(near, far) * (self._chance * self._weight[self._point])[:, np.newaxis]
        by_point = np.add.reduceat(weighed, self._start)
        own, rival = np.zeros((2, self.member.size, near.shape[0]))
        np.add.at(own, self.labels, by_point)
        pools = (self.size - 1, self.member.size - self.size)
        for kind, (number, pool, among) in enumerate(zip((near, far), pools, self._kinds, strict=True)):
            # a rival with more weight is drawn more often: right if it is beaten, wrong if not
            times = np.divide(1.0, self._wins[:, kind], out=np.zeros(self._point.size), where=self._wins[:, kind] > 0)
            effect = weighed * number.T[mine[self._point]] * times[:, np.newaxis]
            part = self._extra[:, kind] / np.maximum(self._ties[self._point, kind], 1)
            rival += (self._below & among).T @ np.add.reduceat(effect, self._start)
            rival += (self._tied & among).T @ np.add.reduceat(effect * part[:, np.newaxis], self._start)
            rival -= among.T @ (by_point * (number / np.maximum(pool, 1)).T[mine])
        tested = np.bincount(self.labels, weights=self._weight, minlength=self.member.size)
        value = np.clip(by_point.sum(axis=0), 0.0, 1.0)
        deviations = (without_small(centred(own, tested, part, self._n_units), value) for part in (0.0, rival))
        return value, *deviations

    def _success(self, near: IntArray, far: IntArray) -> FloatArray:
        """Chance of each outcome of a point to be right among these numbers of rivals."""
        mean, mine = SubsetMean(as_rank_metric("accuracy", 1)), self.member[self.labels[self._point]]
        out = np.empty((mine.size, near.shape[0]))
        for group, size in enumerate(self.size.tolist()):
            rows = np.flatnonzero(mine == group)
            wins_near, wins_far = self._wins[rows].T
            out[rows] = mean.untied(wins_near, size, near[:, group] + 1)
            out[rows] *= mean.untied(wins_far, self.member.size - size + 1, far[:, group] + 1)
        return out


# Numbers of near and far rivals by group, (n, n_groups), share of each group, and whether new groups come
Path = tuple[FloatArray, FloatArray, FloatArray, bool]
# Numbers of near, and of far, rivals at which the accuracy is read: none, and six evenly in the logarithm
_LEVELS = np.linspace(0, 1, 6)[:, np.newaxis]
# Far rivals that a near one may be worth: medians by domain of benchmarks/growth lie between 1.3 and 30
_WORTH = np.geomspace(0.5, 200, 27)
# Standard deviation of probits around any curve in one effective number: see benchmarks/growth
_MISFIT = 0.03
# Standard deviation of the groups' accuracies on the probit scale, and the number of observed groups that this prior
# value counts for: best in four of the first five domains of benchmarks/growth, each left out in turn
_BETWEEN, _PRIOR_GROUPS = 0.25, 8.0
# Shares of near rivals at which predictions are made: every twentieth
_SHARES = np.linspace(0, 1, 21)


def near_far_comparisons(
    scores: Any, labels: Any, classes: ArrayLike | None, groups: ArrayLike
) -> tuple[NearFarComparisons, NDArray[Any]]:
    """Return the comparisons with near and with far rivals, and the names of the groups.

    Parameters
    ----------
    scores, labels, classes, groups
        As in `classex.extrapolate`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Examples
    --------
    >>> import classex as cx
    >>> found, names = cx.growth.near_far_comparisons(
    ...     [[3, 2, 1], [1, 2, 0], [0, 1, 2]],
    ...     [0, 1, 2],
    ...     None,
    ...     ["cat", "cat", "dog"],
    ... )
    >>> found.size, names
    (array([2, 1]), array(['cat', 'dog'], dtype='<U3'))
    """
    matrix, truth = scores_and_labels(scores, labels, classes, every_class=False)
    names, member = as_groups(groups, "groups", matrix.shape[1])
    return NearFarComparisons(matrix, truth, member), names


def predict_growth(
    comparisons: NearFarComparisons,
    names: NDArray[Any],
    growth: GroupGrowth | None,
    fitted: Forecast,
    sizes: FloatArray,
    level: float,
    *,
    intervals: bool,
) -> dict[str, Any]:
    """Return what an `ExtrapolationResult` says of classes that grow in groups.

    Parameters
    ----------
    comparisons : NearFarComparisons
        What the observed classes show.
    names : ndarray of shape (n_groups,)
        Names of the groups.
    growth : str, mapping, array_like or None
        As in `classex.extrapolate`.
    fitted : Forecast
        The default, fitted as if classes came at random: its prior, and the observed curve.
    sizes : ndarray of shape (n,)
        Numbers of classes.
    level : float
        Level of the intervals.
    intervals : bool
        Whether they are wanted, or predictions alone.

    Raises
    ------
    ValueError
        If `growth` is not as described, or rivals come of a kind that was not observed.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> data = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> near_far = cx.growth.near_far_comparisons(
    ...     data.scores, data.labels, None, [0, 1] * 25
    ... )
    >>> fitted = cx.Extrapolator().fit(data.scores, data.labels).fitted_
    >>> cx.growth.predict_growth(
    ...     *near_far, None, fitted, np.array([500.0]), 0.95, intervals=False
    ... )["accuracy"].round(1)
    array([0.7])
    """
    fit = GrowthFit(comparisons, names, getattr(fitted.method, "prior", None))
    path = fit.path("same groups" if growth is None else growth, sizes)
    found = fit.posterior(path)
    value, ends = fit.read(found, path, fitted.known, level)
    error = fit.beyond(found, path).spread(fit.last_error) * density(probit(value))
    growth_found = replace(fit.described(path, sizes.max(), fitted.known, level), departure=found.departure)
    answer = {"accuracy": value, "growth": growth_found, "interval": None, "standard_error": None}
    return answer | {"interval": ends, "standard_error": error} if intervals else answer


class GrowthFit:
    """The process fitted to the accuracies with up to all observed near and far rivals.

    Parameters
    ----------
    comparisons : NearFarComparisons
        The comparisons of the observed classes.
    names : ndarray of shape (n_groups,)
        Names of the groups.
    prior : CurvePrior or None
        Prior of the curves.
    """

    def __init__(self, comparisons: NearFarComparisons, names: NDArray[Any], prior: CurvePrior | None) -> None:
        self.names, self.size, self.share = names, comparisons.size.astype(np.float64), comparisons.share
        k1, n_groups = comparisons.member.size, comparisons.size.size
        steps = []
        for pool in (comparisons.size - 1, k1 - comparisons.size):
            some = np.minimum(np.rint(np.maximum(pool, 1.0) ** _LEVELS).astype(np.int64), pool)
            steps.append(np.unique(np.vstack([0 * pool, some]), axis=0))
        pairs = [(a, b) for a in steps[0] for b in steps[1] if (a + b > 0).all()]
        near, far = np.array(sorted(pairs, key=lambda pair: (pair[0] + pair[1]) @ comparisons.share)).transpose(1, 0, 2)
        value, influence = comparisons.curve(near, far)
        effective = _effective(near, far, comparisons.share, 1.0)
        spread = influence.T @ influence + spread_of_losses(effective, value[-1], comparisons.labels.size)
        self.known = float(value[-1])
        self.seen: Path = (self.size[np.newaxis] - 1, k1 - self.size[np.newaxis], comparisons.share, False)
        plain = from_curve(effective, value, spread, np.unique(comparisons.labels).size, prior)
        plain = replace(plain, noise=plain.noise + _MISFIT**2 * np.eye(value.size))
        self._fits = [replace(plain, sizes=_effective(near, far, comparisons.share, worth)) for worth in _WORTH]
        slope = float(density(plain.last))
        self.last, self.last_error = plain.last, float(np.linalg.norm(influence[:, -1])) / slope
        self._chance = special.softmax([fit.posterior(fit.sizes[-1:]).log_evidence for fit in self._fits])
        # the variance over groups of the last probit, that with all rivals
        seen = 0.0 if n_groups == 1 else comparisons.group_errors(influence[:, -1:])[0] / slope
        self._between = np.average([seen**2, _BETWEEN**2 / n_groups], weights=[n_groups - 1, _PRIOR_GROUPS])

    def path(self, growth: GroupGrowth, sizes: FloatArray) -> Path:
        """Return the rivals among each of these numbers of classes, shape (n,)."""
        total, share, new = sizes[:, np.newaxis], self.share, True
        named = {"same groups": total * self.size / self.size.sum(), "more groups": np.tile(self.size, (sizes.size, 1))}
        if isinstance(growth, str):
            near, new = named[one_of(growth, "growth", tuple(named))], growth == "more groups"
        elif isinstance(growth, Mapping):
            names = self.names.tolist()
            if set(growth) != set(names) or sum(growth.values()) > 1 + 1e-9:
                raise ValueError(f"growth must give shares, of sum 1 at most, for {shown(names)}, not {shown(growth)}")
            share = np.array([as_positive_float(growth[name], "growth") for name in names])
            near, new, share = total * share, bool(share.sum() < 1 - 1e-9), share / share.sum()
        else:
            near, far = np.hsplit(as_finite_array(growth, "growth", ndim=2), [1])
            if far.shape != total.shape or (near + far != total).any() or (near < 1).any():
                raise ValueError("growth must have a row (k_near >= 1, k_far) for each of n_classes, which is its sum")
            near = np.repeat(near, self.size.size, axis=1)
        near = np.clip(near, 1.0, total)
        self._check(near - 1, total - near)
        return near - 1, total - near, share, new

    def _check(self, near: FloatArray, far: FloatArray) -> None:
        """Refuse rivals of a kind that was not observed, and say what is known."""
        if (self.size == 1).all() and (near > 0).any():
            raise ValueError("groups must hold two classes of one group where near rivals come: none holds two")
        if self.size.size == 1 and (far > 0).any():
            last = int(np.argmax(near + far))
            some = np.stack([near[last] + far[last], near[last]])
            far_only = (some, 0 * some, self.share, True)
            found = self.beyond(self.posterior(far_only), far_only)
            (low, _), (_, high) = special.ndtr(found.quantiles([0.025, 0.975], self.last_error, self.last_error))
            raise ValueError(
                "groups must hold two groups where far rivals come: one says nothing about them. If far rivals are no"
                f" harder than near ones, the accuracy with {some[0, 0] + 1:,.0f} lies between {low:.2f} and {high:.2f}"
            )

    def worth(self) -> float:
        """Far rivals that a near one is worth."""
        return float(np.exp(self._chance @ np.log(_WORTH)))

    def ratio(self, path: Path) -> FloatArray:
        """Effective number of classes on a path over that of the observed classes."""
        near, far, share, _ = path
        return _effective(near, far, share, self.worth()) / _effective(*self.seen[:3], self.worth())

    def posterior(self, path: Path) -> Posterior:
        """Return the posterior on a path among groups like the observed ones."""
        near, far, share, _ = path
        parts = [fit.posterior(_effective(near, far, share, s)) for s, fit in zip(_WORTH, self._fits, strict=True)]
        return mixture_of(parts, self._chance)

    def beyond(self, found: Posterior, path: Path, widened: float = 1.0) -> Posterior:
        """Return the posterior where new groups, if any come, differ from the observed ones."""
        return mixture_of([found], np.ones(1), self._between * path[3] * widened**2)

    def read(self, found: Posterior, path: Path, known: KnownCurve, level: float) -> tuple[FloatArray, FloatArray]:
        """Accuracies, which start from the observed one, and the ends of their intervals, (n, 2)."""
        k1, normal = np.array([float(known.n_observed)]), float(special.ndtri(0.5 + level / 2))
        low, high = known.read(k1, ACCURACY, level)[2][0]
        below = float(self.last - probit(low)) / normal
        above = float(probit(high) - self.last) / normal if high < 1 else np.inf
        value = special.ndtr(found.quantiles([0.5])[:, 0])
        levels = [0.5 - level / 2, 0.5 + level / 2]
        # the variance between groups is that of a few: Student's quantile in place of the normal one
        student = float(special.stdtrit(max(self.size.size - 1, 1), 0.5 + level / 2))
        later = self.beyond(found, path, student / normal)
        ends = special.ndtr(later.quantiles(levels, max(below, 0.0), max(above, 0.0)))
        far = self.ratio(path) > 1 - 1e-9
        value[far] = np.minimum(value[far], self.known)
        if not path[3]:  # new groups may differ from those of the observed curve
            ends[far] = np.minimum(ends[far], [low, high])
        return value, np.stack([np.minimum(ends[:, 0], value), np.maximum(ends[:, 1], value)], axis=1)

    def described(self, path: Path, n_classes: float, known: KnownCurve, level: float) -> Growth:
        """Return the rivals on a path, and the predictions for all shares of near rivals among the new classes."""
        k1 = float(self.size.sum())
        new, share = max(n_classes - k1, 0.0), _SHARES[:, np.newaxis]
        if self.size.size == 1 or (self.size == 1).all():  # only one kind of rival was observed
            share = share[:0]
        other = (self.size - 1 + share * new, k1 - self.size + (1 - share) * new, self.share, True)
        value, ends = self.read(self.posterior(other), other, known, level)
        worth, at_random = self.worth(), float(self.share @ self.size / k1)
        near, far = path[0] @ path[2] + 1, path[1] @ path[2]
        return Growth(share[:, 0], value, ends, near, far, worth, int(n_classes), at_random, level)


def _effective(near: FloatArray, far: FloatArray, share: FloatArray, worth: float) -> FloatArray:
    """Effective number of classes, 2 or more: the geometric mean over groups."""
    return np.asarray(np.exp(np.log(np.maximum(1 + far + worth * near, 2.0)) @ share))
