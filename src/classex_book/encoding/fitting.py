"""Encoding models: a linear map from stimulus features to responses, and the covariance of its noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_finite_array, as_generator, as_positive_int, as_probability, one_of
from classex._optional import needed_for
from classex._result import Result
from classex._types import FloatArray

__all__ = ["Covariance", "EncodingFit", "fit_encoding", "noise_covariance", "predict_responses", "split_pairs"]


Covariance = Literal["ledoit_wolf", "diagonal"]


@dataclass(frozen=True)
class EncodingFit(Result):
    r"""A fitted linear encoding model, ``intercept + stimuli @ coefficients``.

    Attributes
    ----------
    coefficients : ndarray of shape (n_features, n_responses)
        Column i holds the coefficients of response i.
    intercept : ndarray of shape (n_responses,)
        Response to a stimulus whose features are all zero.
    penalties : ndarray of shape (n_responses,)
        Chosen :math:`\lambda_i`: the weight of the squared coefficients in the penalised sum of squares.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.encoding import predict_responses
    >>> from classex_book.encoding import EncodingFit
    >>> fit = EncodingFit(np.array([[2.0]]), np.array([1.0]), np.zeros(1))
    >>> predict_responses(fit, [[3.0]])  # 1 + 3 * 2
    array([[7.]])
    """

    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]
    penalties: NDArray[np.float64]

    _says: ClassVar[str] = "Linear encoding model of {intercept} responses:"


# fewest pairs for a leave-one-out error: set by judgement
_FEWEST_PAIRS = 5


def split_pairs(
    n_pairs: int, *, n_test: int, groups: ArrayLike | None = None, rng: Any = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split stimulus-response pairs at random into a training and a test set.

    Parameters
    ----------
    n_pairs : int
        Number T of pairs.
    n_test : int
        Number M of test pairs, at least 2 and fewer than `n_pairs`.
    groups : array_like of shape (n_pairs,), optional
        Group of each pair (a film, a photograph, a repeated stimulus). Groups stay together: they are drawn
        at random until the test set has at least `n_test` pairs.
    rng : None, int or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    train, test : ndarray of shape (n_pairs - n_test,) and (n_test,)
        Row numbers, each in increasing order. With `groups` the test set may be larger by part of a group.

    Raises
    ------
    ValueError
        If the numbers are out of range, there is not one group for each pair, or no group is left for training.
    TypeError
        If they are not integers, or `rng` is not a seed or generator.

    Notes
    -----
    Source: thesis section 2.6.2. If neighbouring stimuli resemble each other (frames of one film, patches of
    one photograph), name the film or the photograph in `groups`: a random split would put neighbours into both sets.

    Examples
    --------
    >>> from classex_book.encoding import split_pairs
    >>> train, test = split_pairs(10, n_test=4, rng=0)
    >>> len(train), len(test), set(train) & set(test)
    (6, 4, set())
    >>> split_pairs(6, n_test=2, groups=list("aabbcc"), rng=0)[1]
    array([4, 5])
    """
    total = as_positive_int(n_pairs, "n_pairs", minimum=3)
    size = as_positive_int(n_test, "n_test", minimum=2, maximum=total - 1)
    generator = as_generator(rng)
    if groups is None:
        order = generator.permutation(total)
        return np.sort(order[size:]), np.sort(order[:size])
    names = np.asarray(groups)
    if names.shape != (total,):
        raise ValueError(f"groups must name the group of each of the {total} pairs, but its shape is {names.shape}")
    group = np.unique(names, return_inverse=True)[1]
    count = np.bincount(group)
    drawn = generator.permutation(count.size)
    needed = int(np.searchsorted(np.cumsum(count[drawn]), size)) + 1
    if needed >= count.size:
        raise ValueError(f"n_test must leave a group for training, but {size} pairs take all {count.size} groups")
    held = np.isin(group, drawn[:needed])
    return np.flatnonzero(~held), np.flatnonzero(held)


