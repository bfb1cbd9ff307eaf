"""The methods by name, and the one that is used where none is named."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from classex._validation import one_of

if TYPE_CHECKING:
    from classex.extrapolation._base import Extrapolator
    from classex.results import CorrectRanks

__all__ = ["DEFAULT_METHOD", "DEFAULT_OF_SAMPLES", "METHODS", "default_method", "make_method"]

#: the method of `extrapolate` and of the command line
DEFAULT_METHOD = "gaussian-process"
#: what replaces it where points met unequal numbers of sampled wrong labels, so that no curve can be averaged
DEFAULT_OF_SAMPLES = "empirical-bayes"

#: class of each method, and how it is made
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "gaussian-process": ("GaussianProcessExtrapolator", {}),
    "probit-normal": ("ProbitNormalExtrapolator", {}),
    "mixture": ("MixtureExtrapolator", {}),
    "regression": ("RegressionExtrapolator", {}),
    "empirical-bayes": ("EmpiricalBayesExtrapolator", {}),
    "beta-binomial": ("BetaBinomialExtrapolator", {}),
    "pitman-yor": ("PitmanYorExtrapolator", {}),
    "kernel-density": ("KernelDensityExtrapolator", {}),
    "polynomial": ("PolynomialExtrapolator", {}),
    "pseudolikelihood": ("PseudolikelihoodExtrapolator", {}),
    "exponential": ("ExponentialExtrapolator", {}),
}


def default_method(ranks: CorrectRanks | None = None) -> str:
    """Return the name of the method that is used where none is named.

    Parameters
    ----------
    ranks : CorrectRanks, optional
        What it will be fitted to; None stands for scores.

    Returns
    -------
    str

    Examples
    --------
    >>> from classex.extrapolation.methods import default_method
    >>> default_method()
    'gaussian-process'
    """
    return DEFAULT_METHOD if ranks is None or ranks.evenly_sampled else DEFAULT_OF_SAMPLES


def make_method(name: str) -> Extrapolator:
    """Return an unfitted estimator by the name of its method.

    Parameters
    ----------
    name : str
        One of `METHODS`.

    Returns
    -------
    Extrapolator

    Raises
    ------
    ValueError
        If there is no such method.

    Examples
    --------
    >>> from classex.extrapolation.methods import make_method
    >>> make_method("mixture")
    MixtureExtrapolator()
    """
    family = import_module("classex.extrapolation")
    kind, options = METHODS[one_of(name, "method", tuple(METHODS))]
    made: Extrapolator = getattr(family, kind)(**options)
    return made
