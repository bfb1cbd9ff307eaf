"""The methods that are compared or combined, under their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from classex.extrapolation._base import Extrapolator
from classex.extrapolation.mixture import MixtureExtrapolator
from classex.extrapolation.probit_normal import ProbitNormalExtrapolator

__all__ = ["default_candidates", "named_candidates"]


def named_candidates(candidates: Mapping[str, Extrapolator] | Sequence[Extrapolator]) -> dict[str, Extrapolator]:
    """Return estimators under their names; those of a sequence are named by how they were made."""
    if not isinstance(candidates, Mapping):
        names = [repr(candidate) for candidate in candidates]
        if len(set(names)) < len(names):
            raise ValueError(f"candidates must differ, but two of them are {max(names, key=names.count)}")
        candidates = dict(zip(names, candidates, strict=True))
    if not candidates:
        raise ValueError("candidates must hold at least one estimator, but is empty")
    for name, candidate in candidates.items():
        if not isinstance(candidate, Extrapolator):
            raise TypeError(f"candidates must be extrapolation estimators, but {name!r} is {candidate!r}")
    return dict(candidates)


def default_candidates(with_scores: bool) -> dict[str, Extrapolator]:
    """Return the methods that are combined where none are named."""
    from classex.extrapolation.regression import RegressionExtrapolator

    out: dict[str, Extrapolator] = {
        "probit-normal": ProbitNormalExtrapolator(),
        "mixture": MixtureExtrapolator(),
        "regression": RegressionExtrapolator(),
    }
    if with_scores:
        from classex.extrapolation.kernel_density import KernelDensityExtrapolator

        out["kernel density"] = KernelDensityExtrapolator()
    return out
