"""Checks of ranks."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from classex.ranks._ranks import CorrectRanks

__all__ = ["as_ranks", "warn_if_inverted"]

# Warn of distances if the win rate is below .35 and 5 standard errors below chance, too many for an accident; warn of
# decisions between pairs of classes if it is below .65 and there are as many columns as pairs.
_LOWEST_SHARE = 0.35
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
            " is averaged; the methods 'mixture', 'probit-normal', 'empirical-bayes' and 'beta-binomial' accept these"
        )
    if every_class and ranks.n_tested < ranks.n_classes:
        raise ValueError(
            f"{name} must have a test point of every class, but only {ranks.n_tested} of {ranks.n_classes} have one"
        )
    return ranks


def warn_if_inverted(ranks: CorrectRanks, *, stacklevel: int = 3) -> CorrectRanks:
    """Return the ranks; warn if the scores look like distances, or like decisions between pairs of classes."""
    k = ranks.n_tested
    met = ranks.n_classes - 1 if ranks.n_wrong is None else ranks.n_wrong
    share = float(np.mean((ranks.wins + 0.5 * ranks.ties) / met))
    # by chance every share between 0 and 1 is as likely, with a standard deviation of 1/sqrt(12) or less
    if share < _LOWEST_SHARE and (0.5 - share) * np.sqrt(12.0 * ranks.n_points) > _STANDARD_ERRORS:
        warnings.warn(
            f"the correct label beats only {100 * share:.0f} % of the wrong labels, fewer than by chance: are the"
            " scores distances? Higher must be better (give -distances)",
            UserWarning,
            stacklevel=stacklevel,
        )
    elif share < _LOW_SHARE and k > 3 and ranks.n_classes == k * (k - 1) // 2 and int(ranks.labels.max()) == k - 1:
        warnings.warn(
            f"there are {ranks.n_classes} columns of scores for labels in 0..{k - 1}, one for each pair of"
            " classes, and they hardly tell the classes apart: are they one-against-one decisions? These do not score"
            " classes; use decision_function_shape='ovr' or probabilities",
            UserWarning,
            stacklevel=stacklevel,
        )
    return ranks
