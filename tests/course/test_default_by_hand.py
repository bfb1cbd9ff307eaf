"""The default as chapter 3 derives it: forty lines, equal to the library's, also with other priors."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import special
from scipy.stats import norm

import classex as cx
from classex.curves.accuracy import accuracy_covariance
from classex.forecast import ACCURACY_CURVES, Beta, CurvePrior, Straight
from classex.methods import GaussianProcess
from classex.models import BivariateNormal, GaussianClasses

PAGE = Path(__file__).parents[2] / "notebooks" / "03c_default.md"
CODE = "\n\n".join(
    re.search(rf"```\{{code-cell\}} ipython3\n(def {name}\(.*?\n)(?:\n\ncase, far|```)", text, re.DOTALL)[1]
    for text in [PAGE.read_text(encoding="utf-8")]
    for name in ("nested", "predict")
)
SIZES = np.array([200.0, 10_000.0, 1e8])
OTHER = CurvePrior((Straight(0.5, slope=-0.85, slope_sd=0.3), Beta(0.5, ((0.5, 0.0), (300.0, 0.2)))), 1.0)


@pytest.fixture(scope="module")
def derived():
    names = {"np": np, "cx": cx, "norm": norm, "accuracy_covariance": accuracy_covariance}
    names |= {name: getattr(special, name) for name in ("betaincinv", "ndtr", "ndtri", "owens_t", "softmax")}
    names["ACCURACY_CURVES"] = ACCURACY_CURVES
    exec(CODE, names)
    return names


def ranks_of(model, n_repeats=3):
    sample = model.sample(60, n_repeats=n_repeats, rng=2)
    return cx.correct_ranks(sample.scores, sample.labels)


MODELS = {
    "usual": GaussianClasses(10, 0.2),
    "steep": BivariateNormal(0.9),
    "nearly perfect": GaussianClasses(25, 0.05),
    "perfect": GaussianClasses(40, 0.01),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("prior", [ACCURACY_CURVES, OTHER], ids=["library", "other"])
def test_the_page_s_posterior_is_the_library_s(derived, name, prior):
    ranks = ranks_of(MODELS[name])
    zeta, (weight, mean, gain, deviation) = derived["posterior"](ranks, SIZES, prior)
    fit = GaussianProcess(prior).fit(ranks)
    ours = fit.posterior(SIZES)
    assert zeta == pytest.approx(fit.last, abs=1e-12)
    np.testing.assert_allclose(weight, ours.weight, rtol=0, atol=1e-6)
    np.testing.assert_allclose(mean, ours.mean, rtol=0, atol=1e-6)
    np.testing.assert_allclose(gain, ours.gain, rtol=0, atol=1e-6)
    np.testing.assert_allclose(deviation, ours.deviation, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("prior", [ACCURACY_CURVES, OTHER], ids=["library", "other"])
def test_the_page_s_prediction_and_interval_are_the_library_s(derived, name, prior):
    ranks = ranks_of(MODELS[name])
    result = cx.extrapolate(ranks, n_classes=SIZES, method=GaussianProcess(prior))
    library = np.column_stack([result.accuracy, result.interval])
    np.testing.assert_allclose(derived["predict"](ranks, SIZES, prior), library, rtol=0, atol=5e-6)


def test_a_perfect_record_is_among_them():
    ranks = ranks_of(MODELS["perfect"])
    assert np.all(ranks.wins == ranks.n_classes - 1)
    assert np.all(cx.extrapolate(ranks, n_classes=SIZES).interval[:, 1] == 1)
