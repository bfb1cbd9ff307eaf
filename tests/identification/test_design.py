"""Power of the permutation test: closed forms, enumeration of ranks, and simulated experiments."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import special

import classex as cx
from benchmarks.stimuli.__main__ import power as simulated_power
from classex.fields.identification import _wins, identification_power
from classex_book import load_study


@pytest.mark.parametrize("nats", [0.0, 0.7, 8.0])
def test_the_wins_have_the_identification_accuracies_as_moments(nats):
    wins = _wins(np.sqrt(2 * nats), 9)
    assert wins.sum() == pytest.approx(1, abs=1e-12)
    assert wins @ np.arange(9) / 8 == pytest.approx(float(cx.identification_accuracy(nats, 2)), abs=1e-12)
    assert wins[-1] == pytest.approx(float(cx.identification_accuracy(nats, 9)), abs=1e-12)


def noncentral_t(threshold, k, noncentrality):
    """Probability that it exceeds the threshold, by quadrature over chi with k (k - 2) degrees of freedom."""
    nu = k * (k - 2)
    grid = np.sqrt(nu) + np.linspace(-min(8.0, np.sqrt(nu)), 8.0, 20_001)
    weight = np.exp((nu - 1) * np.log(np.maximum(grid, 1e-300)) - grid**2 / 2 - (nu - 1) / 2 * (np.log(nu) - 1))
    return float(special.ndtr(noncentrality - threshold * grid / np.sqrt(nu)) @ weight / weight.sum())


@pytest.mark.parametrize(
    ("n_classes", "variance", "step", "skewness"),
    [(2, 13 / (12 * 11), 1 / 11, 0.0), (12, 11 / 144, 1.0, 10 / np.sqrt(11 * 48))],
    ids=["two-way", "all"],
)
def test_without_information_the_power_is_the_level_less_half_a_step(n_classes, variance, step, skewness):
    z = special.ndtri(0.97)
    assert noncentral_t(z * np.sqrt(120 / (11**2 - z**2)), 12, 0.0) == pytest.approx(0.03, abs=5e-4)
    z += (z**2 - 1) / 6 * skewness
    threshold = z * np.sqrt(120 / (11**2 - z**2))
    expected = noncentral_t(threshold, 12, -step / 48 / 2 / np.sqrt(variance / 48))
    assert identification_power(0.0, 12, 4, level=0.03, n_classes=n_classes) == pytest.approx(expected, rel=1e-6)


def test_two_way_accuracy_in_closed_form():
    """The mean is pi_2, and the second moment that of a binomial share, from pi_2 and pi_3."""
    k, r, nats = 15, 4, 0.05
    two, three = (float(cx.identification_accuracy(nats, m)) for m in (2, 3))
    variance, gain, z = (two - three) / (k - 1) + three - two**2, two - 0.5, special.ndtri(0.95)
    moved, null = gain / (k - 1), (k + 1) / (12 * (k - 1)) / (k * r)  # stimuli in place are nearly a Poisson variable
    z += (z**2 - 1) / 6 * moved**3 / (null + moved**2) ** 1.5
    rest = ((k + 1) / 12 - gain**2) / variance - 1 / (k - 1)
    threshold = z * np.sqrt(rest / (k - 1 - z**2 / (k - 1)))
    expected = noncentral_t(threshold, k, (gain - 1 / ((k - 1) * k * r) / 2) * np.sqrt(k * r / variance))
    assert identification_power(nats, k, r) == pytest.approx(expected, rel=1e-6)


def test_against_all_permutations_of_normal_matrices():
    """With many responses the summed accuracies are normal: six stimuli, all 720 orders, 20,000 experiments."""
    k, r, nats = 6, 100_000, 7e-6
    two, three = (float(cx.identification_accuracy(nats, m)) for m in (2, 3))
    deviation = np.sqrt(((two - three) / (k - 1) + three - two**2) / (k * r))
    matrix = np.random.default_rng(3).normal(size=(20_000, k, k))
    matrix += (two - 0.5) / deviation / np.sqrt(k - 1) * np.eye(k)
    matrix -= matrix.mean(axis=2, keepdims=True)
    orders = np.array(list(permutations(range(k))))
    sums = sum(matrix[:, i, orders[:, i]] for i in range(k))
    share = ((sums >= sums[:, :1]).mean(axis=1) <= 0.05).mean()  # the first order changes nothing
    power = identification_power(nats, k, r)
    assert 0.6 < power < 0.8
    # a normal distribution with the variance of the permuted sums, independent of the statistic, is .04 too low
    assert abs(share - power) < 0.01 + 3 * np.sqrt(power * (1 - power) / 20_000)


def test_two_way_power_is_within_two_hundredths_of_simulations():
    """In every stored design of two-way accuracy, at three standard errors of a simulation."""
    stored = load_study("stimuli/power")
    assert len(stored) >= 40
    for row in stored:
        given = [int(row[name]) for name in ("n_stimuli", "n_repeats")]
        m, gap = int(row["n_classes"]), float(row["simulated"]) - float(row["predicted"])
        now = identification_power(float(row["information"]), *given, n_classes=m)
        assert now == pytest.approx(float(row["predicted"]), abs=2e-3)
        assert abs(gap) < (0.02 if m == 2 else 0.03) + 3 * float(row["standard_error"]), row


@pytest.mark.parametrize(("k", "r"), [(6, 3), (8, 4), (20, 1)])
def test_stored_simulations_of_power_again(k, r):
    """The first 1,000 experiments of the smallest designs, at four standard errors."""
    row = next(row for row in load_study("stimuli/power") if (row["n_stimuli"], row["n_repeats"]) == (str(k), str(r)))
    share = float(row["simulated"])
    found = simulated_power(k, r, 2, float(row["information"]), experiments=1000)
    assert abs(found - share) < 4 * np.sqrt(share * (1 - share) / 1000)
