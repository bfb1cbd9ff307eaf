"""Distributions of the chance of success given counts: closed forms, posteriors on a grid, weights of the families."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from classex.attempts import _chances as chances
from classex.attempts._chances import draw_chance_distributions

COUNTS = np.array([0, 0, 0, 0, 1, 0, 2, 5, 0, 1, 0, 9, 12, 3, 0])
TRIALS = 12


def family(name: str, hopeless: bool, successes: np.ndarray, trials: np.ndarray) -> chances._Family:
    return chances._Family(name, hopeless, chances._Counts(successes, trials))


@pytest.mark.parametrize("trials", [4, 50, 100_000])
def test_nodes_stand_for_the_distributions(trials: int) -> None:
    """E (1-P)^k of the beta distribution in closed form; of the others by quadrature over their normal variable."""
    k, z = np.array([1.0, 30.0, 1_000.0]), np.linspace(-9, 9, 2001)
    counts = np.array([0, 1, trials])
    for name in chances._FAMILIES:
        one = family(name, False, counts, np.full(3, trials))
        fail = np.exp(np.multiply.outer(one.data.log_q, k))
        for first, second in ((-0.7, 1.1), (-3.0, 1.3), (0.5, -0.3)):
            found = (one.smooth(np.array([[first, second, 0.0]])) @ fail)[0]
            if name == "beta":
                a, b = np.exp([first, second])
                exact = np.exp(special.betaln(a, b + k) - special.betaln(a, b))
            else:
                x = first + np.exp(second) * z
                log_q = special.log_expit(-x) if name == "logit-normal" else -np.exp(x)
                exact = stats.norm.pdf(z) @ np.exp(np.multiply.outer(log_q, k)) * (z[1] - z[0])
            np.testing.assert_allclose(found, exact, rtol=2e-3, atol=1e-12)


def brute(name: str) -> tuple[float, float]:
    """Log-probability of the counts and mean pass@60 under one family without hopeless problems, on a grid."""
    (centre, width), (low, high) = chances._FAMILIES[name]
    reach = [
        np.linspace(max(c - 4 * w, a), min(c + 4 * w, b), 45)
        for c, w, a, b in zip(centre, width, low, high, strict=True)
    ]
    odds = np.linspace(-3 - 8, -3 + 8, 33)
    first, second = (part.ravel() for part in np.meshgrid(*reach, indexing="ij"))
    if name == "beta":
        a, b = np.exp(first), np.exp(second)
        likelihood = stats.betabinom.pmf(COUNTS[:, np.newaxis], TRIALS, a, b)
        solved = 1 - np.exp(special.betaln(a, b + 60) - special.betaln(a, b))
    else:
        z = np.linspace(-7, 7, 141)
        share = stats.norm.pdf(z) / stats.norm.pdf(z).sum()
        x = first[:, np.newaxis] + np.exp(second)[:, np.newaxis] * z
        p = special.expit(x) if name == "logit-normal" else -np.expm1(-np.exp(x))
        likelihood = np.array([stats.binom.pmf(c, TRIALS, p) @ share for c in COUNTS])
        solved = (1 - (1 - p) ** 60) @ share
    prior = [stats.norm.logpdf(x, c, w) for x, c, w in zip((first, second), centre, width, strict=True)]
    steps = np.log([row[1] - row[0] for row in (*reach, odds)]).sum()
    logs, values = [], []
    for odd in odds:
        always = special.expit(odd)
        point = (1 - always) * likelihood + always * (COUNTS == TRIALS)[:, np.newaxis]
        logs.append(np.log(np.maximum(point, 1e-300)).sum(axis=0) + prior[0] + prior[1] + stats.norm.logpdf(odd, -3, 2))
        values.append(always + (1 - always) * solved)
    weight = np.array(logs).ravel()
    return float(special.logsumexp(weight) + steps), float(special.softmax(weight) @ np.array(values).ravel())


@pytest.mark.parametrize("name", list(chances._FAMILIES))
def test_draws_and_the_probability_of_the_counts_against_a_grid(name: str) -> None:
    """4,000 weighted draws: z = 4 of their own standard error; the grid itself is good to about 1 in 100."""
    one = family(name, False, COUNTS, np.full(COUNTS.size, TRIALS))
    rng = np.random.default_rng(0)
    theta, logs = one.draw(one.pilot(rng), 4_000, rng)
    atoms = one.atoms(theta)
    solved = 1 - (atoms[:, 2:] * one.smooth(theta)) @ np.exp(60 * one.data.log_q)
    probability, mean = brute(name)
    weight = np.exp(logs - logs.max())
    error = weight.std() / weight.mean() / np.sqrt(weight.size)
    assert abs(special.logsumexp(logs) - np.log(logs.size) - probability) < 4 * error + 0.01
    share = weight / weight.sum()
    found = share @ solved
    assert abs(found - mean) < 4 * np.sqrt(share**2 @ (solved - found) ** 2) + 0.003


def test_the_data_choose_the_family_where_they_can() -> None:
    rng, n = np.random.default_rng(1), 4_000
    truths = {
        "beta": rng.beta(0.3, 2.0, n),
        "logit-normal": special.expit(rng.normal(-2.0, 2.5, n)),
        "log-normal rate": -np.expm1(-np.exp(rng.normal(-3.0, 2.5, n))),
    }
    for name, p in truths.items():
        share = draw_chance_distributions(rng.binomial(100, p), np.full(n, 100), n_draws=100).share
        assert sum(value for key, value in share.items() if key.startswith(name)) > 0.9
        assert sum(share.values()) == pytest.approx(1.0)
    never = np.where(rng.random(n) < 0.3, 0.0, rng.beta(2.0, 4.0, n))
    drawn = draw_chance_distributions(rng.binomial(100, never), np.full(n, 100), n_draws=100)
    assert set(drawn.share) == {"beta + never"}
    assert drawn.weight @ drawn.unsolved(np.array([1e9])) == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / n))


def test_many_trials_are_counted_with_as_many_as_the_nodes_resolve() -> None:
    """A hundred thousand trials determine smooth distributions as ten thousand do, if all problems are solved."""
    p = np.random.default_rng(2).beta(6.0, 3.0, 200)
    k = np.array([2.0, 5.0])
    few, many = (draw_chance_distributions(np.rint(p * n).astype(int), np.full(200, n)) for n in (10_000, 100_000))
    np.testing.assert_allclose(few.weight @ few.unsolved(k), many.weight @ many.unsolved(k), atol=1e-3)


def test_equal_data_give_equal_draws() -> None:
    trials = np.full(COUNTS.size, TRIALS)
    first, second = (draw_chance_distributions(COUNTS, trials) for _ in range(2))
    np.testing.assert_array_equal(first.weight, second.weight)
    assert first.share == second.share
    unsolved = first.unsolved(np.array([1.0, 10.0, 1e3, 1e9]))
    assert (np.diff(unsolved, axis=1) <= 0).all()
    assert ((unsolved >= 0) & (unsolved <= 1)).all()
