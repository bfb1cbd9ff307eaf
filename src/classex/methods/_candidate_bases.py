"""Bases by name, with knots that suit the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from classex._validation import as_positive_float, as_positive_int, one_of
from classex.distributions.bases import LinearSplineBasis, PolynomialBasis, ProbitBasis
from classex.distributions.basis import Basis

if TYPE_CHECKING:
    from classex.results import CorrectRanks

__all__ = ["BANDWIDTHS", "candidate_bases"]

BANDWIDTHS = tuple(round(0.1 * step, 1) for step in range(1, 11))
_PUBLISHED = ("journal", "program")
_BASES = ("probit", "linear_spline", "polynomial")


def candidate_bases(
    basis: str | Basis | Sequence[str | Basis],
    bandwidth: str | float,
    degree: int,
    published: str | None,
    ranks: CorrectRanks,
) -> list[Basis]:
    """Return the bases that are named or given, one for each bandwidth to try."""
    given = [basis] if isinstance(basis, (str, Basis)) else list(basis)
    if not given:
        raise ValueError("basis must name at least one basis, but is empty")
    if published is not None:
        one_of(published, "published", _PUBLISHED)
        if [name for name in given if not isinstance(name, ProbitBasis) and name != "probit"]:
            raise ValueError(f"published={published!r} goes with the probit basis, not {basis!r}")
    out: list[Basis] = []
    for name in given:
        if isinstance(name, Basis):
            out.append(name)
            continue
        kind = one_of(name, "basis", _BASES)
        if kind == "linear_spline":
            out.append(LinearSplineBasis())
        elif kind == "polynomial":
            out.append(PolynomialBasis(as_positive_int(degree, "degree")))
        else:
            out += _probit_bases(bandwidth, published, ranks)
    return out


def _probit_bases(bandwidth: str | float, published: str | None, ranks: CorrectRanks) -> list[Basis]:
    if isinstance(bandwidth, str):
        one_of(bandwidth, "bandwidth", ("auto",))
        bandwidths: tuple[float, ...] = BANDWIDTHS
    else:
        bandwidths = (as_positive_float(bandwidth, "bandwidth"),)
    make = ProbitBasis.published if published else ProbitBasis.for_data
    repeats = 1.0 if published == "program" else ranks.labels.size / ranks.n_classes
    return [make(ranks.n_classes, repeats, h) for h in bandwidths]
