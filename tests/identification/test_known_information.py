"""The nearest-neighbour comparator of the known-information study, the study itself, and its stored table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.special import digamma

from benchmarks.known_information import __main__ as study
from benchmarks.known_information import learned
from benchmarks.known_information.nearest_neighbours import nearest_neighbour_information
from benchmarks.known_information.sources import cells, gaussian, logistic

STORED = Path(__file__).parents[2] / "benchmarks" / "known_information" / "estimates.csv"


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


def test_the_study_reports_what_it_finds(tmp_path):
    found = study.chunk(0, 0, 2, 7)
    # what was kept of a run that was broken off is what it found, and is not computed again
    np.testing.assert_equal(study.kept_chunk(tmp_path, 0, 0, 2, 7), found)
    (kept,) = tmp_path.iterdir()
    kept.write_text(kept.read_text().replace("mean log ratio", "another"), encoding="utf-8")
    assert ("another", "true") in study.kept_chunk(tmp_path, 0, 0, 2, 7)[0]
    rows = study.summary(cells()[0], found)
    for row in rows:
        values = np.array([result[row[3], row[4]][0] for result in found])
        assert float(row[6]) == pytest.approx(values.mean(), abs=1e-4)
        assert float(row[10]) == pytest.approx(np.sqrt(np.square(values - 0.5).mean()), abs=1e-4)
    assert {(row[3], row[4]) for row in rows} >= {
        ("implied", "true"), ("implied", "ridge"), ("implied", "network"), ("InfoNCE", "ridge"),
        ("nearest neighbours", "none"), ("Gaussian plug-in", "none"), ("accuracy bound", "ridge"),
    }  # fmt: skip


def test_parts_are_joined_in_the_order_of_the_laws(tmp_path):
    head = ["# python -m benchmarks.known_information", ",".join(study.HEADER)]
    order = [f"{s.name},{s.dimension},{s.information:.4f},implied" for s in cells()]
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file, lines in zip(files, (order[1::2], order[::2]), strict=True):
        file.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
    study.join(files, tmp_path / "whole.csv")
    assert (tmp_path / "whole.csv").read_text(encoding="utf-8").splitlines() == [*head, *order]


def test_the_stored_table_is_complete_and_sane():
    with STORED.open(encoding="utf-8") as file:
        assert file.readline().startswith("# python -m benchmarks.known_information --simulations ")
        rows = list(csv.DictReader(file))
    stored = {(row["model"], int(row["dimension"]), row["information"]) for row in rows}
    assert stored == {(s.name, s.dimension, f"{s.information:.4f}") for s in cells()}
    for row in rows:
        assert float(row["bias"]) == pytest.approx(float(row["mean"]) - float(row["information"]), abs=2e-4)
        if row["estimator"] == "accuracy bound":
            assert float(row["coverage"]) >= 0.9
        if row["estimator"] == "InfoNCE":
            assert float(row["mean"]) <= np.log(study.N_TEST) + 1e-9
