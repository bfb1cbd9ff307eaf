"""The nearest-neighbour comparator of the known-information study, and the study's distributions and decoders."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from benchmarks.known_information import __main__ as study
from benchmarks.known_information import learned
from benchmarks.known_information.nearest_neighbours import nearest_neighbour_information
from benchmarks.known_information.sources import cells, logistic


def plain(x, y, k):
    """The estimator, pair by pair."""
    x, y = x / x.std(axis=0), y / y.std(axis=0)
    total = 0.0
    for i in range(len(x)):
        dx, dy = np.abs(x - x[i]).max(axis=1), np.abs(y - y[i]).max(axis=1)
        both = np.maximum(dx, dy)
        both[i] = np.inf
        reach = np.sort(both)[k - 1]
        total += digamma((dx < reach).sum()) + digamma((dy < reach).sum())
    return digamma(k) + digamma(len(x)) - total / len(x)


@pytest.mark.parametrize("k", [1, 3])
def test_nearest_neighbours_match_the_definition(k):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    y = np.column_stack([x[:, 0] + rng.normal(size=80), rng.normal(size=80), x[:, 1]])
    assert nearest_neighbour_information(x, y, neighbours=k) == pytest.approx(plain(x, y, k), abs=1e-12)


@pytest.fixture(scope="module")
def every_source():
    return cells()


def test_the_mean_log_ratio_is_the_information(every_source):
    """z = 4.5 over all laws that know their density: the sampler and the claimed information agree."""
    for number, source in enumerate(every_source):
        if source.log_ratio is None or source.dimension > 50:
            continue
        x, y = source.draw(4000, np.random.default_rng(number))
        ratio = source.log_ratio(x, y)
        assert abs(ratio.mean() - source.information) < 4.5 * ratio.std() / np.sqrt(4000), source


def test_likelihoods_and_ratios_agree(every_source):
    """log p(y|x) for a fixed y and two candidates differs as the log ratios of these pairs do."""
    for number, source in enumerate(every_source):
        if source.log_ratio is None or source.dimension > 50:
            continue
        x, y = source.draw(6, np.random.default_rng(number))
        matrix = source.log_likelihood(x, y)
        # the response of pair 0 with each of two candidates
        ratios = source.log_ratio(x[:2], np.repeat(y[:1], 2, axis=0))
        assert matrix[0, 0] - matrix[0, 1] == pytest.approx(ratios[0] - ratios[1], rel=1e-6), source


def test_infonce_by_hand_and_its_cap():
    scores = np.array([[2.0, 0.0], [1.0, 3.0]])
    by_hand = np.mean([2 - np.log(np.exp(2) + 1), 3 - np.log(np.exp(1) + np.exp(3))]) + np.log(2)
    assert learned.infonce(scores) == pytest.approx(by_hand)
    assert learned.infonce(1e4 * np.eye(7)) == pytest.approx(np.log(7))


@pytest.mark.parametrize("learn", [learned.logistic, learned.network_of_bits])
def test_learned_decoders_of_bits(learn):
    x, y = logistic(15, 3.0).draw(700, np.random.default_rng(6))
    scores = learn(x[:500], y[:500])(x[500:], y[500:])
    assert 1.0 < study.from_ranks(scores, 3.0)["implied"][0] < 4.0
