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
    """

    accuracy: float
    permuted: NDArray[np.float64]
    p_value: float
    n_classes: int
