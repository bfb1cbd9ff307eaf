"""Probabilities as people store them."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.advantage import best_rejection

RNG = np.random.default_rng(0)
SOFTMAX = special.softmax(2 * RNG.normal(size=(200, 50)), axis=1)
LABELS = np.array([RNG.choice(50, p=row) for row in SOFTMAX])


def advantage(p):
    return cx.prediction_advantage(LABELS, p, loss="cross_entropy", labels=np.arange(50))


STORED = {
    "half precision": (SOFTMAX.astype(np.float16), 2e-3),
    "half precision as text": (SOFTMAX.astype(np.float16).astype(float).tolist(), 2e-3),
    "32 bits": (SOFTMAX.astype(np.float32), 1e-6),
    "32 bits as a list": (SOFTMAX.astype(np.float32).tolist(), 1e-6),
    "32 bits as text": (np.array([[float(str(p)) for p in row] for row in SOFTMAX.astype(np.float32)]), 1e-6),
    "six decimals": (np.round(SOFTMAX, 6), 1e-4),
    "eight decimals": (np.round(SOFTMAX, 8), 1e-5),
    "four decimals": (np.round(SOFTMAX, 4), 2e-2),
}


@pytest.mark.parametrize("name", STORED)
def test_all_forms_give_nearly_the_same_number(name):
    p, tolerance = STORED[name]
    assert advantage(p) == pytest.approx(advantage(SOFTMAX), abs=tolerance)


def test_sums_that_are_off_are_divided_out_with_a_note(caplog):
    p = np.array([[0.333333] * 3, [0.25, 0.5, 0.25], [0.1, 0.2, 0.7]])
    with caplog.at_level(logging.INFO, logger="classex"):
        found = cx.prediction_advantage([0, 1, 2], p, loss="cross_entropy", labels=[0, 1, 2])
    assert caplog.messages == [
        "y_pred: rows sum to 0.999999 to 1, as rounded numbers do, and are divided by their sums"
    ]
    risk = -np.mean(np.log([1 / 3, 0.5, 0.7]))
    assert found == pytest.approx(1 - risk / np.log(3), rel=1e-12)
    assert best_rejection(p, coverage=0.5).shape == (3,)


@pytest.mark.parametrize(
    ("p", "accepted"),
    [
        # 50 numbers of six decimals can be off by 50 * 5e-7 = 2.5e-5
        (lambda: np.round(SOFTMAX * (1 + 1e-4), 6), False),
        (lambda: np.round(SOFTMAX * (1 + 5e-6), 6), True),
        # two decimals of three classes by .015, three of fifty never by more than .02
        (lambda: np.array([[0.33, 0.33, 0.33]]), True),
        (lambda: np.array([[0.33, 0.33, 0.31]]), False),
        (lambda: np.array([[0.02] * 49 + [0.002]]), True),
        (lambda: np.array([[0.02] * 48 + [0.009, 0.009]]), False),
        # full precision is off by rounding alone
        (lambda: SOFTMAX * (1 + 1e-9), True),
        (lambda: SOFTMAX * (1 + 1e-7), False),
        (lambda: SOFTMAX * 1.001, False),
    ],
)
def test_what_rounding_cannot_explain_is_refused(p, accepted):
    table = p()
    labels = np.arange(table.shape[1])
    truth = np.resize(labels, len(table))
    rows, true = np.vstack([table, np.eye(len(labels))[:2]]), np.append(truth, [0, 1])

    def call():
        return cx.prediction_advantage(true, rows, loss="cross_entropy", labels=labels)

    if accepted:
        assert np.isfinite(call())
        return
    with pytest.raises(ValueError, match=r"y_pred must hold probabilities that sum to 1 in each row, but row \d+ sums"):
        call()


def test_messages_about_many_classes_are_short():
    wide, names = np.full((2, 1000), 0.1), [f"class {i}" for i in range(1000)]
    for call in (
        lambda: cx.prediction_advantage([0, 1], wide, loss="cross_entropy", labels=np.arange(1000)),
        lambda: cx.prediction_advantage(names[:2], wide[:, :10], loss="cross_entropy", labels=names),
        lambda: cx.prediction_advantage([0, 5000], [0, 1], labels=np.arange(1000)),
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        assert len(str(caught.value)) <= 300
