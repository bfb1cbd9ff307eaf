"""Ranks that are known already, from a table or another program."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from classex._validation import as_plain_array, as_positive_int
from classex.results import CorrectRanks

__all__ = ["ranks_from_wins"]


def ranks_from_wins(
    wins: ArrayLike,
    n_classes: int,
    *,
    ties: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    n_wrong: ArrayLike | None = None,
) -> CorrectRanks:
    r"""Ranks of the correct labels from numbers of wins that are known already.

    Parameters
    ----------
    wins : array_like of int of shape (n_points,)
        For each test point, the number of wrong labels whose score lies strictly below that of the correct label.
        With a rank r counted from 1 at the top and no ties, ``wins = n_classes - r``.
    n_classes : int
        Number of labels that competed (or, with `n_wrong`, that there are), the correct one included.
    ties : array_like of int of shape (n_points,), optional
        Number of wrong labels with the same score as the correct one. By default none.
    labels : array_like of int of shape (n_points,), optional
        Correct class of each point, in ``0..n_classes-1``; classes without points compete as wrong labels only.
        By default every point is of a class of its own. With more points than classes that cannot be: then all
        points weigh the same, and are dealt out over the classes in turn, so that standard errors take them as
        independent.
    n_wrong : int or array_like of int of shape (n_points,), optional
        Number of wrong labels that each point was compared with, if they are a random sample drawn for that point
        (sampled negatives): wins and ties are then counted among these. By default all ``n_classes - 1``. Points may
        have unequal numbers, also such as were chosen by the wins so far (more for those that win against all);
        likelihoods do not mind, averages over subsets do. Of labels drawn with replacement, count each once.

    Returns
    -------
    CorrectRanks
        Checked ranks without a distractor table: standard errors see each class through its own points only.

    Raises
    ------
    ValueError
        If a number is out of its range, the lengths differ, or there is no point.
    TypeError
        If an argument does not hold whole numbers.

    Notes
    -----
    A point of favourability U wins :math:`\mathrm{Binomial}(n, U)` times against n different labels, whether these
    are all the wrong labels or a sample of them. That holds for draws with replacement too, if each label is counted
    once: which labels come twice has nothing to do with their scores. Counted as often as they come, draws vary more,
    by a share of about n over the number of labels.

    Source: Krichene and Rendle (KDD 2020), whose binomial law of a sampled rank counts every draw.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([2, 3, 1, 1], 4)
    >>> cx.accuracy_curve(ranks).accuracy.round(4)
    array([1.    , 0.5833, 0.3333, 0.25  ])

    Three users whose item was compared with 9 sampled items out of 1,000:

    >>> cx.ranks_from_wins([9, 4, 8], 1000, n_wrong=9)
    CorrectRanks(n_points=3, n_classes=1000, n_tested=3, n_wrong=9, distractors=None)
    """
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=10**15)
    counts = as_plain_array(wins, "wins")
    shape = counts.shape if counts.ndim == 1 else (0,)
    tied = np.zeros(shape, dtype=np.int64) if ties is None else ties
    drawn = n_wrong
    if n_wrong is not None and np.ndim(as_plain_array(n_wrong, "n_wrong")) == 0:
        drawn = np.full(shape, as_positive_int(n_wrong, "n_wrong"))
    own = np.arange(shape[0]) % k if labels is None else labels
    balanced = labels is not None or shape[0] <= k
    return CorrectRanks(counts, tied, own, k, None, drawn, balanced)  # type: ignore[arg-type]  # checked inside
