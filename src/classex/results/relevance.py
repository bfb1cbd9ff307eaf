"""Where a search puts several relevant items, and curves of retrieval metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_finite_array, as_positive_int
from classex.results._result import Result, number
from classex.results.estimates import AccuracyCurve
from classex.results.ranks import _frozen, _in_range, _whole_numbers

__all__ = ["RelevantRanks", "RetrievalCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class RelevantRanks(Result):
    """Where a search puts the relevant items of each query, in a corpus of `n_items` items.

    Made by `classex.ranks.relevant_ranks` and `classex.ranks.relevant_ranks_of_run`, or from counts. Arrays have one
    entry for each relevant item; the numbers are checked, copied and read-only.

    Attributes
    ----------
    query : ndarray of int64 of shape (n_relevant,)
        Query of each relevant item, numbered from 0 without gaps, in ascending order.
    above : ndarray of int64 of shape (n_relevant,)
        Number of relevant items of the same query with a higher score. Within a query the entries rise; those of items
        with the same score are equal.
    losses, ties : ndarray of int64 of shape (n_relevant,)
        Number of items that are not relevant and have a higher score, and the same score.
    gain : ndarray of float64 of shape (n_relevant,)
        Gain of each item in NDCG, positive. For other metrics every item counts the same.
    n_items : int
        Number of items in the corpus, relevant or not.
    found : ndarray of bool of shape (n_relevant,)
        False for an item that a cut-off list does not contain; its `losses` are then the least possible.

    Raises
    ------
    ValueError
        If the arrays differ in length or are empty, or a number is out of its range.
    TypeError
        If an array does not hold numbers.

    Examples
    --------
    Two queries. The first has two relevant items, in places 1 and 4; the second has one, in place 3:

    >>> import classex as cx
    >>> ranks = cx.results.RelevantRanks(
    ...     [0, 0, 1], [0, 1, 0], [0, 2, 2], n_items=100
    ... )
    >>> cx.curves.retrieval_curve(ranks, metric="map").accuracy
    array([0.54166667])
    """

    query: NDArray[np.int64]
    above: NDArray[np.int64]
    losses: NDArray[np.int64]
    ties: Any = 0
    gain: Any = 1.0
    found: Any = True
    n_items: int = field(kw_only=True)

    _says: ClassVar[str] = "{query} relevant items of {n_queries} queries, in a corpus of {n_items} items:"

    def __post_init__(self) -> None:
        """Check every number; keep read-only copies."""
        n = as_positive_int(self.n_items, "n_items", minimum=2)
        size = np.size(self.query)
        if size == 0:
            raise ValueError("query must hold at least one relevant item, but is empty")
        for name in ("query", "above", "losses", "ties"):
            value = np.broadcast_to(getattr(self, name), size) if name == "ties" else getattr(self, name)
            object.__setattr__(self, name, _whole_numbers(value, name))
        gain = as_finite_array(np.broadcast_to(self.gain, size), "gain", ndim=1, dtype=np.float64)
        found = np.array(np.broadcast_to(self.found, size), dtype=np.bool_)
        for name, array in (("gain", gain), ("found", found)):
            object.__setattr__(self, name, _frozen(array))
        for name in ("above", "losses"):
            if getattr(self, name).size != size:
                raise ValueError(f"{name} must have as many entries as query, {size}, not {getattr(self, name).size}")
        if self.query[0] != 0 or not np.isin(np.diff(self.query), (0, 1)).all():
            raise ValueError("query must number the queries from 0 without gaps, in ascending order")
        tied = (self.place > 0) & (self.above == np.roll(self.above, 1))
        if not np.array_equal(np.where(tied, self.place, self.above), self.place):
            raise ValueError(
                "above must be 0, 1, 2, ... within each query, or equal to the entry before where scores tie"
            )
        _in_range(self.losses, "losses", 0, n - self.n_relevant[self.query])
        _in_range(self.ties, "ties", 0, n - self.n_relevant[self.query] - self.losses)
        if gain.min() <= 0:
            raise ValueError(f"gain must be positive, but position {int(np.argmin(gain))} is {gain.min():g}")

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return int(self.query[-1]) + 1

    @property
    def n_relevant(self) -> NDArray[np.int64]:
        """Number of relevant items of each query."""
        return np.bincount(self.query)

    @property
    def place(self) -> NDArray[np.int64]:
        """Place of each entry among those of its query, from 0."""
        return np.arange(self.query.size) - np.searchsorted(self.query, self.query)

    def __repr__(self) -> str:
        """Say how much there is, not the numbers themselves."""
        return f"RelevantRanks(n_queries={self.n_queries}, n_relevant={self.query.size}, n_items={self.n_items})"


@dataclass(frozen=True)
class RetrievalCurve(AccuracyCurve):
    """Average of a retrieval metric over random parts of the corpus, as a function of their number of items.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of items.
    accuracy, standard_error : ndarray of shape (n,)
        Mean of the metric over queries, and its standard error over queries. Items that a cut-off list does not
        contain add nothing.
    upper : ndarray of shape (n,) or None
        The largest mean that such items allow; None if every item was ranked.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.results.RelevantRanks(
    ...     [0, 0, 1], [0, 1, 0], [0, 2, 2], n_items=100
    ... )
    >>> cx.curves.retrieval_curve(ranks, [10, 100], metric="recall@3").accuracy
    array([0.99625, 0.75   ])
    """

    upper: NDArray[np.float64] | None = None

    def _sentence(self) -> str:
        data = f"{number(self.n_points)} relevant items of {number(self.n_tested)} queries"
        return f"Average {self.metric} over random parts of the corpus, from {data}; each query weighs the same:"

    def _table(self) -> dict[str, Any]:
        table = super()._table()
        more = {} if self.upper is None else {"upper": self.upper}
        return {"n_items": table.pop("n_classes"), **table, **more}
