"""The Bayesian marginal predictor as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._extras import needed_for
from classex._validation import as_weights
from classex.advantage._class_targets import FloatArray
from classex.advantage.measure import LOSSES, bayesian_marginal_prediction, prediction_advantage

with needed_for("MarginalPredictor"):
    from sklearn.base import BaseEstimator
    from sklearn.utils import ClassifierTags, RegressorTags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted, column_or_1d

__all__ = ["MarginalPredictor"]


class MarginalPredictor(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Predict the best constant, whatever the input: the predictor that defines prediction advantage 0.

    Parameters
    ----------
    loss : {"zero_one", "cross_entropy", "squared", "absolute", "pinball"}, array_like or callable
        As in `prediction_advantage`. Named class losses and cost matrices make a classifier, the other
        losses a regressor. Rows and columns of a cost matrix follow the sorted labels.
    quantile : float, optional
        Level of the pinball loss.

    Attributes
    ----------
    constant_ : label, float or ndarray
        The prediction for every row; for cross-entropy the class shares.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels (classifiers only).
    class_prior_ : ndarray of shape (n_classes,)
        Weighted shares of the labels (classifiers only).

    Notes
    -----
    The input is not looked at, nor checked. `predict` of a cross-entropy classifier gives the mode,
    `predict_proba` the shares. `score` is the prediction advantage on the given rows: at most 0 for every
    marginal predictor, and 0 on the rows it was fitted to.

    Examples
    --------
    >>> from classex.advantage import MarginalPredictor
    >>> model = MarginalPredictor(loss="absolute").fit(
    ...     [[0], [0], [0]], [1.0, 2.0, 9.0]
    ... )
    >>> model.predict([[5], [6]])
    array([2., 2.])
    """

    def __init__(self, *, loss: Any = "zero_one", quantile: float | None = None):
        self.loss = loss
        self.quantile = quantile

    def _is_classifier(self) -> bool:
        if isinstance(self.loss, str):
            return self.loss in ("zero_one", "cross_entropy")
        return not callable(self.loss)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> MarginalPredictor:
        """Find the best constant for `y`; `X` of shape (n, ...) is only counted.

        Parameters
        ----------
        X : array_like of shape (n, n_features)
            Ignored but for its number of rows.
        y : array_like of shape (n,) or (n, n_outputs)
            Labels; several columns for squared, absolute and pinball loss.
        sample_weight : array_like of shape (n,), optional
            Weights of the rows.

        Returns
        -------
        MarginalPredictor
            Itself.
        """
        check_consistent_length(X, y)
        if self._is_classifier():
            check_classification_targets(y)
            labels = column_or_1d(y, warn=True)
            weight = as_weights(sample_weight, labels.size)
            self.classes_, codes = np.unique(labels, return_inverse=True)
            self.class_prior_: FloatArray = np.bincount(codes, weights=weight) / weight.sum()
            y = labels
        self.constant_ = bayesian_marginal_prediction(
            y, loss=self.loss, sample_weight=sample_weight, quantile=self.quantile
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the constant for each row of `X`, shape (n,) or (n, n_outputs)."""
        check_is_fitted(self)
        constant = np.asarray(self.constant_)
        if isinstance(self.loss, str) and self.loss == "cross_entropy":
            constant = np.asarray(self.classes_[np.argmax(self.class_prior_)])
        return np.broadcast_to(constant, (_num_samples(X), *constant.shape)).copy()

    @available_if(_is_classifier)  # type: ignore[untyped-decorator]  # scikit-learn ships no types
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class shares for each row of `X`, shape (n, n_classes); classifiers only."""
        check_is_fitted(self)
        return np.tile(self.class_prior_, (_num_samples(X), 1))

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Prediction advantage on the given rows; 0 on the rows of the fit, below elsewhere."""
        proba = isinstance(self.loss, str) and self.loss == "cross_entropy"
        labels = None if not self._is_classifier() else self.classes_
        return float(
            prediction_advantage(
                y,
                self.predict_proba(X) if proba else self.predict(X),
                loss=self.loss,
                sample_weight=sample_weight,
                labels=labels,
                quantile=self.quantile,
            )
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.no_validation = True
        tags.input_tags.sparse = True
        if self._is_classifier():
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(poor_score=True)
        else:
            tags.estimator_type = "regressor"
            tags.regressor_tags = RegressorTags(poor_score=True)
            tags.target_tags.multi_output = isinstance(self.loss, str) and self.loss in LOSSES
        return tags
