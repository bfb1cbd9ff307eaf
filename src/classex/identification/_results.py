"""What the functions of this package return: frozen dataclasses, each estimate with its standard error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["EncodingFit", "PermutationTest"]


@dataclass(frozen=True)
class EncodingFit:
    r"""A fitted linear encoding model, ``intercept + stimuli @ coefficients``.

    Attributes
    ----------
    coefficients : ndarray of shape (n_features, n_responses)
        Column i holds the coefficients of response i.
    intercept : ndarray of shape (n_responses,)
        Response to a stimulus whose features are all zero.
    penalties : ndarray of shape (2, n_responses)
        Chosen :math:`\lambda_1` and :math:`\lambda_2`: the weights of the absolute and of the squared
        coefficients beside the residual sum of squares.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.identification import EncodingFit, predict_responses
    >>> fit = EncodingFit(np.array([[2.0]]), np.array([1.0]), np.zeros((2, 1)))
    >>> predict_responses(fit, [[3.0]])  # 1 + 3 * 2
    array([[7.]])
    """

    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]
    penalties: NDArray[np.float64]


@dataclass(frozen=True)
class PermutationTest:
    """Identification accuracy against its distribution under shuffled labels.

    Attributes
    ----------
    accuracy : float
        Observed average accuracy with `n_classes` candidates.
    permuted : ndarray of shape (n_permutations,)
        The same under random permutations of the stimuli.
    p_value : float
        One-sided: the share of permutations that do as well, the observed one included.
    n_classes : int
        Number of candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.identification import permutation_test
    >>> scores = np.eye(20) + np.random.default_rng(0).normal(size=(20, 20))
    >>> test = permutation_test(scores, n_permutations=99, rng=1)
    >>> # none of 99 does as well
    >>> test.n_classes, bool(test.permuted.max() < test.accuracy), test.p_value
    (2, True, 0.01)
    """

    accuracy: float
    permuted: NDArray[np.float64]
    p_value: float
    n_classes: int
