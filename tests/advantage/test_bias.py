"""Bias of the plug-in marginal risk, and its removal."""

import numpy as np
import pytest

from classex.advantage import bayesian_marginal_prediction, marginal_risk


def test_plain_values():
    y = np.array([1.0, 2.0, 6.0, 7.0])
    assert marginal_risk(y, loss="squared") == pytest.approx(y.var())
    assert marginal_risk(y, loss="absolute") == pytest.approx(2.5)
    assert marginal_risk([0, 0, 1]) == pytest.approx(1 / 3)
    assert marginal_risk([0, 0, 1, 1], loss="cross_entropy") == pytest.approx(np.log(2))
    assert marginal_risk([0, 0, 1], loss=[[0, 1], [5, 0]]) == pytest.approx(2 / 3)
    assert marginal_risk([2, 2, 2]) == 0


@pytest.mark.parametrize("loss", ["absolute", "pinball"])
def test_quantiles_by_plain_loops(loss):
    y = np.random.default_rng(2).normal(size=24)
    options = {"loss": loss} | ({"quantile": 0.2} if loss == "pinball" else {})
    left_out = []
    for i in range(24):
        error = y[i] - bayesian_marginal_prediction(np.delete(y, i), **options)
        left_out.append(abs(error) if loss == "absolute" else max(0.2 * error, -0.8 * error))
    expected = (marginal_risk(y, **options) + np.mean(left_out)) / 2
    assert marginal_risk(y, correction="first_order", **options) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("loss", ["squared", "zero_one", "cross_entropy"])
def test_jackknife_by_plain_loops(loss):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 25) if loss in ("zero_one", "cross_entropy") else rng.normal(size=25)
    without = [marginal_risk(np.delete(y, i), loss=loss) for i in range(25)]
    expected = 25 * marginal_risk(y, loss=loss) - 24 * np.mean(without)
    assert marginal_risk(y, loss=loss, correction="first_order") == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("loss", "draw", "truth", "bias"),
    [
        ("cross_entropy", lambda rng: rng.integers(0, 4, 40), np.log(4), 3 / 2 / 40),
        ("absolute", lambda rng: rng.normal(size=40), np.sqrt(2 / np.pi), np.sqrt(2 * np.pi) / 4 / 40),
        ("squared", lambda rng: rng.normal(size=40), 1.0, 1 / 40),
    ],
)
def test_first_order_bias_is_removed(loss, draw, truth, bias):
    rng = np.random.default_rng(5)
    samples = [draw(rng) for _ in range(4000)]
    plain, fixed = (
        np.array([marginal_risk(y, loss=loss, correction=correction) for y in samples])
        for correction in ("none", "first_order")
    )
    error = 4 * plain.std() / np.sqrt(4000)  # z = 4
    assert abs(plain.mean() - truth + bias) < error + 0.15 * bias
    assert abs(fixed.mean() - truth) < error + 0.15 * bias
    assert error < 0.6 * bias


def test_constants_beat_every_other():
    rng = np.random.default_rng(7)
    y = rng.exponential(size=31)
    for loss, cost in (("squared", np.square), ("absolute", np.abs)):
        best = bayesian_marginal_prediction(y, loss=loss)
        others = np.linspace(0, 4, 401)
        assert cost(y - best).mean() <= min(cost(y - a).mean() for a in others)
        assert marginal_risk(y, loss=loss) == pytest.approx(cost(y - best).mean())
