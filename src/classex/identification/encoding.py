"""Encoding models: a linear map from stimulus features to responses, and the covariance of its noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._extras import needed_for
from classex._validation import as_finite_array, as_generator, as_positive_int, as_probability, one_of
from classex.identification._results import EncodingFit

__all__ = ["COVARIANCES", "REGRESSIONS", "fit_encoding", "noise_covariance", "predict_responses", "split_pairs"]

FloatArray = NDArray[np.float64]

REGRESSIONS = ("ridge", "elastic_net")
COVARIANCES = ("ledoit_wolf", "diagonal")
# ridge penalties are tried at these multiples of N times the mean variance of a feature
_RIDGE_GRID = np.geomspace(1e-4, 1e4, 17)
_L1_RATIOS = (0.1, 0.5, 0.9)
_FOLDS = 5


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
        Group of each pair (a film, a photograph, a stimulus that was repeated). Groups stay together: they are drawn
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
    Source: thesis section 2.6.2. Where neighbouring stimuli resemble each other (frames of one film, patches
    of one photograph), name the film or the region in `groups`: a random split lets the training set see the test.

    Examples
    --------
    >>> from classex.identification import split_pairs
    >>> train, test = split_pairs(10, n_test=4, rng=0)
    >>> len(train), len(test), set(train) & set(test)
    (6, 4, set())
    >>> train, test = split_pairs(
    ...     6, n_test=2, groups=["a", "a", "b", "b", "c", "c"], rng=0
    ... )
    >>> test
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


def fit_encoding(
    stimuli: ArrayLike,
    responses: ArrayLike,
    *,
    regression: str = "ridge",
    penalties: Sequence[float] | None = None,
    l1_ratios: Sequence[float] = _L1_RATIOS,
    n_jobs: int | None = None,
) -> EncodingFit:
    r"""Fit the linear encoding model :math:`Y = b + B^\top X + \epsilon`, one penalised regression per response.

    Column i of B minimises
    :math:`\lVert Y_i - b_i - X\beta\rVert^2 + \lambda_{1i}\lVert\beta\rVert_1 + \lambda_{2i}\lVert\beta\rVert_2^2`.
    Ridge has :math:`\lambda_1 = 0` and chooses :math:`\lambda_{2i}` by leave-one-out error; the elastic net
    chooses both by five-fold cross-validation. Every response has its own penalties.

    Parameters
    ----------
    stimuli : array_like of shape (n_train, n_features)
        Feature vectors of the stimuli.
    responses : array_like of shape (n_train, n_responses)
        Responses to them, row by row.
    regression : {"ridge", "elastic_net"}
        The penalty.
    penalties : sequence of float, optional
        Candidates for :math:`\lambda_2` (ridge only). By default 17 values from 1e-4 to 1e4 times
        ``n_train`` times the mean variance of a feature.
    l1_ratios : sequence of float
        Candidates for the share of the L1 penalty in scikit-learn's parametrisation, each in (0, 1]
        (elastic net only).
    n_jobs : int, optional
        Processes for the elastic net, as in joblib.

    Returns
    -------
    EncodingFit
        Coefficients, intercepts and chosen penalties.

    Raises
    ------
    ValueError
        If an entry is not finite, the numbers of rows differ or are below 5, a penalty is not positive or a
        ratio is outside (0, 1], or the regression is unknown.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Source: thesis section 2.6.3. The features are used as given: penalties act on their scale, so features in
    different units should be standardised first. The intercept is never penalised.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.identification import fit_encoding
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> y = x @ [[1.0, 0.0], [0.0, 2.0]] + 0.1 * rng.normal(size=(500, 2))
    >>> fit_encoding(x, y).coefficients.round(1) + 0.0
    array([[1., 0.],
           [0., 2.]])
    """
    kind = one_of(regression, "regression", REGRESSIONS)
    x, y = as_pairs(stimuli, responses, minimum=_FOLDS)
    if kind == "ridge":
        return _fit_ridge(x, y, penalties)
    if penalties is not None:
        raise ValueError("penalties applies to regression='ridge' only; use l1_ratios with regression='elastic_net'")
    return _fit_elastic_net(x, y, l1_ratios, n_jobs)


def as_pairs(stimuli: ArrayLike, responses: ArrayLike, *, minimum: int = 1) -> tuple[FloatArray, FloatArray]:
    """Return both sides as finite float64 matrices with the same number of rows, at least `minimum`."""
    x = as_finite_array(stimuli, "stimuli", ndim=2, dtype=np.float64)
    y = as_finite_array(responses, "responses", ndim=2, dtype=np.float64)
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"stimuli and responses must have as many rows, but have {x.shape[0]} and {y.shape[0]}")
    if x.shape[0] < minimum:
        raise ValueError(f"stimuli and responses must have at least {minimum} rows, but have {x.shape[0]}")
    for array, name in ((x, "stimuli"), (y, "responses")):
        if array.shape[1] < 1:
            raise ValueError(f"{name} must have at least one column, but its shape is {array.shape}")
    return x, y


def _fit_ridge(x: FloatArray, y: FloatArray, penalties: Sequence[float] | None) -> EncodingFit:
    with needed_for("a ridge fit"):
        from sklearn.linear_model import RidgeCV

    if penalties is None:
        grid = _RIDGE_GRID * x.shape[0] * (x.var(axis=0).mean() or 1.0)
    else:
        grid = as_finite_array(penalties, "penalties", ndim=1, dtype=np.float64)
        if grid.size == 0 or (grid <= 0).any():
            raise ValueError(f"penalties must hold one or more numbers greater than 0, not {penalties!r}")
    model = RidgeCV(alphas=grid, alpha_per_target=True).fit(x, y)
    chosen = np.broadcast_to(model.alpha_, (y.shape[1],))
    # scikit-learn drops the axis of the responses where there is only one
    coefficients = np.reshape(model.coef_, (y.shape[1], x.shape[1])).T.copy()
    intercept = np.reshape(model.intercept_, y.shape[1]).astype(np.float64)
    return EncodingFit(coefficients, intercept, np.stack([np.zeros(y.shape[1]), chosen]))


def _fit_elastic_net(x: FloatArray, y: FloatArray, l1_ratios: Sequence[float], n_jobs: int | None) -> EncodingFit:
    from joblib import Parallel, delayed

    ratios = as_finite_array(l1_ratios, "l1_ratios", ndim=1, dtype=np.float64)
    if ratios.size == 0 or (ratios <= 0).any() or (ratios > 1).any():
        raise ValueError(f"l1_ratios must hold one or more numbers in (0, 1], not {l1_ratios!r}")
    fits = Parallel(n_jobs=n_jobs)(delayed(_fit_one_elastic_net)(x, column, ratios) for column in y.T)
    coefficients = np.stack([fit[0] for fit in fits], axis=1)
    intercept = np.array([fit[1] for fit in fits])
    return EncodingFit(coefficients, intercept, np.array([fit[2] for fit in fits]).T)


def _fit_one_elastic_net(x: FloatArray, y: FloatArray, ratios: FloatArray) -> tuple[FloatArray, float, Any]:
    with needed_for("an elastic net"):
        from sklearn.linear_model import ElasticNetCV

    if np.ptp(y) == 0:
        return np.zeros(x.shape[1]), float(y[0]), (np.inf, np.inf)
    model = ElasticNetCV(l1_ratio=list(ratios), cv=_FOLDS, max_iter=20_000).fit(x, y)
    # scikit-learn minimises |y - x b|^2 / (2n) + a r |b|_1 + a (1 - r) |b|_2^2 / 2
    n, a, r = y.size, float(model.alpha_), float(model.l1_ratio_)
    return np.asarray(model.coef_), float(model.intercept_), (2 * n * a * r, n * a * (1 - r))


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
        If an entry is not finite or the number of features is not that of the fit.

    Notes
    -----
    Source: thesis section 2.6.3.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.identification import predict_responses
    >>> from classex.identification._results import EncodingFit
    >>> predict_responses(
    ...     EncodingFit(np.array([[2.0]]), np.array([1.0]), np.ones((2, 1))),
    ...     [[3.0]],
    ... )
    array([[7.]])
    """
    x = as_finite_array(stimuli, "stimuli", ndim=2, dtype=np.float64)
    if x.shape[1] != fit.coefficients.shape[0]:
        raise ValueError(f"stimuli must have {fit.coefficients.shape[0]} columns, as in training, but has {x.shape[1]}")
    predicted: FloatArray = fit.intercept + x @ fit.coefficients
    return predicted


