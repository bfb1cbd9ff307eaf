"""Bounds of the ranks from the nearest references of every test point, as any index finds them."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._checks import as_plain_array, as_probability, one_of
from classex._loops.threads import in_order, row_blocks
from classex._result import Result
from classex._types import IntArray
from classex.ranks.comparison import best_of_own, exact_signs
from classex.ranks.inputs import METRICS, ClassesOfReferences, checked_embeddings, references_excluded
from classex.ranks.ranks import CorrectRanks

__all__ = ["RankBounds", "ranks_from_neighbours"]


# pairs compared without rounding at a time
_PAIRS = 2**16


@dataclass(frozen=True, eq=False)
class RankBounds(Result):
    """Bounds on the ranks if not every wrong label was compared.

    A point's chance to be right in a random set of classes grows with its wins, so curves of the two ends bound the
    curve of the ranks.

    Attributes
    ----------
    least : CorrectRanks
        Ranks if every wrong label that may beat the correct one does.
    most : CorrectRanks
        Ranks if none of these does.

    Examples
    --------
    >>> import classex as cx
    >>> references, test = [[0.0], [1.0], [2.0], [9.0]], [[0.2], [1.4], [6.0]]
    >>> bounds = cx.ranks.ranks_from_neighbours(
    ...     test, references, [0, 1, 0], [[0, 1], [2, 1], [3, 2]]
    ... )
    >>> bounds.least.wins, bounds.most.wins, bounds.exact
    (array([3, 3, 0]), array([3, 3, 1]), array([ True,  True, False]))
    """

    least: CorrectRanks
    most: CorrectRanks

    _says: ClassVar[str] = "Bounds on the ranks of {exact} test points:"

    def _table(self) -> dict[str, Any]:
        return {"least_wins": self.least.wins, "most_wins": self.most.wins, "exact": self.exact}

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Whether the two ends agree, for each point."""
        return np.asarray((self.least.wins == self.most.wins) & (self.least.ties == self.most.ties))


