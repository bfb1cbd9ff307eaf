"""Growth that is not random: which rivals come, and the accuracy with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._validation import as_finite_array, as_positive_float, shown
from classex.curves.near_far import NearFarComparisons
from classex.methods.gaussian_process import CurvePrior
from classex.methods.near_far import NearFarFit, fit_near_far
from classex.results import GrowthSensitivity

__all__ = ["GROWTHS", "Growth", "Path"]

FloatArray = NDArray[np.float64]

GROWTHS = ("same groups", "more groups")
# Shares of near rivals at which predictions are made: every twentieth
_SHARES = 21
# Standard deviation of the groups' accuracies on the probit scale, and the number of observed groups that this prior
# value counts for: the best in four of the five domains of benchmarks/growth, each left out in turn
_BETWEEN, _WORTH_OF_BETWEEN = 0.25, 8.0


@dataclass(frozen=True)
class Path:
    """Where growth leads.

    Attributes
    ----------
    near, far : ndarray of shape (n, n_groups)
        Numbers of near and far rivals, for points of each group.
    share : ndarray of shape (n_groups,)
        Share of each group in the average.
    new_groups : bool
        Whether rivals and points come from groups that were not observed.
    """

    near: FloatArray
    far: FloatArray
    share: FloatArray
    new_groups: bool


@dataclass(frozen=True)
class Growth:
    """What is known of near and far rivals.

    Attributes
    ----------
    found : NearFarComparisons
        The comparisons of the observed classes.
    names : ndarray of shape (n_groups,)
        Names of the groups.
    prior : CurvePrior or None
        Prior of the curves.
    """

    found: NearFarComparisons
    names: NDArray[Any]
    prior: CurvePrior | None = None

    @cached_property
    def fit(self) -> NearFarFit:
        """The fitted process."""
        return fit_near_far(self.found, self.prior)

    def path(self, growth: str | Mapping[Any, float] | ArrayLike, sizes: FloatArray) -> Path:
        """Return the rivals among each of these numbers of classes."""
        size, share = self.found.size.astype(np.float64), self.found.share
        total = sizes[:, np.newaxis]
        if isinstance(growth, str) and growth == "same groups":
            near, new = total * size / size.sum(), False
        elif isinstance(growth, str) and growth == "more groups":
            near, new = np.broadcast_to(size, (sizes.size, size.size)), True
        elif isinstance(growth, Mapping):
            if set(growth) != set(self.names.tolist()):
                raise ValueError(f"growth must give a share for each of the groups {shown(self.names.tolist())}")
            share = np.array([as_positive_float(growth[name], "growth") for name in self.names.tolist()])
            if share.sum() > 1 + 1e-9:
                raise ValueError(f"growth must give shares with a sum of at most 1, not {share.sum():.3g}")
            near, new = total * share, bool(share.sum() < 1 - 1e-9)
            share = share / share.sum()
        elif isinstance(growth, str):
            raise ValueError(f"growth must be one of {GROWTHS}, shares by group, or pairs, not {shown(growth)}")
        else:
            pairs = as_finite_array(growth, "growth", ndim=2)
            if pairs.shape != (sizes.size, 2) or (pairs.sum(axis=1) != sizes).any() or (pairs < [1, 0]).any():
                raise ValueError("growth must have a row (k_near, k_far) for each of n_classes, with that sum, k_near >= 1")
            near, new = np.repeat(pairs[:, :1], size.size, axis=1), True
        near = np.clip(near, 1.0, total)
        return self.checked(Path(near - 1, total - near, share, new))

    def near_shares(self, n_classes: float, shares: FloatArray) -> Path:
        """Return the rivals if these shares of the new classes are near ones."""
        size = self.found.size.astype(np.float64)
        new, of_near = n_classes - size.sum(), shares[:, np.newaxis]
        return Path(size - 1 + of_near * new, size.sum() - size + (1 - of_near) * new, self.found.share, True)

    def sensitivity(self, n_classes: float, level: float) -> GrowthSensitivity | None:
        """Return the predictions for all shares of near rivals; None if one kind was not observed, or no class is new."""
        size = self.found.size
        if size.size == 1 or (size == 1).all() or n_classes <= size.sum():
            return None
        shares = np.linspace(0, 1, _SHARES)
        path = self.near_shares(n_classes, shares)
        at_random = float(self.found.share @ size / size.sum())
        value, ends = special.ndtr(self.probit(path)[0]), self.ends(path, level)
        return GrowthSensitivity(shares, value, ends, int(n_classes), at_random, level)

    def checked(self, path: Path) -> Path:
        """Refuse a path on which rivals come of a kind that was not observed, and say what is known."""
        size = self.found.size
        if size.size == 1 and (path.far > 0).any():
            last = int(np.argmax(path.far[:, 0]))
            near, rivals = path.near[last, 0], path.near[last, 0] + path.far[last, 0]
            ends = self.ends(Path(np.array([[rivals], [near]]), np.zeros((2, 1)), path.share, True), 0.95)
            raise ValueError(
                "groups must hold two groups or more where far rivals come: one says nothing about them. If they are no"
                f" harder than near ones, the accuracy with {rivals + 1:,.0f} classes lies between {ends[0, 0]:.2f} and"
                f" {ends[1, 1]:.2f}"
            )
        if (size == 1).all() and (path.near > 0).any():
            raise ValueError("groups must hold two classes of one group where near rivals come: none holds two")
        return path

    def probit(self, path: Path) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of the probit of the accuracy."""
        mean, variance = self.fit.posterior(path.near, path.far, path.share)
        variance = np.maximum(variance, 0.0) * self.fit.fits[0].prior.width ** 2
        return mean, np.sqrt(variance + self._between * path.new_groups)

    def ends(self, path: Path, level: float) -> FloatArray:
        """Ends of the intervals: shape (n, 2)."""
        mean, error = self.probit(path)
        half = special.ndtri(0.5 + level / 2) * error
        return np.asarray(special.ndtr(np.stack([mean - half, mean + half], axis=1)))

    @cached_property
    def _between(self) -> float:
        """Variance, over groups, of the probit of the accuracy with all observed classes."""
        n, size = self.found.size.size, self.found.size
        curve = self.found.curve(size[np.newaxis], (size.sum() - size)[np.newaxis])
        z = special.ndtri((self.found.member.size * curve.accuracy + 0.5) / (self.found.member.size + 1))
        seen = 0.0 if n == 1 else float(curve.group_error[0] * np.sqrt(2 * np.pi) * np.exp(0.5 * z[0] ** 2)) ** 2
        return ((n - 1) * seen + _WORTH_OF_BETWEEN * _BETWEEN**2 / n) / (n - 1 + _WORTH_OF_BETWEEN)
