"""Results of `classex.identification`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex._estimates import Interval
from classex._result import Result


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
    >>> from classex.identification import predict_responses
    >>> from classex.results import EncodingFit
    >>> fit = EncodingFit(np.array([[2.0]]), np.array([1.0]), np.zeros(1))
    >>> predict_responses(fit, [[3.0]])  # 1 + 3 * 2
    array([[7.]])
    """

    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]
    penalties: NDArray[np.float64]

    _says: ClassVar[str] = "Linear encoding model of {intercept} responses:"


@dataclass(frozen=True)
class PermutationTest(Result):
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
    seed : int or None
        Seed of the permutations, if it was given as a number.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.identification import permutation_test
    >>> scores = np.eye(20) + np.random.default_rng(0).normal(size=(20, 20))
    >>> test = permutation_test(scores, n_permutations=99, rng=1)
    >>> test.permuted.max() < test.accuracy, test.p_value
    (np.True_, 0.01)
    """

    accuracy: float
    permuted: NDArray[np.float64]
    p_value: float
    n_classes: int
    seed: int | None = None

    _says: ClassVar[str] = (
        "Identification accuracy {accuracy} with {n_classes} candidates; p = {p_value} among {permuted} permutations."
    )

    def _table(self) -> dict[str, Any]:
        return {
            "n_classes": [self.n_classes],
            "accuracy": [self.accuracy],
            "p_value": [self.p_value],
            "n_permutations": [self.permuted.size],
            "best_permutation": [self.permuted.max()],
        }


@dataclass(frozen=True)
class GroupEstimate(Result):
    """Mean of a quantity over the population that the subjects were drawn from.

    Attributes
    ----------
    value : float
        Mean over subjects.
    standard_error : float
        Its standard error over subjects, which includes the error within subjects.
    interval : Interval
        Student's interval, with one degree of freedom less than there are subjects.
    between : float
        Estimated standard deviation between subjects, beyond what their own standard errors explain; 0 if these
        explain all.
    n_subjects : int
        Number of subjects.

    Examples
    --------
    >>> from classex.identification import random_effects
    >>> group = random_effects([2.0, 2.6, 1.7, 2.5], [0.2, 0.2, 0.2, 0.2])
    >>> group.n_subjects, round(group.value, 2), round(group.standard_error, 3)
    (4, 2.2, 0.212)
    """

    value: float
    standard_error: float
    interval: Interval
    between: float
    n_subjects: int

    _says: ClassVar[str] = "Mean of {n_subjects} subjects: {found}; standard deviation between them {between}."
