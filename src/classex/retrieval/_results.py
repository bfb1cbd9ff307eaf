"""Where a search puts several relevant items, and curves of retrieval metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from classex._estimates import AccuracyCurve
from classex._result import Result, number

__all__ = ["RelevantRanks", "RetrievalCurve"]

# A query is worth at most one trial where the queries miss, or find, fewer than this in all: most of the variance then
# comes from a few queries, which a sample may lack
_RARE = 10


@dataclass(frozen=True, eq=False, repr=False)
class RelevantRanks(Result):
    """Where a search puts the relevant items of each query, in a corpus of `n_items` items.

    Made by `classex.retrieval.relevant_ranks`. Arrays have one entry for each relevant item, by query and by score.

    Attributes
    ----------
    query : ndarray of int64 of shape (n_relevant,)
        Query of each relevant item, numbered from 0 without gaps, in ascending order.
    above : ndarray of int64 of shape (n_relevant,)
        Number of relevant items of the same query with a higher score.
    losses, ties : ndarray of int64 of shape (n_relevant,)
        Number of items that are not relevant and have a higher score, and the same score.
    gain : ndarray of float64 of shape (n_relevant,)
        Gain of each item in NDCG, positive. For other metrics every item counts the same.
    found : ndarray of bool of shape (n_relevant,)
        False for an item that a cut-off list does not contain; its `losses` are then the least possible.
    n_items : int
        Number of items in the corpus, relevant or not.
    units : ndarray of int64 of shape (n_queries,) or None
        Unit of each query, such as its user, numbered from 0; None where queries are independent.

    Examples
    --------
    The first query has relevant items in places 1 and 4, the second has one in place 3:

    >>> import classex as cx
    >>> ranks = cx.retrieval.relevant_ranks(
    ...     [[0.9, 0.5, 0.7, 0.8], [0.9, 0.5, 0.7, 0.8]],
    ...     [[1, 1, 0, 0], [0, 0, 1, 0]],
    ... )
    >>> ranks.losses, ranks.n_items
    (array([0, 2, 2]), 4)
    """

    query: NDArray[np.int64]
    above: NDArray[np.int64]
    losses: NDArray[np.int64]
    ties: NDArray[np.int64]
    gain: NDArray[np.float64]
    found: NDArray[np.bool_]
    n_items: int
    units: NDArray[np.int64] | None = None

    _says: ClassVar[str] = "{query} relevant items of {n_relevant} queries, in a corpus of {n_items} items:"

    @property
    def n_relevant(self) -> NDArray[np.int64]:
        """Number of relevant items of each query."""
        return np.bincount(self.query)

    @property
    def place(self) -> NDArray[np.int64]:
        """Place of each entry among those of its query, from 0."""
        return np.arange(self.query.size) - np.searchsorted(self.query, self.query)


@dataclass(frozen=True)
class RetrievalCurve(AccuracyCurve):
    """Average of a retrieval metric over random corpora, as a function of their number of items.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of items in the corpus.
    accuracy, standard_error : ndarray of shape (n,)
        Mean of the metric over queries, and its standard error over queries. Items that a cut-off list does not
        contain add nothing.
    upper : ndarray of shape (n,) or None
        Mean if such items came directly after the list; None if every item was ranked.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.retrieval.relevant_ranks(
    ...     [[0.9, 0.5, 0.7, 0.8], [0.9, 0.5, 0.7, 0.8]],
    ...     [[1, 1, 0, 0], [0, 0, 1, 0]],
    ... )
    >>> cx.retrieval.retrieval_curve(ranks, [2, 3, 4], metric="map").accuracy.round(
    ...     4
    ... )
    array([0.8333, 0.6389, 0.5417])
    """

    upper: NDArray[np.float64] | None = None

    _counted: ClassVar[str] = "items"

    @classmethod
    def of(
        cls,
        ranks: RelevantRanks,
        n_items: Any,
        value: Any,
        error: Any,
        metric: str,
        upper: Any = None,
        average: str = "queries",
        **units: Any,
    ) -> Self:
        """Return the curve of a metric between 0 and 1, or for "precision@m" what the most relevant items can give."""
        n, kind, m = ranks.n_relevant.size, *metric.partition("@")[::2]
        largest = min(float(ranks.n_relevant.max()) / int(m), 1.0) if kind == "precision" else 1.0
        limits = np.tile([0.0, largest], (value.size, 1))
        rare = n * np.minimum(value, largest - value) < _RARE * largest
        most = np.where(rare, float(n), np.inf)
        return cls(n_items, value, error, metric, n, limits, most, average, ranks.query.size, upper=upper, **units)

    def _sentence(self) -> str:
        data = f"{number(self.n_points)} relevant items of {number(self.n_tested)} queries"
        data += "" if self.units is None else f" and {number(self.units.n_units)} units"
        these = ", with intervals for these queries" if self.average == "these queries" else ""
        least = "" if self.upper is None else "; upper: if relevant items that lists lack came directly after them"
        return f"Average {self.metric} over random corpora, from {data}; each query weighs the same{these}{least}:"

    def _table(self) -> dict[str, Any]:
        table = super()._table()
        known = {} if self.upper is None else {"upper": self.upper}
        return {"n_items": table.pop("n_classes"), **table, **known}
