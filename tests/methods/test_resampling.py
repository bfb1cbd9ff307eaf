"""How classes are left out for a variance without a closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import classex as cx
from classex.curves.metrics import as_rank_metric
from classex.distributions import DiscreteDistribution, Distribution
from classex.forecast.forecast import resampled_variance
from classex.methods.protocol import DELETE_D, HALVES, Method, Resampling
from classex.methods.registry import METHODS, method_by_name


@dataclass(frozen=True)
class Watching(Method):
    """Fits nothing, and notes how many classes it sees."""

    resampling: ClassVar[Resampling] = DELETE_D

    def fit(self, ranks, scores=None):
        del scores
        SEEN.append(ranks.n_tested)
        return DiscreteDistribution(np.array([len(SEEN) % 2 / 2]), np.array([1.0]))


@dataclass(frozen=True)
class Halving(Watching):
    resampling: ClassVar[Resampling] = HALVES


SEEN: list[int] = []


@pytest.mark.parametrize(("method", "kept", "drawn"), [(Watching(), 30, 64), (Halving(), 20, 20)])
def test_what_is_kept_and_how_often(method, kept, drawn):
    """Of 40 classes 30 are kept, or 20 for expensive fits, of which 20 are made: an error known to a sixth."""
    ranks = cx.ranks_from_wins([30] * 40, 40, labels=range(40))
    SEEN.clear()
    one: Distribution = method.fit(ranks)
    SEEN.clear()
    rng, metrics = np.random.default_rng(0), (as_rank_metric("accuracy"),)
    resampled_variance(one, ranks, None, np.array([80.0]), metrics, n_resamples=64, rng=rng, method=method)
    assert set(SEEN) == {kept}
    assert len(SEEN) == drawn


def test_degrees_of_freedom_are_those_of_a_sample_variance():
    """Few subsets: one less than they are. Many: the variance is one over classes, one less than these.

    Chi-squared quantiles of n - 1 degrees cover the variance of n normal numbers; those of n would be too narrow.
    """
    few = Resampling(0.5, 20)
    for n in (5, 20):
        freedom = few.freedom(1000, n)
        values = np.random.default_rng(0).normal(size=(40_000, n))
        scale = values.var(axis=1, ddof=1)
        # the variance of a variance with f degrees of freedom is 2 / f
        found = 2 / scale.var()
        assert abs(found / freedom - 1) < 4 * np.sqrt(2 / 40_000 * (1 + 6 / freedom))
        assert DELETE_D.freedom(n, 100) == freedom
    assert few.freedom(1000, 500) == few.freedom(1000, 20)


def test_every_method_resamples_in_one_of_two_ways():
    assert {id(method_by_name(name).resampling) for name in METHODS} == {id(DELETE_D), id(HALVES)}


@pytest.mark.parametrize("n_classes", [4, 5])
def test_the_fewest_classes(n_classes):
    """Of five classes four are kept; of four nothing would vary."""
    ranks = cx.ranks_from_wins([1] * n_classes, n_classes, labels=range(n_classes))
    rng, metrics, method = np.random.default_rng(0), (as_rank_metric("accuracy"),), Watching()
    call = {"n_resamples": 10, "rng": rng, "method": method}
    if n_classes == 5:
        resampled_variance(method.fit(ranks), ranks, None, np.array([9.0]), metrics, **call)
        return
    with pytest.raises(ValueError, match="resampling needs at least"):
        resampled_variance(method.fit(ranks), ranks, None, np.array([9.0]), metrics, **call)
