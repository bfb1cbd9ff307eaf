"""The checkers of Chapter 2 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex_book.chapters.ch2.checks import _moments


def test_moments_by_multisets_agree_with_the_integral_over_favourability():
    channel = np.random.default_rng(3).dirichlet(np.ones(4), size=5)
    for k in (1, 2, 4):
        assert _moments(channel, k)[0] == pytest.approx(cx.bayes.average_bayes_accuracy(channel, k), abs=1e-12)
