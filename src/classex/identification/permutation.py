"""Is a decoder better than chance? A test that shuffles which stimulus evoked which response."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classex._kernels.ranks import subset_accuracy
from classex._validation import as_generator, as_labels, as_positive_int, as_scores, distinct
from classex.identification._results import PermutationTest

__all__ = ["permutation_test"]


def permutation_test(
    scores: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    runs: ArrayLike | None = None,
    n_classes: int = 2,
    n_permutations: int = 9999,
    rng: Any = None,
) -> PermutationTest:
    """Test identification against chance by shuffling which stimulus evoked which response.

    Parameters
    ----------
    scores : array_like of shape (n_test, n_stimuli)
        Score of every candidate stimulus for every response, from a decoder trained on *other* data.
    labels : array_like of int, shape (n_test,), optional
        Column of the right stimulus for each response. By default response i belongs to column i.
    runs : array_like of shape (n_stimuli,), optional
        Run (or block, or session) in which each stimulus was shown. Stimuli are then shuffled within their runs only,
        which is what to do when responses drift from run to run. By default all stimuli are shuffled together.
    n_classes : int
        The statistic is the average accuracy with this many candidates. With 2 it is the mean normalised rank.
    n_permutations : int
        Number of random permutations.
    rng : None, int or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    PermutationTest
        Observed accuracy, its values under permutation, and the p-value
        ``(1 + number as large) / (1 + n_permutations)``.

    Raises
    ------
    ValueError
        If a score is not finite, labels are out of range or missing where the matrix is not square, a stimulus
        has no response, there is not one run for each stimulus, every run holds one stimulus only, or a number is out
        of range.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    Exact at any level if, when responses do not depend on the stimuli, every order of the stimuli (within runs) would
    have been as probable as the one that was shown: randomise the order. It is not enough that there is no signal:
    drift gives neighbours in time alike responses, and with a fixed order a decoder may learn that. Stimuli are
    permuted as wholes, each with all its responses where it was repeated: responses to one stimulus may hang together
    for reasons other than the stimulus. That needs equal numbers of responses to all. Ties count in expectation over
    random tie-breaking.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.identification import permutation_test
    >>> scores = np.eye(20) + np.random.default_rng(0).normal(size=(20, 20))
    >>> permutation_test(scores, n_permutations=999, rng=1).p_value
    0.001
    """
    matrix = as_scores(scores)
    n, k1 = matrix.shape
    if labels is None and n != k1:
        raise ValueError(f"labels must be given where scores is not square, but its shape is {matrix.shape}")
    truth = as_labels(np.arange(n) if labels is None else labels, n, k1)
    count = np.bincount(truth)
    if (count != count[0]).any():
        raise ValueError(
            f"labels must give every stimulus as many responses, but stimulus {int(np.argmax(count))} has"
            f" {count.max()} and stimulus {int(np.argmin(count))} has {count.min()}"
        )
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=k1)
    draws = as_positive_int(n_permutations, "n_permutations")
    generator = as_generator(rng)
    # gain[s, t]: summed accuracy if stimulus t had evoked the responses to stimulus s
    gain = np.zeros((k1, k1))
    np.add.at(gain, truth, _accuracy_of_every_label(matrix, k))
    gain /= n
    rows = np.arange(k1)
    observed = float(gain[rows, rows].sum())
    members = _members(runs, k1)
    shuffled = np.empty(draws)
    for i in range(draws):
        order = rows.copy()
        for part in members:
            order[part] = generator.permutation(part)
        shuffled[i] = gain[rows, order].sum()
    # sums of the same numbers in another order differ by rounding
    as_large = int((shuffled >= observed - 1e-12).sum())
    return PermutationTest(observed, shuffled, (1 + as_large) / (1 + draws), k)


def _members(runs: ArrayLike | None, k1: int) -> list[Any]:
    """Stimuli of each run."""
    if runs is None:
        return [np.arange(k1)]
    names = np.asarray(runs)
    if names.shape != (k1,):
        raise ValueError(f"runs must name the run of each of the {k1} stimuli, but its shape is {names.shape}")
    group = distinct(names, "runs")[1]
    parts = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    if max(part.size for part in parts) < 2:
        raise ValueError("runs must hold at least one run with two stimuli: otherwise there is nothing to shuffle")
    return parts


def _accuracy_of_every_label(scores: Any, k: int) -> Any:
    """Subset accuracy with k classes if this column were the right one, for every entry of the matrix."""
    from scipy.stats import rankdata

    k1 = scores.shape[1]
    # sum of C(w, k-1) over w < x is C(x, k); a run of t + 1 tied labels averages over its places
    low = rankdata(scores, method="min", axis=1).astype(np.int64) - 1
    high = rankdata(scores, method="max", axis=1).astype(np.int64)
    of_wins = subset_accuracy(np.arange(k1, dtype=np.int64), k1, np.array([k]), 1, False)[:, 0]
    cumulative = np.concatenate([[0.0], np.cumsum(of_wins)])
    return (cumulative[high] - cumulative[low]) / (high - low)
