"""The rank of the correct label of every test point: numbers, ties, weights, clusters and units.

That is the expectation over random orders of equal scores: of t ties it beats u, and each u = 0, ..., t is as likely.
Three ways to average over it: over u (`tie_nodes`), over u among ties of two kinds (`tie_outcomes`), and over the
chance itself (`tie_quadrature`). `classex.curves.accuracy` has the sums over u of averages over subsets in closed form.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._checks import as_clusters, as_groups, as_plain_array, as_positive_int, as_units
from classex._result import Result
from classex._types import FloatArray, IntArray
from classex.io.archives import read_arrays
from classex.io.tables import atomic_write

__all__ = [
    "LISTED_TIES",
    "MOST_TIE_NODES",
    "N_GROUPS",
    "CorrectRanks",
    "DistractorTable",
    "as_ranks",
    "bins_of_wins",
    "in_clusters",
    "in_units",
    "point_shares",
    "point_weights",
    "tie_nodes",
    "tie_outcomes",
    "tie_quadrature",
    "warn_if_distances",
    "warn_if_inverted",
]


#: classes beyond this many share groups; prime, so that no pattern in the order of the classes aligns with it
N_GROUPS = 509
_EXACT_LOSSES = 128
_MOST_CLASSES = 10**15
_FILE_FORMAT = 1


def bins_of_wins(n_classes: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Bin of every number of wins 0..n_classes-1, and the number of wins that stands for each bin.

    All values are kept up to 509 classes. Beyond, losses below 128 are kept and larger ones fall into bins
    that widen geometrically: subset accuracies vary with the logarithm of the losses.
    """
    if n_classes > N_GROUPS:
        ratio = (n_classes / _EXACT_LOSSES) ** (np.arange(_EXACT_LOSSES) / _EXACT_LOSSES)
        start = np.union1d(np.arange(_EXACT_LOSSES), np.ceil(_EXACT_LOSSES * ratio).astype(np.int64))
        start = start[start < n_classes]
    else:
        start = np.arange(n_classes)
    # bins are numbered by wins, from the most losses down
    length = np.diff(start, append=n_classes)[::-1]
    middle = np.rint(start[::-1] + (length - 1) / 2).astype(np.int64)
    return np.repeat(np.arange(start.size, dtype=np.int16), length), n_classes - 1 - middle


