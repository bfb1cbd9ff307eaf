"""The methods by name, and the one that is used where none is named."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from classex._validation import one_of

if TYPE_CHECKING:
    from classex.extrapolation._base import Extrapolator

__all__ = ["DEFAULT_METHOD", "METHODS", "make_method"]

#: the method of `extrapolate` and of the command line
DEFAULT_METHOD = "ensemble"

#: class of each method, and how it is made
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "ensemble": ("EnsembleExtrapolator", {}),
    "probit-normal": ("ProbitNormalExtrapolator", {}),
    "mixture": ("MixtureExtrapolator", {}),
    "regression": ("RegressionExtrapolator", {}),
    "cross-validated": ("CrossValidatedExtrapolator", {}),
    "empirical-bayes": ("EmpiricalBayesExtrapolator", {}),
    "beta-binomial": ("BetaBinomialExtrapolator", {}),
    "pitman-yor": ("PitmanYorExtrapolator", {}),
    "gaussian-process": ("GaussianProcessExtrapolator", {}),
    "kernel-density": ("KernelDensityExtrapolator", {}),
    "polynomial": ("PolynomialExtrapolator", {}),
    "pseudolikelihood": ("PseudolikelihoodExtrapolator", {}),
    "exponential": ("ExponentialExtrapolator", {}),
}


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
