"""Cells of accuracy curves, extrapolation, numbers of classes and risk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import optimize, stats

import classex as cx
from benchmarks.adversarial import worlds as w
from benchmarks.adversarial.table import add, rows
from benchmarks.adversarial.worlds import Array, Rng, World

PERFECT = w.bim(1)
FLAT_LATE = w.world(w.atoms([0, 0.1], [0.5, 0.5]), by_class=True)
HAZARDS = w.normal(lambda z: -np.expm1(-np.exp(z)), -4, 1.5)
GROUPS = w.groups([0.8, 0.2], [0.001, 0.1])
TWO_KINDS = w.world(w.mixed([0.3, 0.7], [w.favourable(1, 1), w.const(0.999)]), by_class=True)
HUB_BETA = w.world(w.favourable(5, 0.5), hub=0.005)


# ---- accuracy with the observed numbers of classes
METRICS = {
    "mrr": lambda rank: 1 / rank,
    "ndcg": lambda rank: 1 / np.log2(1 + rank),
    "map@3": lambda rank: (rank <= 3) / rank,
    "recall@5": lambda rank: rank <= 5,
}


def metrics(source: str, name: str, base: World, K: int, r: int | str, share: Sequence[float]) -> None:
    """Metrics among all K classes; `share` holds the share of points at rank 1, 2, ..., K."""
    truth = [np.asarray(share) @ of(np.arange(1, K + 1)) for of in METRICS.values()]

    def draw(rng: Rng) -> Array:
        ranks = w.ranks(rng, base, K, r)
        return rows(truth, [cx.accuracy_curve(ranks, [K], metric=m).interval()[0] for m in METRICS])

    add(source, "accuracy_curve", name, [f"K {K}, r {r}: {m}" for m in METRICS], draw)


def observed(
    source: str, name: str, base: World, K: int, r: int | str, sizes: Sequence[int], tested: int | None = None
) -> None:
    """Average accuracy with k of the K observed classes, of which only some may have test points."""
    truth, n_tested = base.accuracy(np.array(sizes, float)), f" of {tested}" if tested else ""

    def draw(rng: Rng) -> Array:
        return rows(truth, cx.accuracy_curve(w.ranks(rng, base, K, r, tested), list(sizes)).interval())

    add(source, "accuracy_curve", name, [f"K {K}{n_tested}, r {r}: k {k}" for k in sizes], draw)


def class_bim(p: float) -> World:
    return w.world(w.bim(p), by_class=True)


for K, r in ((10, 50), (20, 50), (20, 9), (20, 10)):
    observed("A", "cbim .95", class_bim(0.95), K, r, [K])
metrics("A", "cbim .95", class_bim(0.95), 20, 10, [0.95, *[0] * 18, 0.05])
observed("A", "hub .1", w.world(PERFECT, hub=0.1), 10, 9, [5, 6, 10])
observed("B", "hub .05", w.world(PERFECT, hub=0.05), 20, 1, [5, 20])
observed("B", "hub .01", w.world(PERFECT, hub=0.01), 60, 1, [5, 30, 60], 10)
observed("B", "hub .05 + beta(5, .5)", w.world(w.favourable(5, 0.5), hub=0.05), 20, 1, [5, 19])
observed("B", "const .98", w.world(w.const(0.98)), 210, 1, [20, 209], 10)
for K, r in ((20, 5), (50, 1)):
    observed("held", "beta(5, .5)", w.world(w.favourable(5, 0.5)), K, r, [5, K])
observed("own", "hub .02 + beta(20, 1)", w.world(w.favourable(20, 1), hub=0.02), 30, 3, [5, 15, 30])
observed("own", "hub .2", w.world(PERFECT, hub=0.2), 15, 4, [3, 8, 15])
observed("own", "hub .002", w.world(PERFECT, hub=0.002), 100, 2, [10, 50, 100])
observed("own", "cbim .8", class_bim(0.8), 25, "skewed", [5, 25])
observed("own", "two kinds of classes", TWO_KINDS, 12, 20, [4, 12])
observed("own", "two groups", GROUPS, 40, 2, [5, 20, 40])
observed("own", "ties .2", w.ties(0.01, 0.2), 20, 2, [5, 20])
observed("own", "beta(5, .5)", w.world(w.favourable(5, 0.5)), 100, 4, [10, 50, 100], 6)
observed("own", "twins, 100 types", w.twins(100), 30, 5, [10, 30])
observed("own", "heavy tail, beta(1, 1/8)", w.world(w.favourable(1, 0.125)), 8, "skewed", [2, 8])
metrics("own", "hub .1", w.world(PERFECT, hub=0.1), 20, 3, stats.binom.pmf(np.arange(20), 19, 0.1))


# ---- extrapolation
def further(
    source: str, name: str, base: World, K: int, r: int | str, times: Sequence[int], tested: int | None = None
) -> None:
    sizes = [K * t for t in times]
    truth, n_tested = base.accuracy(np.array(sizes, float)), f" of {tested}" if tested else ""

    def draw(rng: Rng) -> Array:
        return rows(truth, cx.extrapolate(w.ranks(rng, base, K, r, tested), n_classes=sizes).interval)

    add(source, "extrapolate", name, [f"K {K}{n_tested}, r {r}: x {t}" for t in times], draw, draws=100)


def at_sizes(source: str, name: str, base: World, K: int, r: int, sizes: Sequence[int]) -> None:
    truth = base.accuracy(np.array(sizes, float))

    def draw(rng: Rng) -> Array:
        return rows(truth, cx.extrapolate(w.ranks(rng, base, K, r), n_classes=list(sizes)).interval)

    add(source, "extrapolate", name, [f"K {K}, r {r}: at {k:.0e}" for k in sizes], draw, draws=100)


def of_one_set(source: str, name: str, base: World, K: int, r: int) -> None:
    """Accuracy on one fresh set of 2 K classes, or on the one that the observed classes are part of."""

    def draw(rng: Rng, target: str) -> Array:
        whole, labels = w.outcomes(rng, base, 2 * K, r)
        few = cx.correct_ranks(whole[: K * r, :K], labels[: K * r])
        one = whole if target == "superset" else w.outcomes(rng, base, 2 * K, r)[0]
        truth = (one.max(axis=1) <= 0).mean()
        return rows(truth, cx.extrapolate(few, n_classes=[2 * K], target=target, n_repeats=r).interval)

    for target in ("fresh", "superset"):
        add(source, "extrapolate", name, [f"K {K}, r {r}: {target} x 2"], lambda rng, t=target: draw(rng, t), draws=100)


def capacity(source: str, name: str, base: World, K: int, r: int, a: float, truth: float) -> None:
    def draw(rng: Rng) -> Array:
        found = cx.classes_at_accuracy(cx.Extrapolator().fit_ranks(w.ranks(rng, base, K, r)), a)
        return rows(truth, [found.low, found.high])

    add(source, "classes_at_accuracy", name, [f"K {K}, r {r}: at {a}"], draw, draws=100)


further("B", "cbim .95", class_bim(0.95), 20, 50, [1, 2, 10])
further("C", "bim .6", w.world(w.bim(0.6)), 100, 5, [2, 5, 10, 100])
further("C", "const .99", w.world(w.const(0.99)), 100, 1, [2, 5, 10])
further("C", "beta(1, 20)", w.world(w.favourable(1, 20)), 20, 5, [10])
further("C", "cbim .5, otherwise .9", FLAT_LATE, 50, 5, [10, 100])
further("C", "hub .02", w.world(PERFECT, hub=0.02), 20, 5, [10])
further("C", "twins, 1,000 types", w.twins(1000), 50, 5, [10])
for source, name, base in (
    ("C", "beta(1, 20)", w.world(w.favourable(1, 20))),
    ("C", "hub .02", w.world(PERFECT, hub=0.02)),
    ("held", "beta(5, .5)", w.world(w.favourable(5, 0.5))),
    ("held", "bim .8", w.world(w.bim(0.8))),
    ("own", "beta(20, 1)", w.world(w.favourable(20, 1))),
    ("own", "two groups", GROUPS),
    ("own", "hub .005 + beta(5, .5)", HUB_BETA),
):
    of_one_set(source, name, base, 20 if source == "C" else 30, 5)
for K in (20, 100):
    capacity("C", "bim .6", w.world(w.bim(0.6)), K, 5, 0.5, np.inf)
    capacity("C", "const .999", w.world(w.const(0.999)), K, 5, 0.5, 693)
capacity("own", "beta(20, 1)", w.world(w.favourable(20, 1)), 40, 2, 0.25, 61)
capacity("own", "cbim .5, otherwise .9", FLAT_LATE, 40, 5, 0.4, np.inf)
capacity("own", "two groups", GROUPS, 60, 2, 0.5,
    float(np.flatnonzero(GROUPS.accuracy(np.arange(1, 9000)) >= 0.5)[-1] + 1))  # fmt: skip
further("own", "log-normal hazards", w.world(HAZARDS), 100, 1, [2, 5, 10, 100])
further("own", "beta(20, 1)", w.world(w.favourable(20, 1)), 50, 2, [2, 5, 10, 100])
further("own", "beta(.5, .5)", w.world(w.favourable(0.5, 0.5)), 30, 3, [2, 5, 10, 100])
further("own", "two kinds of classes", TWO_KINDS, 60, 5, [2, 5, 10, 100])
further("own", "hub .005 + beta(5, .5)", HUB_BETA, 50, 2, [2, 5, 10])
further("own", "bim .9", w.world(w.bim(0.9)), 40, 2, [2, 5, 10, 100])
further("own", "const .9", w.world(w.const(0.9)), 30, 10, [2, 5, 10])
further("own", "80 % .995, 20 % hopeless", w.world(w.atoms([0.005, 1], [0.8, 0.2])), 100, 2, [2, 5, 10, 100])
further("own", "beta(8, .3)", w.world(w.favourable(8, 0.3)), 50, "skewed", [2, 5, 10])
further("own", "beta(10, .5)", w.world(w.favourable(10, 0.5)), 200, 5, [2, 5, 10], 20)
further("own", "two groups", GROUPS, 60, 2, [2, 5, 10, 100])
further("own", "ties .1", w.ties(0.002, 0.1), 40, 3, [2, 5, 10])
further("own", "heavy tail, beta(1, 1/8)", w.world(w.favourable(1, 0.125)), 60, 2, [2, 5, 10, 100])
further("own", "probit-normal 3, .3", w.world(w.probit(3, 0.3)), 80, 2, [2, 5, 10, 100])
further("own", "beta(4, 1), few classes", w.world(w.favourable(4, 1), by_class=True), 8, 20, [2, 5, 10])

GAUSSIAN_6 = w.world(w.probit(6))  # normal scores, the true one 6 standard deviations higher
FAR = (10**6, 10**9, 10**12)
at_sizes("D", "normal scores, shift 6", GAUSSIAN_6, 50, 5, FAR)
at_sizes("D", "probit-normal 4, 1", w.world(w.probit(4)), 100, 2, FAR)
at_sizes("D", "probit-normal 3, 1.5", w.world(w.probit(3, 1.5)), 100, 2, FAR)
capacity("D", "normal scores, shift 6", GAUSSIAN_6, 50, 5, 0.5,
    float(np.exp(optimize.brentq(lambda t: GAUSSIAN_6.accuracy(np.exp([t]))[0] - 0.5, 5, 30))))  # fmt: skip
for c, K, r in ((0.002, 40, 1), (0.0005, 100, 1), (0.00005, 500, 1), (0.002, 20, 5)):
    further("D", f"Luce's choice, {c:g}", w.luce(c), K, r, [2, 10, 100])
further("D", "pairs, population of 1,000", w.pairs(1000), 50, 3, [2, 10, 20])
further("D", "normal scores, shift 3.5", w.world(w.probit(3.5)), 40, 1, [2, 10, 100])
further("D", "all wrong", w.world(w.bim(0)), 20, 3, [1, 2, 10])
further("D", "bim .01", w.world(w.bim(0.01)), 20, 3, [1, 2, 10])
further("D", "cbim .05", class_bim(0.05), 20, 3, [1, 2, 10])
further("D", "label biases, sd 2, shift 4", w.label_biases(2, 4), 50, 4, [1, 2, 10])
further("D", "Gaussian classes, noise .02", w.gaussian_classes(10, 0.02), 100, 5, [10])
further("D", "Gaussian classes, noise .03", w.gaussian_classes(10, 0.03), 50, 1, [10])


# ---- risk
def risk(
    source: str,
    name: str,
    base: World,
    K: int,
    r: int,
    cost: Callable[[Rng], Array],
    mean_cost: float,
    sizes: Sequence[int],
) -> None:
    """The rival that wins is a random one, so that the mean risk is the error rate times the mean cost."""
    truth = mean_cost * (1 - base.accuracy(np.array(sizes, float)))

    def draw(rng: Rng) -> Array:
        scores, labels = w.outcomes(rng, base, K, r)
        jitter = np.where(scores == 0, 0, 0.1 * rng.random(scores.shape))
        return rows(truth, cx.risk_curve(scores + jitter, labels, cost(rng), n_classes=list(sizes)).interval())

    add(source, "risk_curve", name, [f"K {K}, r {r}: k {k}" for k in sizes], draw)


def same_cost(K: int) -> Callable[[Rng], Array]:
    return lambda _: np.ones((K, K)) - np.eye(K)


def distance_cost(rng: Rng) -> Array:
    x = rng.random(20)
    return np.abs(x[:, None] - x)


risk("B", "cbim .98, mostly all right", class_bim(0.98), 20, 5, same_cost(20), 1, [5, 20])
risk("B", "cbim .9, 0/1 cost", class_bim(0.9), 20, 5, same_cost(20), 1, [5, 20])
risk("own", "const .97, distances", w.world(w.const(0.97)), 20, 3, distance_cost, 1 / 3, [5, 10, 20])
risk("own", "beta(20, 1), costs 1 and 100", w.world(w.favourable(20, 1)), 30, 2,
    lambda rng: np.where(rng.random((30, 30)) < 0.02, 100.0, 1), 2.98, [5, 15, 30])  # fmt: skip
risk("own", "hub .1, 0/1 cost", w.world(PERFECT, hub=0.1), 15, 3, same_cost(15), 1, [5, 15])
