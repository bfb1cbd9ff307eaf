"""The prediction advantage against scikit-learn, plain loops, and hand-made numbers."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    d2_absolute_error_score,
    d2_log_loss_score,
    make_scorer,
    r2_score,
)
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from classex.advantage import bayesian_marginal_prediction, prediction_advantage

SEEDS = st.integers(0, 2**32 - 1)
KINDS = ("none", "uniform", "zeros", "counts")


def weights_of(kind, n, rng):
    if kind == "none":
        return None
    if kind == "uniform":
        return rng.uniform(0.1, 3, n)
    if kind == "counts":
        return rng.integers(1, 4, n).astype(float)
    weights = rng.uniform(0, 2, n) * (rng.random(n) < 0.7)
    weights[:2] = 1  # two rows always count, so that the target is not constant
    return weights


def numbers(rng, n):
    """Targets of many shapes: smooth, tied, shifted far from zero."""
    y = rng.normal(size=n) * 10.0 ** rng.uniform(-2, 2) + rng.choice([0, 1, 50])
    if rng.random() < 0.4:
        y = np.round(y)
    y[1] = y[0] + 1
    return y, y + rng.normal(size=n) * rng.uniform(0, 3)


@pytest.mark.parametrize(("loss", "score"), [("squared", r2_score), ("absolute", d2_absolute_error_score)])
@settings(max_examples=200, deadline=None, derandomize=True)
@given(SEEDS, st.sampled_from(KINDS))
def test_equals_the_scores_of_scikit_learn(loss, score, seed, kind):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    y, f = numbers(rng, n)
    w = weights_of(kind, n, rng)
    ours, theirs = prediction_advantage(y, f, loss=loss, sample_weight=w), score(y, f, sample_weight=w)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * (1 + abs(1 - theirs)))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(SEEDS, st.sampled_from(KINDS), st.integers(2, 6), st.booleans())
def test_equals_d2_log_loss(seed, kind, k, absent):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    labels = np.array(["e", "b", "d", "a", "c", "f"])[:k] if rng.random() < 0.5 else np.arange(k) * 3 - 2
    y = labels[rng.integers(0, max(k - absent, 2), n)]
    y[0], y[1] = labels[0], labels[1]
    p = rng.dirichlet(np.full(k, 0.3), n)
    p[rng.random(n) < 0.1] = np.eye(k)[0]
    w = weights_of(kind, n, rng)
    ours = prediction_advantage(y, p, loss="cross_entropy", sample_weight=w, labels=np.sort(labels))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # y_pred was renamed to y_proba in scikit-learn 1.9
        theirs = d2_log_loss_score(y, p, sample_weight=w, labels=np.sort(labels))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * (1 + abs(1 - theirs)))


def reference(y, f, w, row_loss, constants):
    """Plain loops: mean loss over that of the best of the given constants."""
    risk = sum(wi * row_loss(yi, fi) for wi, yi, fi in zip(w, y, f, strict=True))
    return 1 - risk / min(sum(wi * row_loss(yi, a) for wi, yi in zip(w, y, strict=True)) for a in constants)


@pytest.mark.parametrize("seed", range(40))
def test_finite_losses_against_plain_loops(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 30)), int(rng.integers(2, 5))
    y, f, w = rng.integers(0, k, n), rng.integers(0, k, n), rng.uniform(0.1, 2, n)
    y[:2] = 0, 1
    labels = np.arange(k)
    cost = rng.uniform(0, 5, (k, k)) * (1 - np.eye(k))
    zero_one = reference(y, f, w, lambda a, b: float(a != b), labels)
    assert prediction_advantage(y, f, sample_weight=w) == pytest.approx(zero_one, abs=1e-12)
    costly = reference(y, f, w, lambda a, b: cost[a, b], labels)
    ours = prediction_advantage(y, f, loss=cost, sample_weight=w, labels=labels)
    assert ours == pytest.approx(costly, abs=1e-11)
    same = prediction_advantage(y, f, loss=lambda a, b: cost[a, b], sample_weight=w)
    if set(y) == set(range(k)):  # the search tries labels that occur
        assert same == pytest.approx(costly, abs=1e-11)
    level = rng.uniform(0.05, 0.95)
    t = rng.normal(size=n)

    def pinball(a, b):
        return level * (a - b) if a > b else (1 - level) * (b - a)

    pin = reference(t, f, w, pinball, t)  # a quantile is a data point
    assert prediction_advantage(t, f, loss="pinball", quantile=level, sample_weight=w) == pytest.approx(pin, abs=1e-11)


def test_order_of_labels_belongs_to_cost_and_probabilities():
    y, f = ["cat", "dog", "dog"], ["dog", "dog", "cat"]
    cost = [[0, 1], [10, 0]]  # rows and columns: dog, cat
    assert prediction_advantage(y, f, loss=cost, labels=["dog", "cat"]) == pytest.approx(1 - 11 / 2)
    p = np.array([[0.2, 0.8], [0.9, 0.1], [0.6, 0.4]])
    straight = prediction_advantage(y, p, loss="cross_entropy", labels=["dog", "cat"])
    assert straight == pytest.approx(prediction_advantage(y, p[:, ::-1], loss="cross_entropy"), abs=1e-14)
    entropy = -(2 * np.log(2 / 3) + np.log(1 / 3))
    assert straight == pytest.approx(1 + np.log([0.8, 0.9, 0.6]).sum() / entropy, abs=1e-14)


def test_a_given_prediction_differs_from_the_empirical_one():
    y, f = [0, 1, 1, 1], [0, 1, 1, 0]
    assert prediction_advantage(y, f) == 0
    assert prediction_advantage(y, f, marginal_prediction=0) == pytest.approx(1 - 0.25 / 0.75)
    # mode learnt elsewhere, test share of 1 is .9, always 1
    shifted = np.repeat([0, 1], [10, 90])
    assert prediction_advantage(shifted, np.ones(100), marginal_prediction=0) == pytest.approx(8 / 9)


def test_a_given_prediction_of_shares_or_under_a_cost():
    p = np.array([[0.5, 0.5], [0.1, 0.9]])
    given_shares = prediction_advantage([0, 1], p, loss="cross_entropy", marginal_prediction=[0.2, 0.8])
    assert given_shares == pytest.approx(1 - (np.log(0.5) + np.log(0.9)) / (np.log(0.2) + np.log(0.8)))
    cost = [[0, 1], [4, 0]]
    assert prediction_advantage([0, 1], [0, 0], loss=cost, marginal_prediction=1) == pytest.approx(1 - 2 / 0.5)


def test_callable_losses():
    rng = np.random.default_rng(3)
    y, f = rng.normal(size=300), rng.normal(size=300)

    def huber(a, b):
        r = np.abs(a - b)
        return np.where(r < 0.5, r**2, r - 0.25)

    grid = np.linspace(-1, 1, 4001)
    expected = 1 - huber(y, f).mean() / min(huber(y, g).mean() for g in grid)
    assert prediction_advantage(y, f, loss=huber) == pytest.approx(expected, abs=1e-6)
    big = rng.normal(size=2000)  # more distinct labels than are tried
    squared = prediction_advantage(big, big + 1, loss=lambda a, b: (a - b) ** 2)
    assert squared == pytest.approx(prediction_advantage(big, big + 1, loss="squared"), abs=1e-9)
    pairs, guess = rng.normal(size=(50, 2)), np.zeros((50, 2))
    by_norm = prediction_advantage(
        pairs, guess, loss=lambda a, b: ((a - b) ** 2).sum(axis=1), marginal_prediction=pairs.mean(axis=0)
    )
    assert by_norm == pytest.approx(1 - (pairs**2).sum() / ((pairs - pairs.mean(0)) ** 2).sum(), abs=1e-12)


def test_make_scorer_in_cross_validation():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    by_label = cross_val_score(model, X, y, scoring=make_scorer(prediction_advantage), cv=3)
    assert ((by_label > 0.8) & (by_label < 1)).all()
    scorer = make_scorer(prediction_advantage, response_method="predict_proba", loss="cross_entropy")
    ours = cross_val_score(model, X, y, scoring=scorer, cv=3)
    theirs = cross_val_score(model, X, y, scoring="d2_log_loss_score", cv=3)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    X, y = load_iris(return_X_y=True)
    ours = cross_val_score(model, X, y, scoring=scorer, cv=3)
    np.testing.assert_allclose(ours, cross_val_score(model, X, y, scoring="d2_log_loss_score", cv=3), rtol=1e-12)


def test_best_constants():
    y = [3.0, 1.0, 2.0, 10.0]
    assert bayesian_marginal_prediction(y, loss="squared") == 4
    assert bayesian_marginal_prediction(y, loss="absolute") == 2.5
    assert bayesian_marginal_prediction(y, loss="absolute", sample_weight=[1, 1, 0, 3]) == 10
    assert bayesian_marginal_prediction(y, loss="pinball", quantile=0.9) == 10
    assert bayesian_marginal_prediction([1, 1, 2, 2]) == 1
    np.testing.assert_allclose(bayesian_marginal_prediction([0, 1, 1, 2], loss="cross_entropy"), [0.25, 0.5, 0.25])
    assert bayesian_marginal_prediction([0, 0, 0, 1], loss=[[0, 1], [4, 0]]) == 1
    # randomising between constants cannot help: their risk is a mean of the constants' risks
    p, cost = np.array([0.3, 0.3, 0.4]), np.array([[0, 2, 3], [1, 0, 5], [4, 1, 0]])
    mixed = np.random.default_rng(0).dirichlet(np.ones(3), 1000) @ (p @ cost)
    assert mixed.min() >= (p @ cost).min()


def test_mixed_kinds_of_labels_are_refused():
    with pytest.raises(TypeError, match="y_pred holds values of dtype"):
        prediction_advantage(["a", "b"], [0, 1])
    with pytest.raises(TypeError, match="y_true must hold class labels"):
        prediction_advantage(np.array([None, 1], dtype=object), [0, 1])
    assert prediction_advantage(np.array(["a", "b", "a"], dtype=object), ["a", "b", "b"]) == 0
