"""The default as chapter 3 derives it: at most 30 lines of NumPy, equal to the library's, also with another prior."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import norm, t

import classex as cx
from classex.curves.accuracy import accuracy_covariance
from classex.methods import CurvePrior, GaussianProcess
from classex.models import BivariateNormal, GaussianClasses

PAGE = Path(__file__).parents[2] / "notebooks" / "03c_default.md"
DERIVED, LINKED = (
    re.findall(rf"```\{{code-cell\}} ipython3\n(def {name}.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    for name in ("covariance", "linked")
)


@pytest.fixture(scope="module")
def derived():
    names = {"np": np, "cx": cx, "norm": norm, "ndtri": ndtri, "ndtr": ndtr, "accuracy_covariance": accuracy_covariance}
    exec(DERIVED, names)
    exec(LINKED, names)
    return names


@pytest.fixture
def posterior(derived):
    return derived["posterior"]


def test_the_posterior_has_thirty_lines_at_most():
    assert len(DERIVED[DERIVED.index("def posterior") :].strip().splitlines()) <= 30


@pytest.mark.parametrize("model", [GaussianClasses(10, 0.2), BivariateNormal(0.9)], ids=["usual", "unusual"])
@pytest.mark.parametrize("slope", [-0.59, -0.85])
def test_the_page_s_posterior_is_the_library_s(posterior, model, slope):
    sample = model.sample(60, n_repeats=3, rng=2)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    sizes = np.array([2.0, 20.0, 500.0, 1e6])
    mean, sd = posterior(ranks, sizes, slope=slope)
    ours, variance = GaussianProcess(prior=replace(CurvePrior(), slope=slope)).fit(ranks).posterior(sizes)
    np.testing.assert_allclose(mean, ours, rtol=0, atol=1e-10)
    np.testing.assert_allclose(sd, np.sqrt(variance), rtol=0, atol=1e-10)


def test_the_page_s_interval_is_the_library_s(derived):
    """Beyond twice the observed classes, but for the step to the nearest curve that a distribution can have."""
    sample = GaussianClasses(10, 0.2).sample(60, n_repeats=3, rng=5)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    sizes = np.array([200.0, 1_000.0, 5_000.0])
    mean, sd = derived["linked"](ranks, sizes, *derived["posterior"](ranks, sizes))
    result = cx.extrapolate(ranks, n_classes=sizes)
    assert result.departure is None
    half = t.ppf(0.975, 59) * sd
    ends = norm.cdf(np.stack([mean - half, mean + half], axis=1))
    np.testing.assert_allclose(result.interval, ends, rtol=0, atol=1e-3)
