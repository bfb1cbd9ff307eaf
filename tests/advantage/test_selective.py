"""Selective curves against plain loops over thresholds."""

from itertools import permutations

import numpy as np
import pytest

from classex.advantage import prediction_advantage, selective_curve


def plain(y, f, confidence, loss, **options):
    """Advantage on the first m rows, m = 2..n, by the public function; no ties."""
    order = np.argsort(-confidence)
    out = []
    for m in range(1, y.size + 1):
        rows = order[:m]
        if np.unique(y[rows]).size == 1:
            with pytest.raises(ValueError, match="marginal risk is 0"):
                prediction_advantage(y[rows], f[rows], loss=loss, **options)
            out.append(None)
        else:
            out.append(prediction_advantage(y[rows], f[rows], loss=loss, **options))
    return out


@pytest.mark.parametrize("loss", ["zero_one", "squared", "absolute", "pinball", "cross_entropy", "cost"])
def test_against_plain_subsets(loss):
    rng = np.random.default_rng(4)
    n = 60
    options = {}
    if loss in ("zero_one", "cost"):
        y = rng.integers(0, 3, n)
        f = np.where(rng.random(n) < 0.6, y, rng.integers(0, 3, n))
        options = {"labels": [0, 1, 2]}
        loss = loss if loss == "zero_one" else rng.uniform(1, 4, (3, 3)) * (1 - np.eye(3))
    elif loss == "cross_entropy":
        y, f, options = rng.integers(0, 3, n), rng.dirichlet(np.ones(3), n), {"labels": [0, 1, 2]}
    else:
        y = rng.normal(size=n)
        f = y + rng.normal(size=n)
        options = {"quantile": 0.3} if loss == "pinball" else {}
    confidence = rng.normal(size=n)
    curve = selective_curve(y, f, confidence, loss=loss, **options)
    np.testing.assert_allclose(curve.coverage, np.arange(1, n + 1) / n)
    for m, expected in enumerate(plain(y, f, confidence, loss, **options)):
        if expected is None:
            assert curve.marginal_risk[m] == pytest.approx(0, abs=1e-15)
        else:
            assert curve.advantage[m] == pytest.approx(expected, abs=1e-9)
    assert curve.advantage[-1] == pytest.approx(prediction_advantage(y, f, loss=loss, **options), abs=1e-10)


def test_ties_are_the_expectation_over_orders():
    y, f = np.array([0, 1, 0, 1, 0]), np.array([0, 1, 1, 0, 0])
    confidence = np.array([3, 2, 2, 2, 1])
    curve = selective_curve(y, f, confidence)
    risks = np.zeros(5)
    shares = np.zeros(5)
    for order in permutations([1, 2, 3]):
        rows = [0, *order, 4]
        risks += np.cumsum((y != f)[rows]) / np.arange(1, 6) / 6
        shares += np.cumsum(y[rows]) / np.arange(1, 6) / 6
    np.testing.assert_allclose(curve.risk, risks, atol=1e-12)
    np.testing.assert_allclose(curve.marginal_risk, np.minimum(shares, 1 - shares), atol=1e-12)


def test_rows_without_weight_do_not_count():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 40)
    f = np.where(rng.random(40) < 0.7, y, 1 - y)
    confidence = rng.integers(0, 6, 40).astype(float)
    doubled = np.concatenate([np.arange(40), np.arange(20)])
    weight = np.where(np.arange(40) < 20, 2.0, 1.0)
    grid = np.linspace(0.1, 1, 10)
    repeated = selective_curve(y[doubled], f[doubled], confidence[doubled], coverage=grid)
    weighted = selective_curve(y, f, confidence, sample_weight=weight, coverage=grid)
    np.testing.assert_allclose(weighted.risk, repeated.risk, atol=1e-12)
    np.testing.assert_allclose(weighted.marginal_risk, repeated.marginal_risk, atol=1e-12)
    extra = np.append(weight, 0.0)
    surest = selective_curve(
        np.append(y, 1), np.append(f, 0), np.append(confidence, 99), sample_weight=extra, coverage=grid
    )
    np.testing.assert_allclose(surest.risk, weighted.risk, atol=1e-12)


def test_conventions_where_one_label_is_accepted():
    curve = selective_curve([0, 0, 1], [0, 1, 1], [3, 2, 1])
    assert curve.advantage[0] == 0
    assert curve.advantage[1] == -np.inf
    assert curve.advantage[2] == 0
