"""The identification task: which of several stimuli evoked this response?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from classex._checks import as_finite_array, one_of
from classex._types import FloatArray
from classex.ranks import correct_ranks_from_embeddings
from classex.ranks.ranks import CorrectRanks
from classex_book.encoding.fitting import (
    Covariance,
    EncodingFit,
    as_pairs,
    fit_encoding,
    noise_covariance,
    predict_responses,
)

__all__ = ["IdentificationModel"]


@dataclass(eq=False, kw_only=True)
class IdentificationModel:
    r"""Encoding model turned into a decoder of stimuli by Bayes' rule.

    Training fits :math:`Y = b + B^\top X + \epsilon`, :math:`\epsilon \sim N(0, \Sigma)`. A response y is then
    attributed to the candidate stimulus x with the largest log density, up to a constant

    .. math:: -\tfrac12 (y - \hat b - \hat B^\top x)^\top \hat\Sigma^{-1} (y - \hat b - \hat B^\top x).

    Parameters
    ----------
    covariance : {"ledoit_wolf", "diagonal"}
        Shrinkage of the noise covariance, see `noise_covariance`.
    penalties : sequence of float, optional
        Candidates for the ridge penalty, see `fit_encoding`.
    shrinkage : float or "auto"
        Intensity of the shrinkage, see `noise_covariance`.

    Attributes
    ----------
    encoding_ : EncodingFit
        Coefficients, intercepts and penalties.
    residuals_ : ndarray of shape (n_train, n_responses)
        Residuals of the training responses.
    covariance_ : ndarray of shape (n_responses, n_responses)
        Estimated noise covariance.

    Raises
    ------
    ValueError
        If an option is unknown.

    Notes
    -----
    Source: thesis sections 2.6.3 and 2.6.4. Responses and predictions are whitened once, by the Cholesky
    factor of the covariance; the scores of all pairs are then one matrix product.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> from classex_book.encoding import IdentificationModel
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(300, 10))
    >>> y = x @ rng.normal(size=(10, 30)) + 4 * rng.normal(size=(300, 30))
    >>> model = IdentificationModel().fit(x[:200], y[:200])
    >>> curve = cx.accuracy_curve(model.identify(x[200:], y[200:]), [2, 10, 100])
    >>> bool(curve.accuracy[0] > 0.9)
    True
    """

    covariance: Covariance = "ledoit_wolf"
    penalties: Sequence[float] | None = None
    shrinkage: float | str = "auto"
    encoding_: EncodingFit = field(init=False, repr=False)
    residuals_: FloatArray = field(init=False, repr=False)
    covariance_: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        one_of(self.covariance, "covariance", get_args(Covariance))

    def fit(self, stimuli: ArrayLike, responses: ArrayLike) -> IdentificationModel:
        """Fit the encoding model and its noise covariance to training pairs.

        Parameters
        ----------
        stimuli : array_like of shape (n_train, n_features)
            Feature vectors.
        responses : array_like of shape (n_train, n_responses)
            Responses, row by row; none may be constant.

        Returns
        -------
        IdentificationModel
            The model itself.

        Raises
        ------
        ValueError
            If the data are not finite or do not match, a response is constant, or the covariance cannot be
            inverted.
        """
        x, y = as_pairs(stimuli, responses)
        width = np.ptp(y, axis=0)
        if not width.all():
            raise ValueError(f"responses must vary in training, but column {np.argmin(width)} is constant")
        fit = fit_encoding(x, y, penalties=self.penalties)
        return self._set(fit, y - predict_responses(fit, x))

    def subset(self, responses: ArrayLike) -> IdentificationModel:
        """Return the model that uses some of the responses only (voxels, neurons).

        Each response has its own regression, so the coefficients stay; the noise covariance is shrunk anew.

        Parameters
        ----------
        responses : array_like of int, shape (n,)
            Columns of the training responses to keep, none of them twice.

        Returns
        -------
        IdentificationModel
            A fitted model; give its methods the same columns of the test responses.

        Raises
        ------
        ValueError
            If a column does not exist or is named twice, or the model is not fitted.
        """
        self._check_fitted()
        columns = np.atleast_1d(np.asarray(responses))
        n = self.residuals_.shape[1]
        if columns.ndim != 1 or columns.size == 0 or not np.issubdtype(columns.dtype, np.integer):
            raise ValueError(f"responses must hold one or more column numbers, not {responses!r}")
        if columns.min() < 0 or columns.max() >= n or np.unique(columns).size != columns.size:
            raise ValueError(f"responses must hold different column numbers in 0..{n - 1}, not {responses!r}")
        whole = self.encoding_
        fit = EncodingFit(whole.coefficients[:, columns], whole.intercept[columns], whole.penalties[columns])
        return replace(self)._set(fit, self.residuals_[:, columns])

    def predict(self, stimuli: ArrayLike) -> FloatArray:
        """Predict the mean response to each stimulus.

        Parameters
        ----------
        stimuli : array_like of shape (n_stimuli, n_features)
            Feature vectors.

        Returns
        -------
        ndarray of shape (n_stimuli, n_responses)
            Predicted responses.
        """
        self._check_fitted()
        return predict_responses(self.encoding_, stimuli)

    def scores(self, stimuli: ArrayLike, responses: ArrayLike) -> FloatArray:
        r"""Log density of every response under every candidate stimulus, up to one constant.

        Parameters
        ----------
        stimuli : array_like of shape (n_stimuli, n_features)
            Candidate stimuli.
        responses : array_like of shape (n_test, n_responses)
            Responses to decode.

        Returns
        -------
        ndarray of shape (n_test, n_stimuli)
            Minus half the squared Mahalanobis distances. The scores of independent subjects may be added.
        """
        evoked, predicted = self._whiten(stimuli, responses)
        scores: FloatArray = evoked @ predicted.T
        scores -= 0.5 * np.square(predicted).sum(axis=1)
        scores -= 0.5 * np.square(evoked).sum(axis=1)[:, np.newaxis]
        return scores

    def identify(self, stimuli: ArrayLike, responses: ArrayLike, *, labels: ArrayLike | None = None) -> CorrectRanks:
        """Rank of the right stimulus for every test response, each stimulus a class.

        Parameters
        ----------
        stimuli : array_like of shape (n_stimuli, n_features)
            Test stimuli, all different; they are the candidates.
        responses : array_like of shape (n_test, n_responses)
            Test responses.
        labels : array_like of int, shape (n_test,), optional
            Row of `stimuli` that evoked each response. By default response i belongs to stimulus i. Give
            labels where stimuli were repeated, so that no copy of the right stimulus competes with it.

        Returns
        -------
        CorrectRanks
            For `accuracy_curve`, with standard errors over stimuli, or `implied_information`. Scores are
            computed in blocks.

        Raises
        ------
        ValueError
            If the shapes do not match those of the training data, or labels are missing where the numbers of
            stimuli and responses differ.

        Notes
        -----
        Source: thesis section 2.6.5, corrected (see the errata page).
        """
        evoked, predicted = self._whiten(stimuli, responses)
        if labels is None:
            if evoked.shape[0] != predicted.shape[0]:
                raise ValueError(
                    f"labels must give the stimulus, one of {predicted.shape[0]}, of each of the"
                    f" {evoked.shape[0]} responses, because the numbers differ"
                )
            labels = np.arange(evoked.shape[0])
        return correct_ranks_from_embeddings(evoked, predicted, labels)

    def _set(self, fit: EncodingFit, residuals: FloatArray) -> IdentificationModel:
        self.encoding_ = fit
        self.residuals_ = residuals
        self.covariance_ = noise_covariance(residuals, method=self.covariance, shrinkage=self.shrinkage)
        try:
            self._factor = cholesky(self.covariance_, lower=True)
        except LinAlgError:
            raise ValueError(
                f"the noise covariance of {residuals.shape[1]} responses from {residuals.shape[0]} training pairs"
                f" cannot be inverted with shrinkage={self.shrinkage!r}: shrink more, or use fewer responses"
            ) from None
        return self

    def _check_fitted(self) -> None:
        if not hasattr(self, "encoding_"):
            raise ValueError("this IdentificationModel is not fitted yet: call fit(stimuli, responses) first")

    def _whiten(self, stimuli: ArrayLike, responses: ArrayLike) -> tuple[FloatArray, FloatArray]:
        # compute copies of a stimulus once, so that they tie exactly
        distinct, copies = np.unique(as_finite_array(stimuli, "stimuli", ndim=2), axis=0, return_inverse=True)
        predicted = self.predict(distinct)
        y = as_finite_array(responses, "responses", ndim=2, dtype=np.float64)
        if min(predicted.shape[0], y.shape[0]) == 0:
            raise ValueError("stimuli and responses must have at least one row")
        if y.shape[1] != predicted.shape[1]:
            raise ValueError(f"responses must have {predicted.shape[1]} columns, as in training, but has {y.shape[1]}")
        # distances do not depend on the origin; one in the middle keeps cancellation in the scores small
        origin = predicted.mean(axis=0)
        both = solve_triangular(self._factor, np.concatenate([y, predicted]).T - origin[:, np.newaxis], lower=True).T
        # NumPy 2.0.0 gives the copies a second axis
        return both[: y.shape[0]], both[y.shape[0] :][copies.ravel()]