def ranks_from_neighbours(
    test: Any,
    references: Any,
    labels: ArrayLike,
    neighbours: ArrayLike,
    reference_labels: ArrayLike | None = None,
    metric: str = "euclidean",
    *,
    recall: float = 1.0,
    exclude_self: bool = False,
) -> RankBounds:
    r"""Bounds of the ranks, from lists of the nearest references: exact above the cut, bounded below it.

    Each listed reference is compared with the best one of the point's own class, without rounding. If few enough
    score as high, all that do are in the list, but for those that the index missed, and the rank is known. If not, the
    correct label lies below the cut: any reference outside the list may beat it.

    Parameters
    ----------
    test : array_like of shape (n_test, n_features)
        Embeddings of the test points.
    references : array_like of shape (n_references, n_features)
        Embeddings of the references.
    labels : array_like of shape (n_test,)
        Correct class of each test point.
    neighbours : array_like of int of shape (n_test, m)
        Rows of `references` that the index calls the m nearest (best) of each test point, in any order; -1 where it
        found fewer.
    reference_labels : array_like of shape (n_references,), optional
        Class of each reference, the best of which counts. By default reference ``c`` is the one of class ``c``.
    metric : {"euclidean", "inner_product", "cosine"}
        How a test point and a reference are compared.
    recall : float
        Share of its true m nearest that every point's list holds at least; 1 for an exact search, 0 if nothing is
        known. The bounds are no surer than this number. An index states its average over points: measure the least.
    exclude_self : bool
        Whether each point leaves itself out of the references, as in `correct_ranks_from_embeddings`. Lists are those
        of a search among all references, the point itself included.

    Returns
    -------
    RankBounds
        The ranks at the two ends, without distractor information.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is out of range or comes twice in a list, or a list cannot have such a recall. With
        `exclude_self`, if a point equals no reference of its class or is the only one.
    TypeError
        If an argument does not hold numbers, or embeddings are sparse.

    Warns
    -----
    UserWarning
        If test points equal references of their own class, which has others, and `exclude_self` is not given.

    Notes
    -----
    Let L be a list, T the true m nearest, G the references that score at least as high as the point's own s, and
    :math:`q = \lfloor (1 - \mathrm{recall})\, m \rfloor`, so that :math:`|L \cap T| \ge m - q`. If some g in G is
    not in T, then all of T scores at least as high as g, so T lies in G, and :math:`|L \cap G| \ge m - q`. Hence, where
    :math:`|L \cap G| < m - q`, G lies in T, and at most q of it are missing from the list. A missed reference costs at
    most one win. Without the point itself, T has m - 1 of the others at least, and L lacks at most q of these.

    Examples
    --------
    >>> import classex as cx
    >>> references, test = [[0.0], [1.0], [2.0], [9.0]], [[0.2], [1.4], [6.0]]
    >>> bounds = cx.ranks.ranks_from_neighbours(
    ...     test, references, [0, 1, 0], [[0, 1], [2, 1], [3, 2]]
    ... )
    >>> bounds.least.wins, bounds.most.wins
    (array([3, 3, 0]), array([3, 3, 1]))
    """
    kind = one_of(metric, "metric", METRICS)
    share = as_probability(recall, "recall")
    if sparse.issparse(test) or sparse.issparse(references):
        raise TypeError("test and references must be dense arrays, not scipy.sparse matrices")
    given = test, references, labels, reference_labels
    points, exemplars, truth, owner, n_classes = checked_embeddings(*given, None, kind)
    listed = _as_lists(neighbours, truth.size, exemplars.shape[0])
    excluded = references_excluded(points, exemplars, truth, owner, exclude=exclude_self)
    members = ClassesOfReferences(owner, exemplars.shape[0])
    lists = _Lists(points, exemplars, members, kind, share, excluded)
    ends = np.empty((4, truth.size), dtype=np.int64)
    blocks = row_blocks(truth.size, max(1, _PAIRS // listed.shape[1]))
    with closing(in_order(lambda rows: lists.ends(rows, truth[rows], listed[rows]), blocks)) as done:
        for rows, bounds in done:
            ends[:, rows] = bounds
    return RankBounds(*(CorrectRanks(wins, ties, truth, n_classes) for wins, ties in (ends[:2], ends[2:])))


def _as_lists(neighbours: ArrayLike, n_test: int, n_references: int) -> IntArray:
    """Return the lists, in ascending order, none of which names a reference twice."""
    raw = as_plain_array(neighbours, "neighbours")
    if raw.dtype.kind not in "ui":
        raise TypeError(f"neighbours must hold rows of references, not values of dtype {raw.dtype}")
    if raw.ndim != 2 or raw.shape[0] != n_test or raw.shape[1] == 0:
        raise ValueError(f"neighbours must have {n_test} rows, one for each test point, but its shape is {raw.shape}")
    if raw.min() < -1 or raw.max() >= n_references:
        raise ValueError(
            f"neighbours must lie in 0..{n_references - 1}, or be -1, but range to {raw.min()}, {raw.max()}"
        )
    listed = np.sort(raw.astype(np.int64), axis=1)
    twice = np.argwhere((listed[:, 1:] == listed[:, :-1]) & (listed[:, 1:] >= 0))
    if twice.size:
        row, column = (int(index) for index in twice[0])
        raise ValueError(f"neighbours must name a reference once, but row {row} has {listed[row, column]} twice")
    return listed


@dataclass(frozen=True)
class _Lists:
    """Bounds of the ranks from lists of neighbours; attributes as in `ranks_from_neighbours`."""

    points: NDArray[Any]
    exemplars: NDArray[Any]
    classes: ClassesOfReferences
    metric: str
    recall: float
    excluded: IntArray

    def ends(self, rows: slice, own: IntArray, listed: IntArray) -> IntArray:
        """Return the least wins, their ties, the most wins and their ties."""
        n_wrong = self.classes.n_classes - 1
        point = np.arange(rows.start, rows.stop)
        excluded = self.excluded[rows]
        best = best_of_own(self.points, self.exemplars, self.classes, point, own, self.metric, excluded)
        listed = np.where(listed == excluded[:, np.newaxis], -1, listed)
        row, column = np.nonzero(listed >= 0)
        reference = listed[row, column]
        sign = exact_signs(self.points, self.exemplars, (point[row], reference, best[row]), self.metric)
        missed = self._missed(rows, row, sign, best, listed)
        above, tied, below = self._classes_by_sign(row, reference, sign, own)
        rest = n_wrong - above - tied
        # a reference outside the list may be of any class, unless each class has one
        lost = np.minimum(missed, rest - below * self.classes.single)
        ties_lost = np.minimum(missed - lost, 0 if self.classes.single else tied)
        return np.stack([rest - lost, tied - ties_lost, rest, tied])

    def _missed(self, rows: slice, row: IntArray, sign: NDArray[np.int8], best: IntArray, listed: IntArray) -> IntArray:
        """Return the most references outside the list that may score as high as the truth."""
        n_references = self.exemplars.shape[0]
        m = min(listed.shape[1], n_references)
        slack = int((1 - self.recall) * m + 1e-9)
        as_high = np.bincount(row[sign >= 0], minlength=best.size)
        # the truth itself may be outside, and is known
        outside = ~(listed == best[:, np.newaxis]).any(axis=1)
        # the point itself was one of the m nearest
        missed = np.where(as_high < m - (self.excluded[rows] >= 0) - slack, slack - outside, n_references)
        if missed.min() < 0:
            point = rows.start + int(np.argmin(missed))
            raise ValueError(
                f"recall must be below 1 for these neighbours: test point {point} is nearer to its own class than to"
                " some that are listed, and that class is missing"
            )
        return np.asarray(missed, dtype=np.int64)

    def _classes_by_sign(
        self, row: IntArray, reference: IntArray, sign: NDArray[np.int8], own: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return the number of wrong classes whose best listed reference scores above the truth, as high, below."""
        label = reference if self.classes.owner is None else self.classes.owner[reference]
        wrong = label != own[row]
        pair, which = np.unique(row[wrong] * self.classes.n_classes + label[wrong], return_inverse=True)
        highest = np.full(pair.size, -1, dtype=np.int8)
        np.maximum.at(highest, which, sign[wrong])
        point = pair // self.classes.n_classes
        above, tied, below = (np.bincount(point[highest == value], minlength=own.size) for value in (1, 0, -1))
        return above, tied, below
