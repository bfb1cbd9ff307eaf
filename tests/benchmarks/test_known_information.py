"""The nearest-neighbour comparator of the known-information study, and the study's distributions and decoders."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from benchmarks.known_information import __main__ as study
from benchmarks.known_information import learned
from benchmarks.known_information.nearest_neighbours import nearest_neighbour_information
from benchmarks.known_information.sources import cells, gaussian, logistic


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


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_nearest_neighbours_meet_the_gaussian_truth(rho):
    rng = np.random.default_rng(1)
    values = []
    for _ in range(12):
        x = rng.normal(size=(800, 1))
        y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=(800, 1))
        values.append(nearest_neighbour_information(x, y))
    error = np.std(values, ddof=1) / np.sqrt(12)
    assert abs(np.mean(values) + 0.5 * np.log(1 - rho**2)) < 4 * error + 0.01


def test_nearest_neighbours_agree_with_scikit_learn_in_one_dimension():
    from sklearn.feature_selection import mutual_info_regression

    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 1))
    y = 0.8 * x[:, 0] + 0.6 * rng.normal(size=300)
    theirs = mutual_info_regression(x, y, n_neighbors=3, random_state=0)[0]
    assert nearest_neighbour_information(x, y[:, np.newaxis]) == pytest.approx(theirs, abs=1e-6)


@pytest.fixture(scope="module")
def every_source():
    return cells()


def test_the_study_reaches_from_two_to_two_hundred_dimensions(every_source):
    gaussian = [source for source in every_source if source.name == "Gaussian sequence"]
    assert {source.dimension for source in gaussian} == {2, 5, 20, 50, 200}
    assert {source.information for source in gaussian} == {0.5, 2.0, 6.0}
    assert len({source.name for source in every_source}) == 7


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


def test_the_temperature_undoes_a_wrong_scale():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 5))
    y = x + rng.normal(size=(200, 5))
    scores = y @ x.T - 0.5 * np.square(x).sum(axis=1)
    assert learned.best_temperature(scores) == pytest.approx(1.0, abs=0.2)
    assert learned.best_temperature(10 * scores) == pytest.approx(0.1, abs=0.02)


def test_gaussian_plug_in_meets_the_truth_with_many_pairs():
    source = gaussian(3, 1.0)
    x, y = source.draw(40_000, np.random.default_rng(4))
    assert learned.gaussian_plug_in(x, y) == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("learn", [learned.ridge, learned.network])
def test_learned_decoders_find_what_there_is_in_few_dimensions(learn):
    x, y = gaussian(3, 3.0).draw(700, np.random.default_rng(5))
    scores = learn(x[:500], y[:500])(x[500:], y[500:])
    assert 2.0 < study.from_ranks(scores, 3.0)["implied"][0] < 4.0


@pytest.mark.parametrize("learn", [learned.logistic, learned.network_of_bits])
def test_learned_decoders_of_bits(learn):
    x, y = logistic(15, 3.0).draw(700, np.random.default_rng(6))
    scores = learn(x[:500], y[:500])(x[500:], y[500:])
    assert 1.0 < study.from_ranks(scores, 3.0)["implied"][0] < 4.0