@dataclass(frozen=True, eq=False)
class DistractorTable:
    """What each class did as a distractor, compressed for the standard errors of accuracy curves.

    Attributes
    ----------
    beaten : ndarray of shape (n_bins, n_groups)
        Summed weight of the test points that beat a class of the group, binned by the points' wins. The
        points of one class share a total weight of 1; a tie counts in expectation over random tie-breaking.
    wins : ndarray of shape (n_bins,)
        Number of wins that stands for each bin. Bins are single values of wins up to 509 classes; beyond,
        they widen geometrically away from the best rank.
    group : ndarray of shape (n_classes,)
        Group of each class. Every class is a group of its own up to 509 classes; beyond, every 509th class
        shares a group. Where classes come in clusters, the clusters are the groups.
    met : ndarray of shape (n_bins, n_groups) or None
        Where comparisons were left out, the summed weight of the points that met a class of the group; None where every
        point met all the other classes.
    n_wrong : ndarray of shape (n_bins,) or None
        Where comparisons were left out, the number of wrong labels that the points of each bin met. A bin is then one
        pair of `n_wrong` and `wins`, in ascending order.

    Examples
    --------
    Of the two points of other classes, the second ties with class 0, which so is beaten by one and a half:

    >>> import classex as cx
    >>> table = cx.correct_ranks(
    ...     [[0.3, 0.1, 0.2], [0.2, 0.2, 0.1], [0.0, 0.1, 0.5]], [0, 1, 2]
    ... ).distractors
    >>> table.beaten.sum(axis=0)
    array([1.5, 2. , 2. ])
    """

    beaten: NDArray[np.float64]
    wins: NDArray[np.int64]
    group: NDArray[np.integer[Any]]
    met: NDArray[np.float64] | None = None
    n_wrong: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        """Check that the table has the bins and groups of its number of classes; make it read-only."""
        group = _whole_numbers(self.group, "group of distractors")
        if group.size < 2:
            raise ValueError("distractors must have a group for each of two classes or more")
        if (self.met is None) != (self.n_wrong is None):
            raise ValueError("distractors must hold both met and n_wrong, or neither")
        checked = {"group": group, "wins": _whole_numbers(self.wins, "wins of distractors")}
        if self.n_wrong is not None:
            checked["n_wrong"] = _whole_numbers(self.n_wrong, "n_wrong of distractors")
        elif not np.array_equal(checked["wins"], bins_of_wins(group.size)[1]):
            raise ValueError("distractors must have the bins of bins_of_wins(n_classes)")
        for name in ("beaten",) if self.met is None else ("beaten", "met"):
            weights, shape = np.array(getattr(self, name)), (checked["wins"].size, int(group.max()) + 1)
            if weights.shape != shape or weights.dtype.kind != "f":
                raise ValueError(
                    f"distractors must hold an array {name} of numbers of shape {shape}, not {weights.shape}"
                )
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise ValueError(f"distractors must hold finite weights of at least 0 in {name}")
            weights.flags.writeable = False
            checked[name] = weights
        vars(self).update(checked)

    @property
    def n_met(self) -> NDArray[np.int64]:
        """Number of wrong labels that the points of each bin met."""
        return np.full_like(self.wins, self.group.size - 1) if self.n_wrong is None else self.n_wrong

    def bins(self, wins: NDArray[np.int64], n_wrong: NDArray[np.int64] | None) -> NDArray[np.integer[Any]]:
        """Bin of each number of wins, among numbers of wrong labels where comparisons were left out."""
        if self.n_wrong is None or n_wrong is None:
            return bins_of_wins(self.group.size)[0][wins]
        return np.searchsorted(self.n_wrong * self.group.size + self.wins, n_wrong * self.group.size + wins)