def fit_encoding(stimuli: ArrayLike, responses: ArrayLike, *, penalties: Sequence[float] | None = None) -> EncodingFit:
    r"""Fit the linear encoding model :math:`Y = b + B^\top X + \epsilon`, one ridge regression per response.

    Column i of B minimises :math:`\lVert Y_i - b_i - X\beta\rVert^2 + \lambda_i\lVert\beta\rVert_2^2`. The penalty
    :math:`\lambda_i` of each response has the least leave-one-out error.

    Parameters
    ----------
    stimuli : array_like of shape (n_train, n_features)
        Feature vectors of the stimuli.
    responses : array_like of shape (n_train, n_responses)
        Responses to the stimuli, row by row.
    penalties : sequence of float, optional
        Candidates for :math:`\lambda_i`. By default 17 values from 1e-4 to 1e4 times ``n_train`` times the mean
        variance of a feature.

    Returns
    -------
    EncodingFit
        Coefficients, intercepts and chosen penalties.

    Raises
    ------
    ValueError
        If an entry is not finite, the numbers of rows differ or are below 5, or a penalty is not positive.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Source: thesis section 2.6.3. The features are used as given: penalties act on their scale, so features in
    different units should be standardised first. The intercept is not penalised. Another regression, such as
    scikit-learn's ``MultiTaskElasticNetCV``, enters as an `EncodingFit` of its coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.encoding import fit_encoding
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> y = x @ [[1.0, 0.0], [0.0, 2.0]] + 0.1 * rng.normal(size=(500, 2))
    >>> fit_encoding(x, y).coefficients.round(1) + 0.0
    array([[1., 0.],
           [0., 2.]])
    """
    with needed_for("a ridge fit"):
        from sklearn.linear_model import RidgeCV

    x, y = as_pairs(stimuli, responses)
    if x.shape[0] < _FEWEST_PAIRS:
        raise ValueError(f"stimuli and responses must have at least {_FEWEST_PAIRS} rows, but have {x.shape[0]}")
    grid = np.geomspace(1e-4, 1e4, 17) * x.shape[0] * (x.var(axis=0).mean() or 1.0)
    if penalties is not None:
        grid = as_finite_array(penalties, "penalties", ndim=1, dtype=np.float64)
        if grid.size == 0 or (grid <= 0).any():
            raise ValueError(f"penalties must hold one or more numbers greater than 0, not {penalties!r}")
    model = RidgeCV(alphas=grid, alpha_per_target=True).fit(x, y)
    # scikit-learn drops the axis of the responses if there is only one
    coefficients = np.reshape(model.coef_, (y.shape[1], x.shape[1])).T.copy()
    intercept = np.reshape(model.intercept_, y.shape[1]).astype(np.float64)
    return EncodingFit(coefficients, intercept, np.broadcast_to(model.alpha_, y.shape[1]).copy())


