"""The methods by name, read by the estimator, the command line and the documentation.

To add a method, write one file with a `classex.methods.Method` and enter it here.
"""

from __future__ import annotations

from importlib import import_module

from classex._validation import one_of
from classex.methods._method import Method
from classex.results import CorrectRanks

__all__ = ["DEFAULT_METHOD", "METHODS", "default_method", "method_by_name", "name_of_method"]

#: module and class of each method, beneath ``classex.methods``
METHODS = {
    "gaussian-process": "gaussian_process:GaussianProcess",
    "probit-normal": "probit_normal:ProbitNormal",
    "mixture": "mixture:Mixture",
    "regression": "regression:Regression",
    "empirical-bayes": "empirical_bayes:EmpiricalBayes",
    "beta-binomial": "beta_binomial:BetaBinomial",
    "pitman-yor": "pitman_yor:PitmanYor",
    "kernel-density": "kernel_density:KernelDensity",
    "polynomial": "sources.polynomial:Polynomial",
    "pseudolikelihood": "sources.pseudolikelihood:Pseudolikelihood",
    "exponential": "sources.exponential:Exponential",
}
#: the method of `classex.extrapolate` and of the command line
DEFAULT_METHOD = "gaussian-process"
# Where points met unequal numbers of sampled wrong labels no curve can be averaged, and the likelihood still holds
_DEFAULT_OF_SAMPLES = "empirical-bayes"


def default_method(ranks: CorrectRanks) -> Method:
    """Return the method used where none is named.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks it will be fitted to: where points met unequal numbers of sampled wrong labels it is empirical Bayes.

    Returns
    -------
    Method

    Examples
    --------
    >>> import classex as cx
    >>> from classex.methods import default_method
    >>> default_method(cx.ranks_from_wins([3, 3, 2], 4))
    GaussianProcess(prior=None)
    """
    return method_by_name(DEFAULT_METHOD if ranks.evenly_sampled else _DEFAULT_OF_SAMPLES)


def method_by_name(name: str) -> Method:
    """Return a method with its default options.

    Parameters
    ----------
    name : str
        One of `METHODS`.

    Returns
    -------
    Method

    Raises
    ------
    ValueError
        If there is no such method.

    Examples
    --------
    >>> from classex.methods import method_by_name
    >>> method_by_name("probit-normal")
    ProbitNormal(nu=None, prior=True)
    """
    module, _, kind = METHODS[one_of(name, "method", tuple(METHODS))].partition(":")
    made: Method = getattr(import_module(f"classex.methods.{module}"), kind)()
    return made


def name_of_method(method: Method) -> str:
    """Return the name of a method: its name in `METHODS`, or that of its class.

    Parameters
    ----------
    method : Method

    Returns
    -------
    str

    Examples
    --------
    >>> import classex as cx
    >>> cx.methods.name_of_method(cx.methods.PitmanYor())
    'pitman-yor'
    """
    kind = type(method)
    path = f"{kind.__module__.removeprefix('classex.methods.')}:{kind.__name__}"
    return next((name for name, at in METHODS.items() if at == path), kind.__name__)