@dataclass(frozen=True, eq=False, repr=False)
class CorrectRanks(Result):
    """Rank of the correct label among all labels, for every test point.

    Made by `correct_ranks`, `correct_ranks_from_embeddings` and, from ranks that are known already,
    `ranks_from_wins`. Whatever makes it, the numbers are checked, copied and read-only.

    Attributes
    ----------
    wins : ndarray of int64 of shape (n_points,)
        Number of wrong labels whose score lies strictly below that of the correct label.
    ties : ndarray of int64 of shape (n_points,)
        Number of wrong labels whose score equals that of the correct label.
    labels : ndarray of int64 of shape (n_points,)
        Correct label of each test point, in ``0..n_classes-1``. Classes without test points compete as wrong
        labels only.
    n_classes : int
        Number of labels that competed, the correct one included.
    distractors : DistractorTable or None
        What the classes did as distractors; without it, standard errors cover the classes' own points only.
    n_wrong : ndarray of int64 of shape (n_points,) or None
        Number of wrong labels that each point was compared with, where these are a sample drawn for that point, or
        comparisons were left out; None where every point met all the others, ``n_classes - 1``.
    class_balanced : bool
        True where the points of a class share the weight of one class, false where every point weighs the same.
    clusters : ndarray of int64 of shape (n_classes,) or None
        Cluster of each class, numbered from 0 (see `classex.ranks.in_clusters`); None where classes are independent.
    left_out : bool
        True where `n_wrong` was fixed before any score was seen, because comparisons were left out (see
        `correct_ranks`). Averages over subsets of each point's own wrong labels are then unbiased, although points met
        unequal numbers of them.
    point_units : ndarray of int64 of shape (n_points,) or None
        Unit of each test point, such as its subject, numbered from 0 (see `classex.ranks.in_units`); None where test
        points of a class are independent.

    Raises
    ------
    ValueError
        If the arrays differ in length or are empty, or a number is out of its range.
    TypeError
        If an array does not hold whole numbers.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[2, 3, 1], [0, 3, 2], [0, 4, 4]], [0, 1, 2])
    >>> ranks.wins, ranks.ties, ranks.n_classes
    (array([1, 2, 1]), array([0, 0, 1]), 3)
    """

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    labels: NDArray[np.int64]
    n_classes: int
    distractors: DistractorTable | None = field(default=None, repr=False)
    n_wrong: NDArray[np.int64] | None = None
    class_balanced: bool = True
    clusters: NDArray[np.int64] | None = None
    left_out: bool = False
    point_units: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        """Check every number; keep read-only copies."""
        k = as_positive_int(self.n_classes, "n_classes", minimum=2, maximum=_MOST_CLASSES)
        wins = _whole_numbers(self.wins, "wins", -_MOST_CLASSES)
        if wins.size == 0:
            raise ValueError("wins must hold at least one test point, but is empty")
        most: Any = k - 1
        checked = {"n_classes": k, "labels": _whole_numbers(self.labels, "labels", 0, most, wins.size)}
        if self.n_wrong is not None:
            limit = most if self.left_out else np.inf
            checked["n_wrong"] = most = _whole_numbers(self.n_wrong, "n_wrong", 1, limit, wins.size)
        elif self.left_out:
            raise ValueError("left_out goes with n_wrong, the number of wrong labels that were left for each point")
        checked["wins"] = _whole_numbers(wins, "wins", 0, most)
        checked["ties"] = _whole_numbers(self.ties, "ties", 0, most - wins, wins.size)
        if self.clusters is not None:
            checked["clusters"] = _whole_numbers(as_groups(self.clusters, "clusters", k)[1], "clusters")
        if self.point_units is not None:
            units = as_units(self.point_units, wins.size, "point_units")
            checked["point_units"] = _whole_numbers(units, "point_units")
        vars(self).update(checked)
        if (table := self.distractors) is None:
            return
        if not isinstance(table, DistractorTable) or table.group.size != k:
            raise ValueError(f"distractors must be a DistractorTable of {k} classes, or None")
        in_turn = np.arange(k) % table.beaten.shape[1]
        if not np.array_equal(table.group, in_turn if self.clusters is None else self.clusters):
            raise ValueError("distractors must have the clusters as groups, or without clusters classes in turn")
        if self.n_wrong is not None and not (self.left_out and table.n_wrong is not None):
            raise ValueError("distractors must be None where wrong labels were sampled")

    @property
    def n_points(self) -> int:
        """Number of test points."""
        return int(self.wins.size)

    @property
    def n_tested(self) -> int:
        """Number of classes that have test points."""
        return int(np.count_nonzero(np.bincount(self.labels)))

    @property
    def units(self) -> NDArray[np.int64]:
        """Independent unit that each test point belongs to: its class, or the cluster of its class."""
        return self.labels if self.clusters is None else self.clusters[self.labels]

    @property
    def n_units(self) -> int:
        """Number of classes, or of clusters of classes, that have test points."""
        unit = self.labels if self.clusters is None else self.clusters[self.labels]
        return int(np.count_nonzero(np.bincount(unit)))

    @property
    def largest_subset(self) -> int:
        """Largest number of classes k for which every point met k - 1 wrong labels."""
        return self.n_classes if self.n_wrong is None else min(int(self.n_wrong.min()) + 1, self.n_classes)

    @property
    def losses(self) -> NDArray[np.int64]:
        """Number of wrong labels that scored above the correct one, for each point."""
        met = self.n_classes - 1 if self.n_wrong is None else self.n_wrong
        return np.asarray(met - self.wins - self.ties)

    @property
    def evenly_sampled(self) -> bool:
        """Whether every point met the same number of wrong labels, or one that was fixed before any score was seen.

        Where numbers differ they may have been chosen after a look at the wins, and then averages over subsets of each
        point's own sample are biased; likelihoods are not.
        """
        return self.n_wrong is None or self.left_out or bool((self.n_wrong == self.n_wrong[0]).all())

    _says: ClassVar[str] = "{n_points} test points of {n_tested} classes, ranked among {n_classes} classes:"

    def __repr__(self) -> str:
        """Say how much there is, not the numbers themselves."""
        parts = [f"n_points={self.n_points}", f"n_classes={self.n_classes}"]
        if self.class_balanced and self.n_tested < self.n_classes:
            parts.append(f"n_tested={self.n_tested}")
        if self.n_wrong is not None:
            few, many = int(self.n_wrong.min()), int(self.n_wrong.max())
            parts.append(f"n_wrong={few}" if few == many else f"n_wrong={few}..{many}")
        if (tied := int(np.count_nonzero(self.ties))) > 0:
            parts.append(f"n_tied={tied}")
        if self.distractors is None:
            parts.append("distractors=None")
        return f"CorrectRanks({', '.join(parts)})"

    def save(self, path: str | Path) -> None:
        """Write the ranks to a ``.npz`` file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            The file; one that exists is replaced. The ending ``.npz`` is customary, and not added.

        Raises
        ------
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import classex as cx
        >>> ranks = cx.correct_ranks([[2, 1, 0], [0, 1, 2], [0, 1, 2]], [0, 1, 2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ranks.save(pathlib.Path(folder) / "ranks.npz")
        ...     cx.CorrectRanks.load(pathlib.Path(folder) / "ranks.npz")
        CorrectRanks(n_points=3, n_classes=3)
        """
        arrays: dict[str, Any] = {name: getattr(self, name) for name in ("wins", "ties", "labels", "n_classes")}
        arrays |= {"class_balanced": self.class_balanced, "left_out": self.left_out, "format": _FILE_FORMAT}
        given = {name: getattr(self, name) for name in ("n_wrong", "clusters", "point_units")}
        arrays |= {name: array for name, array in given.items() if array is not None}
        if self.distractors is not None:
            table = self.distractors
            arrays |= {"beaten": table.beaten}
            if table.n_wrong is not None:
                arrays |= {"met": table.met, "bins": np.stack([table.wins, table.n_wrong])}
        with atomic_write(Path(path)) as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read ranks that `save` has written. Nothing is unpickled, and everything is checked again.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        CorrectRanks
            The ranks.

        Raises
        ------
        ValueError
            If the file holds no ranks, is damaged, or holds numbers out of their range.
        OSError
            If the file cannot be opened.
        """
        file = Path(path)
        names = ("wins", "ties", "labels", "n_classes", "class_balanced", "format")
        more = ("n_wrong", "beaten", "clusters", "left_out", "met", "bins", "point_units")
        arrays = read_arrays(file, *names, optional=more)
        try:
            n_classes, balanced, form = (arrays[name].item() for name in names[3:])
            if form != _FILE_FORMAT:
                raise ValueError(f"format must be {_FILE_FORMAT}, not {form}")
            table, clusters = None, arrays.get("clusters")
            if "beaten" in arrays:
                k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=2**31)
                groups = np.arange(k) % N_GROUPS if clusters is None else clusters
                bin_wins, bin_n_wrong = arrays.get("bins", (bins_of_wins(k)[1], None))
                table = DistractorTable(arrays["beaten"], bin_wins, groups, arrays.get("met"), bin_n_wrong)
            wins, ties, labels = (arrays[name] for name in names[:3])
            left_out = bool(arrays.get("left_out", False))
            n_wrong, units = arrays.get("n_wrong"), arrays.get("point_units")
            return cls(wins, ties, labels, n_classes, table, n_wrong, bool(balanced), clusters, left_out, units)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{file} does not hold ranks that CorrectRanks.save wrote: {error}") from None


def _whole_numbers(
    value: Any, name: str, low: int = 0, high: Any = np.inf, size: int | None = None
) -> NDArray[np.int64]:
    """Return a read-only int64 array with one axis; a copy, if another name could change it.

    Its numbers go from `low` to `high`, which is one number or one for each entry.
    """
    array = as_plain_array(value, name)
    if array.dtype.kind not in "uif":
        raise TypeError(f"{name} must hold whole numbers, not values of dtype {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{name} must have 1 axis, but its shape is {array.shape}")
    if size not in (None, array.size):
        raise ValueError(f"{name} must have as many entries as wins, {size}, not {array.size}")
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64, order="C", copy=array.flags.writeable or array.base is not None)
    for wrong, what in ((whole != array, "hold whole numbers"), ((whole < low) | (whole > high), "")):
        if wrong.any():
            at = int(wrong.argmax())
            limit = np.broadcast_to(high, array.shape)[at]
            what = what or (f"be of at least {low}" if limit == np.inf else f"be in {low}..{limit}")
            raise ValueError(f"{name} must {what}, but position {at} is {array[at]}")
    whole.flags.writeable = False
    return whole


# Warn of distances if the win rate is below .35 and 5 standard errors below chance, too many for an accident; warn of
# decisions between pairs of classes if it is below .65 and there are as many columns as pairs.
_LOWEST_SHARE = 0.35
# Chance of so few correct points by guessing below which an accuracy is called lower than by chance
_UNLIKELY = 0.01
_LOW_SHARE = 0.65
_STANDARD_ERRORS = 5.0


def as_ranks(
    ranks: Any,
    name: str = "ranks",
    *,
    min_classes: int = 2,
    distractors: bool = False,
    sampled: bool = False,
    evenly: bool = False,
    every_class: bool = False,
) -> CorrectRanks:
    """Return the ranks, checked for what a function needs.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks to check.
    name : str
        Name of the argument, for the message.
    min_classes : int
        Fewest classes that are accepted.
    distractors : bool
        Whether the distractor table is needed.
    sampled : bool
        Whether sampled wrong labels are accepted (`CorrectRanks.n_wrong`).
    evenly : bool
        Whether these samples must have one size.
    every_class : bool
        Whether every class must have a test point.

    Raises
    ------
    TypeError
        If `ranks` is not a `CorrectRanks`.
    ValueError
        If the ranks do not meet a requirement.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.as_ranks(cx.ranks_from_wins([2, 3, 1], 4), min_classes=3)
    CorrectRanks(n_points=3, n_classes=4, n_tested=3, distractors=None)
    >>> try:
    ...     cx.ranks.as_ranks(
    ...         cx.ranks_from_wins([2, 3, 1], 4), "mine", min_classes=5
    ...     )
    ... except ValueError as error:
    ...     print(error)
    mine must have at least 5 classes, not 4
    """
    if not isinstance(ranks, CorrectRanks):
        raise TypeError(
            f"{name} must be a CorrectRanks, not {type(ranks).__name__}: call correct_ranks(scores, labels) first,"
            " or ranks_from_wins where the ranks are known already"
        )
    if ranks.n_classes < min_classes:
        raise ValueError(f"{name} must have at least {min_classes} classes, not {ranks.n_classes}")
    if distractors and ranks.distractors is None:
        raise ValueError(f"{name} must carry a distractor table, as correct_ranks gives it, for the standard errors")
    if ranks.n_wrong is not None and not sampled:
        raise ValueError(f"{name} must compare every point with all the wrong labels, not with samples (n_wrong)")
    if evenly and not ranks.evenly_sampled:
        raise ValueError(
            f"{name} must have one number of sampled wrong labels (n_wrong) for all points, not several, where a curve"
            " is averaged; the methods 'probit-normal', 'empirical-bayes' and 'beta-binomial' accept these"
        )
    if every_class and ranks.n_tested < ranks.n_classes:
        raise ValueError(
            f"{name} must have a test point of every class, but only {ranks.n_tested} of {ranks.n_classes} have one"
        )
    return ranks


def warn_if_distances(share: float, n_points: float, what: str, others: str, stacklevel: int) -> bool:
    """Warn if so many points beat so small a share of the others, on average, that scores must be distances."""
    # by chance every share between 0 and 1 is as likely, with a standard deviation of 1/sqrt(12) or less
    below = share < _LOWEST_SHARE and (0.5 - share) * np.sqrt(12.0 * n_points) > _STANDARD_ERRORS
    if below:
        why = f"{what} only {100 * share:.0f} % of the {others}, fewer than by chance: are the scores distances?"
        warnings.warn(f"{why} Higher must be better (give -distances)", UserWarning, stacklevel=stacklevel)
    return bool(below)


def warn_if_inverted(ranks: CorrectRanks, *, stacklevel: int = 3) -> CorrectRanks:
    """Return the ranks; warn if the scores look like distances, or like decisions between pairs of classes."""
    k = ranks.n_tested
    met = np.asarray(ranks.n_classes - 1 if ranks.n_wrong is None else ranks.n_wrong)
    share = float(np.mean((ranks.wins + 0.5 * ranks.ties) / met))
    right, chance = int(np.count_nonzero(ranks.wins + ranks.ties >= met)), float(np.mean(1 / (met + 1)))
    if warn_if_distances(share, ranks.n_points, "the correct label beats", "wrong labels", stacklevel + 1):
        return ranks
    if share < _LOW_SHARE and k > 3 and ranks.n_classes == k * (k - 1) // 2 and int(ranks.labels.max()) == k - 1:
        warnings.warn(
            f"there are {ranks.n_classes} columns of scores for labels in 0..{k - 1}, one for each pair of"
            " classes, and they hardly tell the classes apart: are they one-against-one decisions? These do not score"
            " classes; use decision_function_shape='ovr' or probabilities",
            UserWarning,
            stacklevel=stacklevel,
        )
    elif special.bdtr(right, ranks.n_points, chance) < _UNLIKELY:
        warnings.warn(
            f"the accuracy with {ranks.n_classes} classes is {right / ranks.n_points:.3g}, less than the"
            f" {chance:.3g} of guessing: is a column of scores no class, or are labels mixed up?",
            UserWarning,
            stacklevel=stacklevel,
        )
    return ranks


#: up to this many ties every outcome is listed; beyond, this many of the outcomes, finest near the top
LISTED_TIES = 32
#: a point with t ties has wins + u, u = 0..t, equally likely; more values than this are thinned to this number
MOST_TIE_NODES = 33
# Nodes of the quadrature over the chance: exact up to 63 ties of a point
_MOST_NODES = 32


def tie_nodes(ties: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Spread points over the wins that random tie-breaking can give them.

    A point with t ties wins u more, u = 0..t, each with the same probability; beyond 33 values of u, 33 equally
    spaced ones stand for them.

    Parameters
    ----------
    ties : ndarray of int64 of shape (n_points,)
        Number of ties of each point.

    Returns
    -------
    point : ndarray of int64 of shape (n_nodes,)
        Point of each node, in ascending order.
    extra : ndarray of int64 of shape (n_nodes,)
        Value of u.
    start : ndarray of int64 of shape (n_points,)
        First node of each point.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.ranks import tie_nodes
    >>> tie_nodes(np.array([0, 2]))
    (array([0, 1, 1, 1]), array([0, 0, 1, 2]), array([0, 1]))
    """
    count = np.minimum(ties + 1, MOST_TIE_NODES)
    start = np.cumsum(count) - count
    point = np.repeat(np.arange(ties.size), count)
    node = np.arange(point.size) - start[point]
    return point, node * ties[point] // np.maximum(count[point] - 1, 1), start


