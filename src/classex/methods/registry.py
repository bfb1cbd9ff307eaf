"""The methods by name, read by the estimator, the command line and the documentation.

To add a method, write one file with a `classex.methods.Method` and enter it here.
"""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter

from classex._checks import one_of
from classex._types import MethodName
from classex.methods.protocol import Method
from classex.ranks.ranks import CorrectRanks

__all__ = ["DEFAULT_METHOD", "METHODS", "as_method", "default_method", "method_by_name", "name_of_method"]

#: class of each method in ``classex.methods``
METHODS: dict[MethodName, str] = {
    "gaussian-process": "GaussianProcess",
    "probit-normal": "ProbitNormal",
    "regression": "Regression",
    "empirical-bayes": "EmpiricalBayes",
    "beta-binomial": "BetaBinomial",
    "pitman-yor": "PitmanYor",
    "kernel-density": "KernelDensity",
    "polynomial": "sources.Polynomial",
    "pseudolikelihood": "sources.Pseudolikelihood",
    "exponential": "sources.Exponential",
}
#: the method of `classex.extrapolate` and of the command line
DEFAULT_METHOD: MethodName = "gaussian-process"


def default_method(ranks: CorrectRanks) -> Method:
    """Return the method used if none is named.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks it will be fitted to: if points met unequal numbers of sampled wrong labels, it is empirical Bayes.

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
    # with unequal numbers of sampled wrong labels no curve can be averaged, but there is a likelihood
    return method_by_name(DEFAULT_METHOD if ranks.evenly_sampled else "empirical-bayes")


def as_method(method: Method | MethodName) -> Method:
    """Return a method, or the one of this name with its default options."""
    if isinstance(method, str):
        return method_by_name(method)
    if not isinstance(method, Method):
        raise TypeError(f"method must be a name or one of classex.methods, not {method!r}")
    return method


def method_by_name(name: MethodName) -> Method:
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
    path = METHODS[one_of(name, "method", tuple(METHODS))]
    method: Method = attrgetter(path)(import_module("classex.methods"))()
    return method


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
    ours = kind.__module__.startswith("classex.methods.")
    names = {path.rpartition(".")[2]: name for name, path in METHODS.items()}
    return names.get(kind.__name__, kind.__name__) if ours else kind.__name__
