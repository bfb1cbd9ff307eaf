"""Extrapolation by a smooth mixture, with and without scores."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.models import BivariateNormal, GaussianClasses


def errors(method, model, k1: int, k2: int, n: int, **options) -> np.ndarray:
    truth = model.average_accuracy(k2)
    out = []
    for seed in range(n):
        sample = model.sample(k1, rng=seed, **options)
        out.append(cx.Extrapolator(method).fit(sample.scores, sample.labels).predict(k2)[0] - truth)
    return np.array(out)


def test_scores_sharpen_where_most_points_are_right() -> None:
    model = GaussianClasses(10, 0.1)
    sharp = errors(cx.methods.Mixture(), model, 150, 3000, 12)
    plain = errors(cx.methods.ProbitNormal(), model, 150, 3000, 12)
    assert np.sqrt(np.square(sharp).mean()) < 0.75 * np.sqrt(np.square(plain).mean())


@pytest.mark.parametrize(
    ("model", "factor"), [(BivariateNormal(0.9), 0.7), (GaussianClasses(10, 0.2), 0.6)], ids=["bivariate", "gaussian"]
)
def test_consistency(model, factor: float) -> None:
    """With 8 times as many classes the error shrinks, also on a distribution that is not probit-normal."""
    few, many = (errors(cx.methods.Mixture(), model, k1, 100, 8, n_repeats=2) for k1 in (40, 320))
    assert np.sqrt(np.square(many).mean()) < factor * np.sqrt(np.square(few).mean())


def test_ranks_alone_start_from_the_probit_normal_distribution() -> None:
    sample = GaussianClasses(10, 0.3).sample(60, rng=1)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    mixture = cx.Extrapolator(cx.methods.Mixture(smoothness=np.inf)).fit_ranks(ranks)
    plain = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(ranks)
    assert mixture.distribution_.score_prior is None
    np.testing.assert_allclose(mixture.predict([60, 10**4]), plain.predict([60, 10**4]), rtol=1e-6)


def test_scores_can_be_left_out() -> None:
    sample = GaussianClasses(10, 0.3).sample(40, rng=1)
    with_scores = cx.Extrapolator(cx.methods.Mixture(use_scores=False)).fit(sample.scores, sample.labels)
    alone = cx.Extrapolator(cx.methods.Mixture()).fit_ranks(cx.correct_ranks(sample.scores, sample.labels))
    np.testing.assert_allclose(with_scores.predict([40, 400]), alone.predict([40, 400]), rtol=1e-9)


@pytest.mark.parametrize("spoil", ["few classes", "ties", "constant row"])
def test_unfit_scores_fall_back_to_ranks(spoil: str) -> None:
    sample = GaussianClasses(10, 0.3).sample(15 if spoil == "few classes" else 40, rng=1)
    scores = sample.scores.copy()
    if spoil == "ties":
        scores = np.round(scores)
    if spoil == "constant row":
        scores[3] = -1.0
    assert cx.Extrapolator(cx.methods.Mixture()).fit(scores, sample.labels).distribution_.score_prior is None


def test_a_finite_smoothness_is_used() -> None:
    sample = BivariateNormal(0.9).sample(60, n_repeats=3, rng=1)
    estimator = cx.Extrapolator(cx.methods.Mixture(smoothness=0.1)).fit(sample.scores, sample.labels)
    assert estimator.distribution_.ratio.smoothness == 0.1
    assert estimator.distribution_.ratio.freedom > 0


@pytest.mark.parametrize("ranks_only", [True, False])
def test_intervals(ranks_only: bool) -> None:
    sample = GaussianClasses(10, 0.3).sample(40, rng=2)
    estimator = cx.Extrapolator(cx.methods.Mixture())
    if ranks_only:
        estimator.fit_ranks(cx.correct_ranks(sample.scores, sample.labels))
    else:
        estimator.fit(sample.scores, sample.labels)
    ends = estimator.predict_interval([40, 400])
    value = estimator.predict([40, 400])
    assert (ends[:, 0] < value).all()
    assert (value < ends[:, 1]).all()
    # an honest width: at 40 classes the accuracy alone has a standard error of about .08
    assert 0.1 < ends[0, 1] - ends[0, 0] < 0.5


def test_perfect_scores() -> None:
    estimator = cx.Extrapolator(cx.methods.Mixture()).fit(
        10 * np.eye(30) + np.random.default_rng(0).random((30, 30)), np.arange(30)
    )
    values = estimator.predict([30, 10**3, 10**12])
    assert (np.diff(values) <= 0).all()
    assert values[0] > 0.95


def test_top_labels_help() -> None:
    sample = GaussianClasses(10, 0.3).sample(40, rng=2)
    estimator = cx.Extrapolator(cx.methods.Mixture()).fit(sample.scores, sample.labels)
    assert estimator.predict(400, top=5)[0] > estimator.predict(400)[0]


def test_bad_parameter() -> None:
    with pytest.raises(ValueError, match="smoothness must be a finite number greater than 0, not -1"):
        cx.Extrapolator(cx.methods.Mixture(smoothness=-1)).fit(np.eye(5), range(5))


@pytest.mark.parametrize(("k1", "sharpened"), [(19, False), (21, True)])
def test_when_scores_sharpen_enough_classes(k1, sharpened):
    sample = cx.models.GaussianClasses(20, 0.1).sample(k1, n_repeats=3, rng=0)
    fit = cx.methods.Mixture().fit(cx.correct_ranks(sample.scores, sample.labels), sample.scores)
    assert (fit.score_prior is not None) == sharpened


@pytest.mark.parametrize(("step", "sharpened"), [(0.7, True), (1.3, False)])
def test_when_scores_sharpen_few_ties(step, sharpened):
    """Ties in 1.7 or 2.3 % of the comparisons, from scores with few digits."""
    sample = cx.models.GaussianClasses(20, 0.1).sample(30, n_repeats=3, rng=0)
    scores, share = sample.scores.copy(), {0.7: 0.017, 1.3: 0.023}[step]
    own = scores[np.arange(90), sample.labels]
    rng = np.random.default_rng(0)
    wrong = np.setdiff1d(np.arange(scores.size), np.arange(90) * 30 + sample.labels)
    some = rng.choice(wrong, round(share * wrong.size), replace=False)
    scores.flat[some] = own[some // 30]
    ranks = cx.correct_ranks(scores, sample.labels)
    assert ranks.ties.mean() / 29 == pytest.approx(share, abs=2e-3)
    assert (cx.methods.Mixture().fit(ranks, scores).score_prior is not None) == sharpened