def tie_outcomes(near: int, far: int) -> FloatArray:
    """Ties that a point may win against near and far rivals, with probabilities: rows (near, far, probability)."""
    if near + far <= LISTED_TIES:
        x, y = np.indices((near + 1, far + 1)).reshape(2, -1)
        # the truth beats each with the same uniform chance, over which it is averaged
        log_ways = sum(-special.betaln(n - i + 1, i + 1) - np.log(n + 1) for n, i in ((near, x), (far, y)))
        chance = np.exp(log_ways + special.betaln(x + y + 1, near + far - x - y + 1))
        return np.stack([x, y, chance], axis=1)
    edges = np.unique(np.rint(np.geomspace(1, near + far + 2, LISTED_TIES))) - 1
    lost = np.floor((edges[:-1] + edges[1:] - 1) / 2)
    x = np.rint((near + far - lost) * near / (near + far))
    return np.stack([x, near + far - lost - x, np.diff(edges) / (near + far + 1)], axis=1)


def tie_quadrature(ties: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Point, probability and share of beaten ties at each node: the truth beats ties with one uniform chance."""
    number = np.minimum(ties // 2 + 1, _MOST_NODES)
    rules = {n: np.polynomial.legendre.leggauss(n) for n in np.unique(number).tolist()}
    node, chance = np.concatenate([rules[n] for n in number.tolist()], axis=1) / 2
    return np.repeat(np.arange(ties.size), number), chance, node + 0.5


def weights_of_labels(labels: NDArray[np.int64]) -> FloatArray:
    """Weight of every test point: the points of one class share a total weight of 1."""
    return np.asarray(1.0 / np.bincount(labels)[labels])


def point_weights(ranks: CorrectRanks) -> FloatArray:
    """Weight of every test point; they add up to the number of classes with test points.

    The points of a class share a total weight of 1, or, where ranks are not balanced by class, all points weigh
    the same.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.point_weights(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([0.5, 0.5, 1. ])
    """
    if ranks.class_balanced:
        return weights_of_labels(ranks.labels)
    return np.full(ranks.n_points, ranks.n_tested / ranks.n_points)


def point_shares(ranks: CorrectRanks) -> FloatArray:
    """Share of every test point in an average: `point_weights` over their sum.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.point_shares(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([0.25, 0.25, 0.5 ])
    """
    return point_weights(ranks) / ranks.n_tested


def in_clusters(ranks: CorrectRanks, clusters: ArrayLike | None) -> CorrectRanks:
    r"""Return the ranks for standard errors and intervals over clusters of classes, such as families of fonts.

    Everything that is computed from them then takes the clusters for the random sample, not the classes: curves,
    extrapolations, capacities, limits and implied information. Averages do not change. Predictions of the default do,
    because it weighs the observed accuracies by their errors. The deviation of an average is, up to terms of second
    order, the sum of the deviations :math:`\psi_m` of the classes, each as truth and as wrong label. Over n clusters c
    with test points,

    .. math:: \operatorname{Var} = \frac{n}{n - 1} \sum_{c=1}^{n} \Bigl(\sum_{m \in c} \psi_m\Bigr)^2.

    The squares contain every covariance within a cluster: of truths that are equally hard, of wrong labels that beat
    the same points, and of truths with wrong labels.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks that are not yet in clusters.
    clusters : array_like of shape (n_classes,) or None
        Cluster of each class: numbers or names. None returns the ranks as they are.

    Returns
    -------
    CorrectRanks
        The same ranks with `clusters`.

    Raises
    ------
    ValueError
        If `clusters` does not have one entry for each class, or fewer than two clusters have test points. Also if the
        ranks are in clusters already, or have a distractor table of more than 509 classes: then give the clusters to
        `classex.correct_ranks`.

    Warns
    -----
    UserWarning
        If fewer than ten clusters have test points.

    Notes
    -----
    Leaving whole clusters out one at a time gives nearly the same variance. The two differ mainly by the comparisons
    between classes of one cluster, a share of about 1/n of all. Intervals take the quantile of the t distribution with
    n - 1 degrees of freedom. A fresh set (``target="fresh"``) is taken to contain independent classes.

    In simulations, the five classes of a cluster shared their difficulty, the strength of their labels, or these and
    their place. Intervals of level .95 for the observed curve covered the true value in 94 % to 97 % with 40 clusters,
    in at least 88.5 % with 8, and in 70 % to 88 % where clusters were not given. Intervals for ten times as many
    classes covered it in 87.5 % to 100 %, and in 64 % to 93 % where clusters were not given.

    What is estimated stays the average over sets that come in such clusters. If classes of one cluster resemble each
    other, the observed classes have more close competitors than independent classes would have. No interval allows for
    that.

    Source: sums by cluster and degrees of freedom as in Cameron and Miller (Journal of Human Resources 50, 2015), here
    for classes that are truths and wrong labels at once.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([29] * 15 + [12] * 15, 30)
    >>> families = [label // 3 for label in range(30)]
    >>> together = cx.ranks.in_clusters(ranks, families)
    >>> [
    ...     cx.accuracy_curve(one, 30).standard_error.round(3)
    ...     for one in (ranks, together)
    ... ]
    [array([0.093]), array([0.167])]
    """
    if clusters is None:
        return ranks
    member = as_clusters(clusters, ranks.labels, ranks.n_classes)
    table = ranks.distractors
    if table is not None:
        if table.beaten.shape[1] < ranks.n_classes:
            raise ValueError("clusters must be given to correct_ranks: these ranks do not keep the single wrong labels")
        met = None if table.met is None else sums_by_cluster(table.met, member)
        table = replace(table, beaten=sums_by_cluster(table.beaten, member), met=met, group=member)
    return replace(ranks, distractors=table, clusters=member)


def in_units(ranks: CorrectRanks, units: ArrayLike | None) -> CorrectRanks:
    r"""Return the ranks for standard errors over units of test points, such as subjects, as well as over classes.

    Everything that is computed from them then takes both the classes, or their clusters, and the units for random
    samples: curves, extrapolations, capacities, limits and implied information. Averages do not change, except that the
    default method weighs the observed accuracies by their errors. With the variances over classes, over units, and
    over cells (the points of one class and one unit),

    .. math:: V = V_{\text{classes}} + \max(V_{\text{units}} - V_{\text{cells}},\, 0).

    Units may be crossed with the classes (each subject sees every stimulus), nested in one another (each sees stimuli
    of its own), or anything between. What is estimated is the mean over the population of units.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks whose test points are not yet in units.
    units : array_like of shape (n_points,) or None
        Unit of each test point: numbers or names. None returns the ranks as they are.

    Returns
    -------
    CorrectRanks
        The same ranks with `point_units`.

    Raises
    ------
    ValueError
        If `units` does not have one entry for each test point, or names a single unit, or the ranks have units already.

    Notes
    -----
    :math:`V_{\text{units}}` and :math:`V_{\text{cells}}` are jackknife variances: with share :math:`h_s` of the weight,
    leaving unit s out changes the mean by its deviation over :math:`1 - h_s`, also where few units have unequal numbers
    of points. Intervals take the quantile of the t distribution, with degrees of freedom by Satterthwaite's formula
    from those of classes and units: n - 1 for n units if these dominate. If each unit has a single point, or all its
    points in one class that has no others, nothing changes.

    Intervals do not allow for a kind of unit that the sample lacks, such as one subject in twenty who does nothing
    right, where no such subject was observed.

    In simulations with 8 to 20 subjects, crossed and nested, whose noise differed (standard deviation of its logarithm
    .35), intervals of level .95 covered the mean over all subjects in 92 % to 95 % for the observed curve, and for ten
    times as many classes in 93 % to 99 % by the default (``benchmarks/coverage``). Without units they covered it in
    29 % to 63 %, and in 73 % to 89 %.

    Source: two-way clustering as in Cameron, Gelbach and Miller (Journal of Business and Economic Statistics 29, 2011),
    with the jackknife of MacKinnon, Nielsen and Webb (Journal of Applied Econometrics 38, 2023), and Satterthwaite
    (Biometrics Bulletin 2, 1946). The variance is kept at least that over classes.

    Examples
    --------
    >>> import classex as cx
    >>> labels, subjects = (
    ...     list(range(30)) * 4,
    ...     [s for s in range(4) for _ in range(30)],
    ... )
    >>> wins = [
    ...     29 if (i + s) % (s + 2) else 20 for s in range(4) for i in range(30)
    ... ]
    >>> ranks = cx.ranks_from_wins(wins, 30, labels=labels)
    >>> [
    ...     cx.accuracy_curve(one, 30).standard_error.round(3)
    ...     for one in (ranks, cx.ranks.in_units(ranks, subjects))
    ... ]
    [array([0.049]), array([0.072])]
    """
    if units is None:
        return ranks
    if ranks.point_units is not None:
        raise ValueError("units must be None for ranks that have units already")
    return replace(ranks, point_units=as_units(units, ranks.n_points))


def sums_by_cluster(values: NDArray[Any], clusters: NDArray[np.int64]) -> NDArray[Any]:
    """Sum what belongs to single classes, along the last axis, over the classes of each cluster."""
    order = np.argsort(clusters, kind="stable")
    first = np.searchsorted(clusters[order], np.arange(int(clusters.max()) + 1))
    return np.asarray(np.add.reduceat(values[..., order], first, axis=-1))