def as_pairs(stimuli: ArrayLike, responses: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both sides as finite float64 matrices with the same number of rows."""
    x = as_finite_array(stimuli, "stimuli", ndim=2, dtype=np.float64)
    y = as_finite_array(responses, "responses", ndim=2, dtype=np.float64)
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"stimuli and responses must have one number of rows, not {x.shape[0]} and {y.shape[0]}")
    for array, name in ((x, "stimuli"), (y, "responses")):
        if array.shape[1] < 1:
            raise ValueError(f"{name} must have at least one column, but its shape is {array.shape}")
    return x, y


def predict_responses(fit: EncodingFit, stimuli: ArrayLike) -> FloatArray:
    """Predict the mean response to each stimulus, ``intercept + stimuli @ coefficients``.

    Parameters
    ----------
    fit : EncodingFit
        From `fit_encoding`.
    stimuli : array_like of shape (n, n_features)
        Feature vectors.

    Returns
    -------
    ndarray of shape (n, n_responses)
        Predicted responses.

    Raises
    ------
    ValueError
        If an entry is not finite, or the number of features differs from the fit.

    Notes
    -----
    Source: thesis section 2.6.3.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.encoding import predict_responses
    >>> from classex_book.encoding import EncodingFit
    >>> fit = EncodingFit(np.array([[2.0]]), np.array([1.0]), np.ones(1))
    >>> predict_responses(fit, [[3.0]])
    array([[7.]])
    """
    x = as_finite_array(stimuli, "stimuli", ndim=2, dtype=np.float64)
    if x.shape[1] != fit.coefficients.shape[0]:
        raise ValueError(f"stimuli must have {fit.coefficients.shape[0]} columns, as in training, but has {x.shape[1]}")
    return np.asarray(fit.intercept + x @ fit.coefficients)


def noise_covariance(
    residuals: ArrayLike, *, method: Covariance = "ledoit_wolf", shrinkage: float | str = "auto"
) -> FloatArray:
    r"""Shrunk covariance of the noise, from the residuals R of the fitted encoding model.

    ``"ledoit_wolf"`` shrinks :math:`R^\top R/N` towards a multiple of the identity, by scikit-learn's
    Ledoit-Wolf intensity. ``"diagonal"`` shrinks it towards its own diagonal,

    .. math:: \hat\Sigma = \tfrac1N\left((1-\lambda) R^\top R + \lambda\,\mathrm{diag}(R^\top R)\right).

    Parameters
    ----------
    residuals : array_like of shape (n_train, n_responses)
        Responses minus the predictions of the *fitted* model.
    method : {"ledoit_wolf", "diagonal"}
        Target of the shrinkage.
    shrinkage : float or "auto"
        Intensity :math:`\lambda` in [0, 1] for ``"diagonal"``. ``"auto"`` minimises the estimated mean squared
        error of the correlations (Schäfer and Strimmer 2005, target D).

    Returns
    -------
    ndarray of shape (n_responses, n_responses)
        The covariance estimate.

    Raises
    ------
    ValueError
        If an entry is not finite, there are fewer than two rows, a column is all zero, the method is unknown,
        the intensity lies outside [0, 1], or it is given with ``"ledoit_wolf"``.

    Notes
    -----
    Source: thesis section 2.6.3, with the residuals of the estimated coefficients (see the errata page).

    Examples
    --------
    >>> from classex_book.encoding import noise_covariance
    >>> noise_covariance(
    ...     [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -3.0]],
    ...     method="diagonal",
    ...     shrinkage=0.5,
    ... )
    array([[1.  , 0.25],
           [0.25, 3.  ]])
    """
    kind = one_of(method, "method", get_args(Covariance))
    r = as_finite_array(residuals, "residuals", ndim=2, dtype=np.float64)
    if r.shape[0] < 2:
        raise ValueError(f"residuals must have at least 2 rows, but its shape is {r.shape}")
    variance = np.square(r).mean(axis=0)
    if not variance.all():
        column = int(np.argmin(variance))
        raise ValueError(f"residuals must vary in every column, but column {column} is zero: drop that response")
    if kind == "ledoit_wolf":
        if shrinkage != "auto":
            raise ValueError(f"shrinkage applies to method='diagonal' only, not {shrinkage!r} with 'ledoit_wolf'")
        with needed_for("method='ledoit_wolf'"):
            from sklearn.covariance import ledoit_wolf

        return np.asarray(ledoit_wolf(r, assume_centered=True)[0], dtype=np.float64)
    squares = r.T @ r / r.shape[0]
    if shrinkage == "auto":
        # summed variance of the off-diagonal correlations over their summed squares
        z = r / np.sqrt(variance)
        apart = ~np.eye(r.shape[1], dtype=bool)
        correlation = np.square(z.T @ z / r.shape[0])[apart]
        fourth = (np.square(z).T @ np.square(z) / r.shape[0])[apart]
        total = float(correlation.sum()) * (r.shape[0] - 1)
        weight = float(np.clip((fourth - correlation).sum() / total, 0.0, 1.0)) if total > 0 else 1.0
    else:
        weight = as_probability(shrinkage, "shrinkage")
    covariance: FloatArray = (1 - weight) * squares
    np.fill_diagonal(covariance, variance)
    return covariance
