"""The ranks of the correct labels: checked when they are made, stored and read without pickle."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from classex._result import Result
from classex._validation import as_groups, as_plain_array, as_positive_int, as_units
from classex.io.archives import read_arrays
from classex.io.tables import atomic_write

__all__ = ["N_GROUPS", "CorrectRanks", "DistractorTable", "bins_of_wins", "groups_of_classes"]

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


def groups_of_classes(n_classes: int) -> NDArray[np.int16]:
    """Group of every class, each its own up to 509 classes: jackknives leave out groups."""
    groups = np.arange(N_GROUPS, dtype=np.int16)
    return np.resize(groups, n_classes)


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
        group = np.asarray(self.group)
        if group.ndim != 1 or group.size < 2 or group.dtype.kind not in "iu" or group.min() < 0:
            raise ValueError("distractors must have a group, a number from 0 on, for each of two classes or more")
        if (self.met is None) != (self.n_wrong is None):
            raise ValueError("distractors must hold both met and n_wrong, or neither")
        representative = bins_of_wins(group.size)[1] if self.n_wrong is None else np.asarray(self.wins)
        if not np.array_equal(self.wins, representative):
            raise ValueError("distractors must have the bins of bins_of_wins(n_classes)")
        shape = (representative.size, int(group.max()) + 1)
        for name in ("beaten", "met") if self.n_wrong is not None else ("beaten",):
            weights = np.asarray(getattr(self, name))
            if weights.shape != shape or not np.issubdtype(weights.dtype, np.floating):
                raise ValueError(
                    f"distractors must hold an array {name} of numbers of shape {shape}, not {weights.shape}"
                )
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise ValueError(f"distractors must hold finite weights of at least 0 in {name}")
            object.__setattr__(self, name, _frozen(weights))
        if self.n_wrong is not None:
            object.__setattr__(self, "n_wrong", _whole_numbers(self.n_wrong, "n_wrong of distractors"))
        for name, value in (("wins", representative), ("group", group)):
            object.__setattr__(self, name, _frozen(value))

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
        object.__setattr__(self, "n_classes", k)
        names = ["wins", "ties", "labels"] + ([] if self.n_wrong is None else ["n_wrong"])
        for name in names:
            object.__setattr__(self, name, _whole_numbers(getattr(self, name), name))
        if self.wins.size == 0:
            raise ValueError("wins must hold at least one test point, but is empty")
        for name in names[1:]:
            size = getattr(self, name).size
            if size != self.wins.size:
                raise ValueError(f"{name} must have as many entries as wins, {self.wins.size}, not {size}")
        _in_range(self.labels, "labels", 0, k - 1)
        if self.n_wrong is not None:
            _in_range(self.n_wrong, "n_wrong", 1, k - 1 if self.left_out else None)
        elif self.left_out:
            raise ValueError("left_out goes with n_wrong, the number of wrong labels that were left for each point")
        most = k - 1 if self.n_wrong is None else self.n_wrong
        _in_range(self.wins, "wins", 0, most)
        _in_range(self.ties, "ties", 0, most - self.wins)
        if self.clusters is not None:
            object.__setattr__(self, "clusters", _frozen(as_groups(self.clusters, "clusters", k)[1]))
        if self.point_units is not None:
            object.__setattr__(self, "point_units", _frozen(as_units(self.point_units, self.n_points, "point_units")))
        self._check_distractors()

    def _check_distractors(self) -> None:
        """Check that the distractor table belongs to these classes."""
        k = self.n_classes
        if self.distractors is not None:
            if not isinstance(self.distractors, DistractorTable) or self.distractors.group.size != k:
                raise ValueError(f"distractors must be a DistractorTable of {k} classes, or None")
            in_turn = np.arange(k) % self.distractors.beaten.shape[1]
            if not np.array_equal(self.distractors.group, in_turn if self.clusters is None else self.clusters):
                raise ValueError("distractors must have the clusters as groups, or without clusters classes in turn")
            if self.n_wrong is not None and not (self.left_out and self.distractors.n_wrong is not None):
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
        return int(np.count_nonzero(np.bincount(self.units)))

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
                groups = groups_of_classes(k) if clusters is None else clusters
                bin_wins, bin_n_wrong = arrays.get("bins", (bins_of_wins(k)[1], None))
                table = DistractorTable(arrays["beaten"], bin_wins, groups, arrays.get("met"), bin_n_wrong)
            wins, ties, labels = (arrays[name] for name in names[:3])
            left_out = bool(arrays.get("left_out", False))
            n_wrong, units = arrays.get("n_wrong"), arrays.get("point_units")
            return cls(wins, ties, labels, n_classes, table, n_wrong, bool(balanced), clusters, left_out, units)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{file} does not hold ranks that CorrectRanks.save wrote: {error}") from None


def _frozen(value: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only array; a copy, if another name could change it."""
    if value.flags.writeable or value.base is not None:
        value = value.copy()
        value.flags.writeable = False
    return value


def _whole_numbers(value: Any, name: str) -> NDArray[np.int64]:
    """Return a read-only int64 array with one axis."""
    array = as_plain_array(value, name)
    if array.dtype.kind not in "uif":
        raise TypeError(f"{name} must hold whole numbers, not values of dtype {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{name} must have 1 axis, but its shape is {array.shape}")
    if array.dtype != np.int64:
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
        wrong = np.flatnonzero(whole != array)
        if wrong.size:
            raise ValueError(f"{name} must hold whole numbers, but position {wrong[0]} is {array[wrong[0]]}")
        array = whole
    return _frozen(np.ascontiguousarray(array))


def _in_range(array: NDArray[np.int64], name: str, low: int, high: Any) -> None:
    """Refuse numbers below `low` or above `high`, a number or one for each entry."""
    outside = array < low
    if high is not None:
        outside |= array > high
    if outside.any():
        position = int(np.argmax(outside))
        limit = "" if high is None else f"..{high if np.ndim(high) == 0 else high[position]}"
        accepted = f"in {low}{limit}" if limit else f"of at least {low}"
        raise ValueError(f"{name} must be {accepted}, but position {position} is {array[position]}")
