"""Standard errors and numbers of trials beyond half of the classes, where leaving one class out breaks down."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._rates import varies

__all__ = ["carried_errors", "most_trials"]

FloatArray = NDArray[np.float64]


def carried_errors(
    own: FloatArray, room: FloatArray, scale: FloatArray, *, alone: ArrayLike, whole: ArrayLike, room_at_half: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Factors of the own-class error at each size, and of the jackknife error at half; one of the two is zero.

    The own-class error is multiplied by the ratio of jackknife to own-class error at half. Where the classes do not
    differ on their own points but the jackknife varies, as with a label that beats every point, that ratio does not
    exist: the jackknife error at half is carried on at the same number of trials. No error exceeds that of one trial.

    Parameters
    ----------
    own, room, scale : ndarray of shape (n,) or (n, n_rates)
        Own-class standard errors, the variances of one trial and the sizes of numbers that the errors are compared
        with, for each number of classes.
    alone, whole, room_at_half : float, or ndarray of shape (n_rates,)
        At half of the classes: own-class and jackknife standard errors, zero where they are rounding, and the
        variance of one trial.
    """
    single = np.sqrt(room)
    alone, whole, room_at_half = (np.asarray(one, dtype=np.float64) for one in (alone, whole, room_at_half))
    ratio = np.divide(whole, alone, out=np.ones_like(alone), where=(alone > 0) & (whole > 0))
    as_at_half = np.where(room_at_half > 0, single / np.sqrt(np.where(room_at_half > 0, room_at_half, 1.0)), 0.0)
    lost = ~varies(own, scale) | ((alone == 0) & (as_at_half * whole > own))
    error = own * ratio
    on_own = ratio * np.minimum(1.0, np.divide(single, error, out=np.ones_like(error), where=error > 0))
    return np.where(lost, 0.0, on_own), np.where(lost, as_at_half, 0.0)


def most_trials(
    sizes: NDArray[np.int64], half: int, last: int, *, room: FloatArray, error: FloatArray, n_people: int
) -> FloatArray:
    """Largest number of trials that a sample is worth at each number of classes.

    With all classes, a label that beats every point leaves an accuracy of exactly zero, without any variance. With
    nearly all, points that were beaten once leave an accuracy near zero and a small variance. From sample to sample
    both vary more. The number of trials is known at half of the classes, from the jackknife, and with all of
    them, where no point is averaged over subsets; in between it is interpolated on logarithmic scales.

    Parameters
    ----------
    sizes : ndarray of shape (n,)
        Numbers of classes.
    half, last : int
        Half of the classes, and all.
    room, error : ndarray of shape (2,) or (2, n_rates)
        Variance of one trial and standard error at `half` and at `last`; an error of 0 says that nothing varies.
    n_people : int
        Number of trials where nothing varies.

    Returns
    -------
    ndarray of shape (n,) or (n, n_rates)
        Infinite up to half of the classes, and where nothing varies at half.
    """
    known = error > 0
    number = np.divide(room, np.square(error), out=np.full(room.shape, float(n_people)), where=known)
    with np.errstate(divide="ignore"):
        least, most = np.log(number)
    most = np.minimum(least, most)
    share, above = (one.reshape(-1, *(1,) * least.ndim) for one in (np.log(sizes / half), sizes > half))
    found = np.exp(least + share / np.log(last / half) * (most - least))
    return np.where(above & known[0], found, np.inf)
