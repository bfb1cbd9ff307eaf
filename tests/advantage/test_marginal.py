"""The marginal predictor as a scikit-learn estimator."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils.estimator_checks import check_estimator

import classex.advantage
from classex.advantage import MarginalPredictor, prediction_advantage


@pytest.mark.parametrize("loss", classex.advantage.LOSSES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_passes_the_checks_of_scikit_learn(loss):
    results = check_estimator(MarginalPredictor(loss=loss), on_skip=None)
    assert len(results) > 40
    assert {result["status"] for result in results} <= {"passed", "skipped"}


def test_agrees_with_dummies():
    rng = np.random.default_rng(0)
    X, c, y, w = rng.normal(size=(80, 2)), rng.integers(0, 4, 80), rng.normal(size=80), rng.uniform(0.5, 2, 80)
    pairs = [("squared", "mean"), ("absolute", "median")]
    for loss, strategy in pairs:
        ours = MarginalPredictor(loss=loss).fit(X, y, sample_weight=w).predict(X)
        theirs = DummyRegressor(strategy=strategy).fit(X, y, sample_weight=w).predict(X)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    model = MarginalPredictor(loss="cross_entropy").fit(X, c, sample_weight=w)
    dummy = DummyClassifier(strategy="prior").fit(X, c, sample_weight=w)
    np.testing.assert_allclose(model.predict_proba(X), dummy.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), dummy.predict(X))


def test_score_is_the_advantage_and_zero_on_its_own_rows():
    rng = np.random.default_rng(1)
    X, c, y = np.zeros((60, 1)), rng.integers(0, 3, 60), rng.normal(size=(60, 2))
    for loss in ("zero_one", "cross_entropy", np.array([[0, 1, 2], [3, 0, 1], [1, 1, 0]])):
        model = MarginalPredictor(loss=loss).fit(X, c)
        assert model.score(X, c) == pytest.approx(0, abs=1e-12)
        assert model.score(X[:30], c[:30]) <= 1e-12
        assert is_classifier(model)
    for loss in ("squared", "absolute", "pinball"):
        model = MarginalPredictor(loss=loss).fit(X, y)
        assert model.score(X, y) == pytest.approx(0, abs=1e-12)
        assert model.predict(X).shape == (60, 2)
        assert is_regressor(clone(model))
        assert not hasattr(model, "predict_proba")


def test_callable_loss_and_quantile():
    X, y = np.zeros((5, 1)), np.array([1.0, 2.0, 3.0, 4.0, 30.0])
    model = MarginalPredictor(loss=lambda a, b: np.abs(a - b)).fit(X, y)
    assert model.predict(X)[0] == pytest.approx(3)
    assert prediction_advantage(y, model.predict(X), loss="absolute") == pytest.approx(0, abs=1e-9)
    assert MarginalPredictor(loss="pinball", quantile=0.9).fit(X, y).constant_ == 30


def test_constant_target_is_predicted_but_not_scored():
    model = MarginalPredictor().fit([[0], [1]], ["a", "a"])
    assert model.predict([[3]])[0] == "a"
    with pytest.raises(ValueError, match="marginal risk is 0"):
        model.score([[0], [1]], ["a", "a"])


def test_scikit_learn_loads_late():
    code = (
        "import sys, classex.advantage as a; assert 'sklearn' not in sys.modules; a.MarginalPredictor;"
        "assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        classex.advantage.unknown  # noqa: B018 - reading it is the test
