"""The theorem "the advantage bounds the other measures from below", its conditions, and where it ends."""

import numpy as np
import pytest
from sklearn import metrics

from classex import AccuracyCurve
from classex.advantage import (
    advantage_of_accuracy,
    confusion_measures,
    prediction_advantage,
    related_measures,
)

SLACK = 1e-12


def random_confusions(n, k, rng):
    """Counts and weights over many orders of size, with empty cells, rows, columns and perfect ones."""
    cells = rng.dirichlet(np.full(k * k, 10.0 ** rng.uniform(-1.5, 1)), n).reshape(n, k, k)
    cells = np.where(rng.random((n, 1, 1)) < 0.5, np.floor(cells * 10.0 ** rng.integers(1, 4, (n, 1, 1))), cells)
    cells *= rng.random((n, k, k)) > rng.choice([0.0, 0.3, 0.6], (n, 1, 1))
    diagonal = rng.random((n, 1, 1)) < 0.3
    cells = np.where(diagonal, cells * (1 + 20 * np.eye(k)), cells)
    never_predicted = rng.random((n, 1, k)) < 0.1
    return np.where(never_predicted, 0.0, cells)


def defined(cells):
    return np.count_nonzero(cells.sum(axis=-1), axis=-1) >= 2


def test_theorem_for_two_classes_on_ten_thousand_confusion_matrices():
    cells = random_confusions(40_000, 2, np.random.default_rng(1))
    ok = defined(cells)
    assert ok.sum() >= 10_000
    for degenerate in cells[~ok][:200]:
        with pytest.raises(ValueError, match="at least two true classes"):
            confusion_measures(degenerate)
    m = confusion_measures(cells[ok][:10_000])
    pa = m.prediction_advantage
    for name in ("accuracy", "balanced_accuracy", "kappa", "matthews", "macro_f"):
        assert np.isfinite(getattr(m, name)).all()
    youden = m.recall.sum(axis=-1) - 1
    assert (pa <= youden + SLACK).all()
    assert (youden <= m.balanced_accuracy + SLACK).all()
    assert (pa <= m.kappa + SLACK).all()
    for measure in (m.recall, m.precision, m.f_score):
        assert (pa[:, np.newaxis] <= measure + SLACK).all()
    for beta in (0.25, 3.0):  # F_beta lies between precision and recall
        b2 = beta**2
        bottom = b2 * m.precision + m.recall
        f_beta = np.where(bottom > 0, (1 + b2) * m.precision * m.recall / np.where(bottom > 0, bottom, 1), 0)
        assert (pa[:, np.newaxis] <= f_beta + SLACK).all()
    positive = pa >= 0
    assert positive.any()
    assert not positive.all()
    assert (pa[positive] <= m.matthews[positive] + SLACK).all()
    assert (pa[~positive] > m.matthews[~positive] + 1e-3).any()


@pytest.mark.parametrize("k", [3, 4, 7])
def test_theorem_for_many_classes_on_ten_thousand_confusion_matrices(k):
    cells = random_confusions(20_000, k, np.random.default_rng(k))
    cells = cells[defined(cells)][:10_000]
    assert cells.shape[0] == 10_000
    m = confusion_measures(cells)
    assert (m.prediction_advantage <= m.kappa + SLACK).all()
    share = cells.sum(axis=-1) / cells.sum(axis=(-2, -1))[:, np.newaxis]
    smallest = np.where(share > 0, share, 1).min(axis=-1)
    condition = np.count_nonzero(share, axis=-1) * smallest >= 1 - share.max(axis=-1)
    assert condition.sum() > 100
    assert (m.prediction_advantage[condition] <= m.balanced_accuracy[condition] + SLACK).all()
    positive = m.prediction_advantage >= 0
    assert (m.prediction_advantage[positive] <= m.matthews[positive] + SLACK).all()


def test_counterexamples():
    rare = confusion_measures([[500, 0, 0], [0, 490, 0], [10, 0, 0]])
    assert rare.prediction_advantage == pytest.approx(0.98)
    assert rare.balanced_accuracy == pytest.approx(2 / 3)
    assert rare.macro_f == pytest.approx(0.6634, abs=5e-5)
    assert rare.kappa == pytest.approx(0.98019, abs=5e-6)
    negative = confusion_measures([[0, 12], [2, 10]])  # TP, FN, FP, TN = 10, 2, 12, 0
    assert negative.matthews < negative.prediction_advantage < 0
    shifted = np.repeat([0, 1], [10, 90])
    assert prediction_advantage(shifted, np.ones(100), marginal_prediction=0) == pytest.approx(0.8889, abs=5e-5)
    assert related_measures(shifted, np.ones(100)).kappa == 0


@pytest.mark.parametrize("seed", range(30))
def test_equals_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 80)), int(rng.integers(2, 5))
    y = rng.integers(0, k, n)
    y[:2] = 0, 1
    f = np.where(rng.random(n) < 0.5, y, rng.integers(0, k, n))
    m = related_measures(y, f)
    seen = np.unique(np.concatenate([y, f]))
    assert m.prediction_advantage == pytest.approx(prediction_advantage(y, f), abs=1e-12)
    assert m.accuracy == pytest.approx(metrics.accuracy_score(y, f), abs=1e-12)
    recalls = metrics.recall_score(y, f, labels=np.unique(y), average=None, zero_division=0)
    assert m.balanced_accuracy == pytest.approx(recalls.mean(), abs=1e-12)
    if set(f) <= set(y):
        assert m.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(y, f), abs=1e-12)
    assert m.kappa == pytest.approx(metrics.cohen_kappa_score(y, f), abs=1e-12)
    assert m.matthews == pytest.approx(metrics.matthews_corrcoef(y, f), abs=1e-12)
    each = {"average": None, "labels": seen, "zero_division": 0}
    np.testing.assert_allclose(m.f_score, metrics.f1_score(y, f, **each), atol=1e-12)
    np.testing.assert_allclose(m.precision, metrics.precision_score(y, f, **each), atol=1e-12)
    np.testing.assert_allclose(m.recall, metrics.recall_score(y, f, **each), atol=1e-12)
    assert m.macro_f == pytest.approx(metrics.f1_score(y, f, average="macro", zero_division=0), abs=1e-12)


def test_constant_predictions_have_documented_conventions():
    m = related_measures([0, 0, 1], [0, 0, 0])
    assert (m.prediction_advantage, m.kappa, m.matthews) == (0, 0, 0)
    np.testing.assert_array_equal(m.precision, [2 / 3, 0])
    np.testing.assert_array_equal(m.f_score, [0.8, 0])


def test_advantage_of_accuracy_agrees_with_prediction_advantage():
    y = np.repeat(np.arange(5), 20)
    f = y.copy()
    f[::3] = (f[::3] + 1) % 5
    assert advantage_of_accuracy((y == f).mean(), 5) == pytest.approx(prediction_advantage(y, f), abs=1e-14)
    curve = AccuracyCurve(np.array([2, 10]), np.array([0.9, 0.55]), np.zeros(2))
    np.testing.assert_allclose(advantage_of_accuracy(curve.accuracy, curve.n_classes), [0.8, 0.5])
    assert advantage_of_accuracy(1 / 3, 3) == pytest.approx(0)
    assert advantage_of_accuracy(1, 10**12) == 1