def noise_covariance(
    residuals: ArrayLike, *, method: str = "ledoit_wolf", shrinkage: float | str = "auto"
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
        What to shrink towards.
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
    >>> from classex.identification import noise_covariance
    >>> noise_covariance(
    ...     [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -3.0]],
    ...     method="diagonal",
    ...     shrinkage=0.5,
    ... )
    array([[1.  , 0.25],
           [0.25, 3.  ]])
    """
    kind = one_of(method, "method", COVARIANCES)
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
    weight = (
        _diagonal_intensity(r / np.sqrt(variance)) if shrinkage == "auto" else as_probability(shrinkage, "shrinkage")
    )
    covariance: FloatArray = (1 - weight) * (r.T @ r) / r.shape[0]
    np.fill_diagonal(covariance, variance)
    return covariance


def _diagonal_intensity(z: FloatArray) -> float:
    """Estimated optimal intensity: summed variance of the off-diagonal correlations over their summed squares."""
    n = z.shape[0]
    squares = np.square(z.T @ z / n)
    fourth = np.square(z).T @ np.square(z) / n
    np.fill_diagonal(squares, 0.0)
    np.fill_diagonal(fourth, 0.0)
    total = float(squares.sum())
    return min(1.0, max(0.0, float((fourth - squares).sum()) / ((n - 1) * total))) if total > 0 else 1.0
