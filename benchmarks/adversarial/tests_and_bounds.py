"""Cells of information, group means, lower bounds and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import special

import classex as cx
from benchmarks.adversarial import worlds as w
from benchmarks.adversarial.table import TEST, add, rejection, rows
from benchmarks.adversarial.worlds import Array, Distribution, Rng, World
from classex import bayes, curves, identification, information, models

HUB_BETA = w.world(w.favourable(5, 0.5), hub=0.005)


# ---- information, group means, tests
def ask_curve(source: str, name: str, base: World, K: int, r: int | str) -> None:
    add(source, "curve_test", name, [f"K {K}, r {r}"],
        lambda rng: rejection(information.curve_test(w.ranks(rng, base, K, r)).p_value), nominal=TEST)  # fmt: skip


def implied(source: str, name: str, base: World, K: int, r: int | str, truth: float) -> None:
    def draw(rng: Rng) -> Array:
        found = cx.implied_information(w.ranks(rng, base, K, r)).interval
        return rows(truth, [found.low, found.high])

    add(source, "implied_information", name, [f"K {K}, r {r}"], draw)


def compared(source: str, name: str, first: World, second: World, K: int, r: int | str) -> None:
    def draw(rng: Rng) -> Array:
        pair = [
            w.ranks(np.random.default_rng(seed), base, K, r)
            for seed, base in zip(rng.integers(2**60, size=2), (first, second), strict=True)
        ]
        return rejection(information.compare_implied_information(*pair).p_value)

    add(source, "compare_implied_information", name, [f"K {K}, r {r}"], draw, nominal=TEST)


def confused(source: str, name: str, channel: Array, r: Sequence[int]) -> None:
    p = channel / channel.sum(axis=1, keepdims=True)
    q = p.mean(axis=0)
    truth = float(special.entr(q).sum() - special.entr(p).sum(axis=1).mean())

    def draw(rng: Rng) -> Array:
        found = information.confusion_information(
            np.array([rng.multinomial(n, row) for n, row in zip(r, p, strict=True)])
        )
        return rows(truth, [found.interval.low, found.interval.high])

    add(source, "confusion_information", name, [f"K {len(p)}, r {r[0]}"], draw)


def subjects(
    source: str,
    name: str,
    n: int,
    draw_values: Callable[[Rng, int], Array],
    mean: float,
    errors: Callable[[Rng, int], Array],
) -> None:
    def draw(rng: Rng) -> Array:
        s = errors(rng, n)
        found = identification.random_effects(draw_values(rng, n) + s * rng.normal(size=n), s).interval
        return rows(mean, [found.low, found.high])

    add(source, "random_effects", name, [f"n {n}"], draw)


def symmetric(K: int, right: float) -> Array:
    return np.where(np.eye(K, dtype=bool), right, (1 - right) / (K - 1))


PROBIT = {mu: w.world(w.probit(mu)) for mu in (1, 2, 2.5, 3.5, 4, 6)}
ask_curve("A", "true model, mu 3.5", PROBIT[3.5], 10, 1)
ask_curve("A", "true model, mu 4", PROBIT[4], 20, 1)
for K in (5, 10, 20):
    ask_curve("B", "mu 2, points of a class alike", w.copied(PROBIT[2]), K, 50)
    ask_curve("B", "mu 2, one favourability a class", w.world(w.probit(2), by_class=True), K, 50)
ask_curve("own", "mu 2, one favourability a class", w.world(w.probit(2), by_class=True), 20, 10)
ask_curve("own", "true model, mu 1", PROBIT[1], 15, 1)
ask_curve("own", "true model, mu 6", PROBIT[6], 30, 2)
ask_curve("own", "true model, mu 2.5", PROBIT[2.5], 25, "skewed")
implied("held", "mu 2", PROBIT[2], 20, 5, 2.0)
implied("own", "mu 2.5, one favourability a class", w.world(w.probit(2.5), by_class=True), 20, 10, 3.125)
implied("own", "mu 4, mostly all right", PROBIT[4], 15, 2, 8.0)
implied("own", "mu 1", PROBIT[1], 12, "skewed", 0.5)
HUBBED = w.world(w.probit(2), hub=0.1)
compared("B", "hub .1, mu 2", HUBBED, HUBBED, 40, 1)
compared("own", "mu 2, one favourability a class", w.world(w.probit(2), by_class=True),
    w.world(w.probit(2), by_class=True), 15, 10)  # fmt: skip
compared("own", "mu 3.5, mostly all right", PROBIT[3.5], PROBIT[3.5], 20, 1)
confused("B", "symmetric, .8 right", symmetric(5, 0.8), [20] * 5)
confused("B", "symmetric, .95 right", symmetric(5, 0.95), [20] * 5)
confused("own", "symmetric, .7 right", symmetric(10, 0.7), [10] * 10)
confused("own", "symmetric, .98 right", symmetric(3, 0.98), [50] * 3)
confused("own", "near guessing", symmetric(4, 0.27), [30] * 4)
confused("own", "one class always lost, unequal tests", np.vstack([symmetric(6, 0.9)[:5], np.eye(6)[:1]]),
    [5, 10, 20, 40, 80, 10])  # fmt: skip
for n in (3, 5, 10):
    subjects("B", "log-normal subjects", n, lambda rng, n: rng.lognormal(0, 1, n), float(np.exp(0.5)),
        lambda _, n: np.full(n, 0.2))  # fmt: skip
subjects("own", "t3 subjects", 6, lambda rng, n: rng.standard_t(3, n), 0, lambda _, n: np.full(n, 0.3))
subjects("own", "one subject with ten times the error", 6, lambda rng, n: rng.normal(1, 0.3, n), 1,
    lambda _, n: np.where(np.arange(n), 0.2, 2.0))  # fmt: skip
subjects("own", "one subject in ten responds", 8, lambda rng, n: (rng.random(n) < 0.1) * 3.0, 0.3,
    lambda _, n: np.full(n, 0.2))  # fmt: skip


# ---- bounds and tests that held
def bound(source: str, function: str, name: str, setting: str, draw: Callable[[Rng], tuple[float, float]]) -> None:
    """A lower bound: the interval has no upper end."""

    def both(rng: Rng) -> Array:
        truth, low = draw(rng)
        return rows(truth, [low, np.inf])

    add(source, function, name, [setting], both)


def bayes_bound(model: Any, K: int, r: int) -> Callable[[Rng], tuple[float, float]]:
    def draw(rng: Rng) -> tuple[float, float]:
        s = model.sample(K, n_repeats=r, rng=rng)
        right = float((s.scores.argmax(axis=1) == s.labels).mean())
        return float(model.average_accuracy(K)), bayes.average_bayes_accuracy_bound(right, n_classes=K, n_repeats=r)

    return draw


def given_classes(rng: Rng) -> tuple[float, float]:
    p = rng.beta(4, 0.2, 10)
    return p.mean(), bayes.generalisation_accuracy_bound(rng.binomial(8, p).sum() / 80, n_classes=10, n_repeats=8)


def information_bound(rng: Rng) -> tuple[float, float]:
    s = models.BivariateNormal(0.99).sample(30, n_repeats=5, rng=rng)
    low = cx.information_confidence_bound(cx.correct_ranks(s.scores, s.labels))
    return -0.5 * np.log1p(-(0.99**2)), float(low.information_by_class_count.max())


def shuffled(rng: Rng) -> Array:
    return rejection(identification.permutation_test(rng.normal(size=(12, 12)), n_permutations=199, rng=rng).p_value)


def random_groups(rng: Rng) -> Array:
    scores, labels = w.outcomes(rng, HUB_BETA, 20, 3)
    found = curves.exchangeability_test(scores, labels, rng.permutation(20) % 2, 5, n_permutations=199, rng=rng)
    return rejection(found.nearness_p_value)


def sampled(loss: Distribution, n_wrong: int) -> Callable[[Rng], Array]:
    sizes = np.array([5, n_wrong + 1])

    def draw(rng: Rng) -> Array:
        wins = rng.binomial(n_wrong, 1 - loss.draw(rng, 200))
        curve = cx.accuracy_curve(cx.ranks_from_wins(wins, 10_000, n_wrong=n_wrong), sizes)
        return rows(loss.missed(sizes - 1.0), curve.interval())

    return draw


for source, name, model, K, r in (
    ("held", "bivariate normal, rho .99", models.BivariateNormal(0.99), 20, 5),
    ("own", "random code, 31 bits", models.RandomCode(31, 0.1), 10, 2),
):
    bound(source, "average_bayes_accuracy_bound", name, f"K {K}, r {r}", bayes_bound(model, K, r))
bound("held", "generalisation_accuracy_bound", "classes beta(4, .2)", "K 10, r 8", given_classes)
bound("held", "information_confidence_bound", "bivariate normal, rho .99", "K 30, r 5", information_bound)
add("held", "permutation_test", "no signal", ["K 12"], shuffled, nominal=TEST)
add("held", "exchangeability_test", "hub .005 + beta(5, .5)", ["K 20, r 3"], random_groups, nominal=TEST)
add("held", "accuracy_curve", "sampled negatives, beta(5, .5)", ["200 points: k 5", "200 points: k 51"],
    sampled(w.favourable(5, 0.5), 50))  # fmt: skip
add("own", "accuracy_curve", "sampled negatives, 2 % hopeless", ["200 points: k 5", "200 points: k 21"],
    sampled(w.bim(0.98), 20))  # fmt: skip
