"""Recordings in time: delays, slow drifts, repeats, and predictions out of run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_finite_array, as_positive_int, distinct
from classex._types import FloatArray
from classex_book.encoding.fitting import as_pairs, fit_encoding, predict_responses

__all__ = ["delay_features", "detrend", "noise_ceiling", "out_of_run_r2", "segment_scores"]


def delay_features(features: ArrayLike, delays: Sequence[int], *, runs: ArrayLike | None = None) -> FloatArray:
    """Features of earlier samples side by side, from which a linear model can learn a delayed response.

    Parameters
    ----------
    features : array_like of shape (n_samples, n_features)
        Features in the order of time.
    delays : sequence of int
        Delays in samples, each at least 0; for the haemodynamic response 1 to 4 samples of two seconds.
    runs : array_like of int, shape (n_samples,), optional
        Run of each sample, in blocks; nothing is carried from one run into the next. By default all are one run.

    Returns
    -------
    ndarray of shape (n_samples, len(delays) * n_features)
        The features at the first delay, then at the second, and so on; 0 before the first sample of a run.

    Raises
    ------
    ValueError
        If an entry is not finite, a delay is negative or named twice, or a run is not one block.

    Notes
    -----
    A finite impulse response model, as Kay et al. (2008) and later voxelwise studies fit it.

    Examples
    --------
    >>> from classex_book.recordings import delay_features
    >>> delay_features([[1.0], [2.0], [3.0]], [0, 1], runs=[0, 0, 1])
    array([[1., 0.],
           [2., 1.],
           [3., 0.]])
    """
    x = as_finite_array(features, "features", ndim=2, dtype=np.float64)
    lags = [as_positive_int(delay, "delays", minimum=0) for delay in delays]
    if not lags or len(set(lags)) != len(lags):
        raise ValueError(f"delays must hold one or more different numbers, not {list(delays)!r}")
    out = np.zeros((x.shape[0], len(lags), x.shape[1]))
    for first, last in _blocks(runs, x.shape[0]):
        for i, lag in enumerate(lags):
            out[first + lag : last, i] = x[first : max(last - lag, first)]
    return out.reshape(x.shape[0], -1)


def detrend(responses: ArrayLike, *, runs: ArrayLike | None = None, degree: int = 3) -> FloatArray:
    """Responses without the slow drift of each run: residuals of a polynomial in time.

    Parameters
    ----------
    responses : array_like of shape (n_samples, n_responses)
        Responses in the order of time.
    runs : array_like of int, shape (n_samples,), optional
        Run of each sample, in blocks; by default all are one run.
    degree : int
        Degree of the polynomial, at least 0 (the mean only) and less than the length of a run minus one.

    Returns
    -------
    ndarray of shape (n_samples, n_responses)
        Residuals; the mean of every run is zero.

    Raises
    ------
    ValueError
        If an entry is not finite, a run is not one block, or a run is too short for the degree.

    Examples
    --------
    >>> from classex_book.recordings import detrend
    >>> bool(abs(detrend([[1.0], [2.0], [4.0], [7.0]], degree=2)).max() < 1e-12)
    True
    """
    y = as_finite_array(responses, "responses", ndim=2, dtype=np.float64)
    power = as_positive_int(degree, "degree", minimum=0)
    out = np.empty_like(y)
    for first, last in _blocks(runs, y.shape[0]):
        n = last - first
        if n < power + 2:
            raise ValueError(f"degree must be at most {n - 2} for a run of {n} samples, not {power}")
        basis = np.linalg.qr(np.polynomial.legendre.legvander(np.linspace(-1, 1, n), power))[0]
        out[first:last] = y[first:last] - basis @ (basis.T @ y[first:last])
    return out


def noise_ceiling(repeats: ArrayLike) -> tuple[FloatArray, FloatArray]:
    r"""Signal variance and explainable share of the mean response, from repeats of the same stimuli.

    With r repeats, :math:`V` the variance over samples of the mean of the repeats and :math:`\bar v` the mean of the
    variances of single repeats, the *signal variance* is estimated by :math:`(rV - \bar v)/(r - 1)`. Divided by V, it
    is the share of the variance of the mean response that a model could explain.

    Parameters
    ----------
    repeats : array_like of shape (n_repeats, n_samples, n_responses)
        Responses to the same stimuli, at least two repeats.

    Returns
    -------
    signal : ndarray of shape (n_responses,)
        Estimated variance of the noiseless response; unbiased if the noise of different repeats is independent, so it
        may be negative.
    ceiling : ndarray of shape (n_responses,)
        Estimated explainable share of the variance of the mean over repeats, in [0, 1].

    Raises
    ------
    ValueError
        If an entry is not finite, there are fewer than two repeats or three samples, or a response is constant.

    Notes
    -----
    Sahani and Linden (2003), "How linear are auditory cortical responses?". Drift that is the same in every repeat
    counts as signal: detrend first.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.recordings import noise_ceiling
    >>> rng = np.random.default_rng(0)
    >>> repeats = rng.normal(size=(1, 20_000, 1)) + rng.normal(size=(5, 20_000, 1))
    >>> signal, ceiling = noise_ceiling(repeats)  # signal 1, noise of the mean 1/5
    >>> bool(abs(signal[0] - 1) < 0.05), bool(abs(ceiling[0] - 5 / 6) < 0.02)
    (True, True)
    """
    y = as_finite_array(repeats, "repeats", ndim=3, dtype=np.float64)
    r, n, _ = y.shape
    if r < 2 or n < 3:
        raise ValueError(f"repeats must hold at least 2 repeats of at least 3 samples, but its shape is {y.shape}")
    of_mean = y.mean(axis=0).var(axis=0, ddof=1)
    if not of_mean.all():
        raise ValueError(f"repeats must vary in every response, but response {int(np.argmin(of_mean))} is constant")
    signal = (r * of_mean - y.var(axis=1, ddof=1).mean(axis=0)) / (r - 1)
    return signal, np.clip(signal / of_mean, 0.0, 1.0)


def out_of_run_r2(features: ArrayLike, responses: ArrayLike, runs: ArrayLike) -> FloatArray:
    """Share of variance predicted by ridge regression in runs that took no part in the fit, for every response.

    Parameters
    ----------
    features : array_like of shape (n_samples, n_features)
        Features, delayed.
    responses : array_like of shape (n_samples, n_responses)
        Responses, detrended.
    runs : array_like of int, shape (n_samples,)
        Run of each sample; each is left out in turn.

    Returns
    -------
    ndarray of shape (n_responses,)
        One minus the squared error over the squared deviation from the training mean, summed over all runs. Use it to
        choose responses *within the training set*, not by the test set.

    Raises
    ------
    ValueError
        If an entry is not finite, the numbers of rows differ, or there are fewer than two runs.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.recordings import out_of_run_r2
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(300, 3))
    >>> y = np.column_stack([x[:, 0] + rng.normal(size=300), rng.normal(size=300)])
    >>> out_of_run_r2(x, y, np.repeat([0, 1, 2], 100)).round(1) + 0.0
    array([0.5, 0. ])
    """
    x, y = as_pairs(features, responses)
    run = _as_runs(runs, x.shape[0])
    if run.max(initial=0) < 1:
        raise ValueError("runs must hold at least two different runs, so that one can be left out")
    error, total = np.zeros(y.shape[1]), np.zeros(y.shape[1])
    for number in range(run.max() + 1):
        held = run == number
        fit = fit_encoding(x[~held], y[~held])
        error += np.square(y[held] - predict_responses(fit, x[held])).sum(axis=0)
        total += np.square(y[held] - y[~held].mean(axis=0)).sum(axis=0)
    return np.asarray(1 - error / np.where(total > 0, total, 1.0))


def segment_scores(scores: ArrayLike, length: int) -> FloatArray:
    """Scores of segments of equal length: sums of the scores of their samples, one after the other.

    Parameters
    ----------
    scores : array_like of shape (n_samples, n_samples)
        Log density of every sample's response under every sample's stimulus, as `IdentificationModel.scores` gives it.
    length : int
        Samples in a segment; an incomplete segment at the end is left out.

    Returns
    -------
    ndarray of shape (n_samples // length, n_samples // length)
        Entry (i, j): the response to segment i under the stimuli of segment j.

    Raises
    ------
    ValueError
        If the matrix is not square or holds fewer than two segments.

    Examples
    --------
    >>> from classex_book.recordings import segment_scores
    >>> segment_scores(
    ...     [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]], 2
    ... )
    array([[ 7., 11.],
           [23., 27.]])
    """
    matrix = as_finite_array(scores, "scores", ndim=2, dtype=np.float64)
    size = as_positive_int(length, "length")
    n = matrix.shape[0] // size
    if matrix.shape[0] != matrix.shape[1] or n < 2:
        raise ValueError(f"scores must be square and hold at least two segments of {size}, but has {matrix.shape}")
    return np.asarray(np.einsum("itjt->ij", matrix[: n * size, : n * size].reshape(n, size, n, size)))


def _as_runs(runs: ArrayLike | None, n: int) -> NDArray[np.int64]:
    run = np.zeros(n) if runs is None else np.asarray(runs)
    if run.shape != (n,):
        raise ValueError(f"runs must name the run of each of the {n} samples, but its shape is {run.shape}")
    return distinct(run, "runs")[1]


def _blocks(runs: ArrayLike | None, n: int) -> list[tuple[int, int]]:
    """First sample of each run, and one past the last."""
    run = _as_runs(runs, n)
    edges = [0, *(np.flatnonzero(np.diff(run)) + 1).tolist(), n]
    if len(edges) - 1 != np.unique(run).size:
        raise ValueError("runs must be blocks: all samples of a run one after the other")
    return list(pairwise(edges))
