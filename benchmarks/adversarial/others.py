"""Cells of open-set identification, of repeated attempts and of the prediction advantage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

import classex as cx
from benchmarks.adversarial import worlds as w
from benchmarks.adversarial.table import add, rows
from benchmarks.adversarial.worlds import Array, Distribution, Rng
from classex.fields.open_set import extrapolate_open_set, open_set_curve

TIMES = (10, 100, 2000)
Searches = Callable[[Rng], tuple[Array, Array, Array]]  # mated scores, impostor scores, who the impostors are


def log_normal(mean: float, sd: float) -> Distribution:
    return w.normal(np.exp, mean, sd)


# ---- open sets
def found_by_hubs(n: int, n_impostors: int, share: float, rate: float) -> Searches:
    """A share of the identities matches every impostor with the same chance, and the others match nobody."""

    def draw(rng: Rng) -> tuple[Array, Array, Array]:
        hit = (rng.random((n_impostors, n)) < rate) & (rng.random(n) < share)
        mated = np.where(np.eye(n, dtype=bool), 9.0, -9.0)
        return mated, np.where(hit, 1.0, -1.0) + 0.1 * rng.random(hit.shape), np.arange(n_impostors)

    return draw


def of_law(distribution: Distribution, n: int, n_impostors: int, **options: Any) -> Searches:
    return lambda rng: w.searches(rng, distribution, n, n_impostors, **options)


def failing(n: int, r: int, share: float) -> Searches:
    """A share of the identities always scores too low."""

    def draw(rng: Rng) -> tuple[Array, Array, Array]:
        labels = np.repeat(np.arange(n), r)
        own = np.where(rng.random(n) < share, -1.0, 1.0)[labels]
        mated = np.where(labels[:, None] == np.arange(n), own[:, None], -9.0)
        return mated, rng.random((30, n)) - 5, np.arange(30)

    return draw


def searched(
    source: str, name: str, n: int, data: Searches, truth: Sequence[float], rate: str, sizes: Sequence[int]
) -> None:
    """FPIR or FNIR at threshold 0 among the enrolled, or among fewer of them."""

    def draw(rng: Rng) -> Array:
        mated, other, who = data(rng)
        labels = np.arange(len(mated)) // (len(mated) // n)
        ends = [
            getattr(open_set_curve(mated, labels, other, [0.0], n_enrolled=m, nonmated_labels=who), rate) for m in sizes
        ]
        return rows(truth, np.concatenate(ends))

    add(source, "open_set_curve", name, [f"N {n}: {rate[:4].upper()} at {m}" for m in sizes], draw)


def enrolled(
    source: str,
    name: str,
    n: int,
    data: Searches,
    truth: ArrayLike,
    threshold: float = 0.0,
    fnir: ArrayLike | None = None,
) -> None:
    """FPIR, and where its truth is given FNIR, in larger galleries."""

    def draw(rng: Rng) -> Array:
        mated, other, who = data(rng)
        found = extrapolate_open_set(
            mated, range(n), other, threshold, n_enrolled=[n * t for t in TIMES], nonmated_labels=who
        )
        both = rows(truth, found.fpir_interval)
        return both if fnir is None else np.concatenate([both, rows(fnir, found.fnir_interval)])

    names = ("FPIR",) if fnir is None else ("FPIR", "FNIR")
    add(
        source,
        "extrapolate_open_set",
        name,
        [f"N {n}, t {threshold}: {rate} x {t}" for rate in names for t in TIMES],
        draw,
        draws=60,
    )


def cosine(source: str, name: str, n: int, threshold: float, twin: bool = False) -> None:
    sizes = tuple(n * t for t in TIMES)
    f = w.cosine_rate(threshold)
    truth = -np.expm1(np.log1p(-f) * np.array(sizes) / (2 if twin else 1))

    def data(rng: Rng) -> tuple[Array, Array, Array]:
        return *w.cosines(rng, n, 2 * n, twin), np.arange(2 * n)

    enrolled(source, name, n, data, truth, threshold, None if twin else w.cosine_misses(threshold, sizes))


HUBS = found_by_hubs
for n, m in ((20, 20), (100, 100), (20, 10)):
    searched("B", "2 % match every impostor", n, HUBS(n, 60, 0.02, 1.0), [1 - 0.98**m], "fpir_interval", [m])
RATES: dict[str, tuple[str, Distribution, int, int, dict[str, Any]]] = {
    "log-normal rates -5, 1.5": ("B", log_normal(-5, 1.5), 50, 60, {}),
    "log-normal rates -8, 3": ("own", log_normal(-8, 3), 50, 60, {}),
    "one rate, .0001": ("own", w.atoms([1e-4], [1]), 50, 100, {}),
    "beta(.2, 10) rates": ("own", w.beta(0.2, 10), 40, 40, {}),
    "5 people in 100 always match": ("own", w.atoms([0, 1], [0.95, 0.05]), 30, 30, {}),
    "beta(.5, 20) rates, 5 probes a person": ("own", w.beta(0.5, 20), 40, 20, {"probes": 5}),
}
for name, (source, distribution, n, people, options) in RATES.items():
    sizes = [n // 4, n]
    searched(
        source, name, n, of_law(distribution, n, people, **options), distribution.hit(sizes), "fpir_interval", sizes
    )
searched("A", "5 % always fail, r 10", 20, failing(20, 10, 0.05), [0.05], "fnir_interval", [20])
searched("own", "2 % always fail, r 3", 60, failing(60, 3, 0.02), [0.02], "fnir_interval", [30])
searched("own", "10 % match 30 % of impostors", 50, HUBS(50, 80, 0.1, 0.3), [1 - 0.97**50], "fpir_interval", [50])

for t in (0.25, 0.38, 0.45, 0.58):  # about 450, 18, 2 and 0 hits among 200 impostors
    cosine("P0", "Gaussian cosines", 100, t)
cosine("P0", "Gaussian cosines, twins", 100, 0.38, True)
cosine("own", "Gaussian cosines", 30, 0.5)


def lookalikes(share: float, threshold: float, n: int = 100, people: int = 200) -> None:
    rate = share + (1 - share) * float(w.cosine_rate(threshold))

    def data(rng: Rng) -> tuple[Array, Array, Array]:
        return *w.cosines_with_lookalikes(rng, n, people, share), np.arange(people)

    truth = -np.expm1(np.log1p(-rate) * n * np.array(TIMES))
    enrolled("P0", f"Gaussian cosines, {share} near twins", n, data, truth, threshold)


lookalikes(0.0005, 0.45)
lookalikes(0.0005, 0.58)
for source, name, distribution, n, people, options in (
    ("P0", "beta(.5, 100) rates", w.beta(0.5, 100), 100, 200, {}),
    ("P0", "log-normal rates -7, 1.5", log_normal(-7, 1.5), 100, 200, {}),
    ("own", "log-normal rates -10, 3", log_normal(-10, 3), 60, 150, {}),
    ("own", "one impostor in 50 at .2, others 1e-6", w.atoms([0.2, 1e-6], [0.02, 0.98]), 80, 150, {}),
    ("own", "half never, half .001", w.atoms([0, 1e-3], [0.5, 0.5]), 100, 200, {}),
    ("own", "one rate .0002, t3 scores", w.atoms([2e-4], [1]), 100, 100, {"tail": "t3"}),
    ("own", "one rate .00001, uniform scores", w.atoms([1e-5], [1]), 100, 100, {"tail": "uniform"}),
    ("own", "beta(.3, 30) rates, 1/0 scores", w.beta(0.3, 30), 50, 100, {"tail": "binary"}),
    ("own", "beta(2, 2000) rates, 4 probes a person", w.beta(2, 2000), 60, 40, {"probes": 4}),
):
    enrolled(source, name, n, of_law(distribution, n, people, **options), distribution.hit([n * t for t in TIMES]))
enrolled("own", "2 % of identities match 5 % of impostors", 100, HUBS(100, 100, 0.02, 0.05),
    1 - 0.999 ** (100.0 * np.array(TIMES)))  # fmt: skip


def unequal_spreads(sd: float, threshold: float, n: int) -> None:
    """Impostors whose normal scores have log-normal standard deviations."""
    rate = w.normal(lambda z: special.ndtr(-threshold * np.exp(-z)), 0, sd)

    def data(rng: Rng) -> tuple[Array, Array, Array]:
        other = rng.lognormal(0, sd, (n, 1)) * rng.normal(size=(n, n))
        return np.where(np.eye(n, dtype=bool), 1e3, -1e3) + rng.random((n, n)), other, np.arange(n)

    truth = rate.hit([n * t for t in TIMES])
    enrolled("D", f"normal scores, log-normal spread {sd}", n, data, truth, threshold)


unequal_spreads(0.3, 4.5, 60)


# ---- attempts
def once(rng: Rng, p: Array, n: int) -> tuple[Array, Array]:
    return rng.binomial(n, p), np.full(p.size, n)


def stopped(batch: int, most: int) -> Callable[[Rng, Array, int], tuple[Array, Array]]:
    """Batches until one holds a success, at most so many."""

    def attempt(rng: Rng, p: Array, _: int) -> tuple[Array, Array]:
        wins = rng.binomial(batch, p[:, None], (p.size, most))
        last = np.where(wins.any(axis=1), (wins > 0).argmax(axis=1), most - 1)
        return wins[np.arange(p.size), last], batch * (last + 1)

    return attempt


def unequal(rng: Rng, p: Array, n: int) -> tuple[Array, Array]:
    trials = rng.integers(1, n + 1, p.size)
    return rng.binomial(trials, p), trials


def attempts(
    source: str,
    name: str,
    distribution: Distribution,
    P: int,
    n: int,
    ks: Sequence[int],
    how: Any = once,
    design: str = "",
    cluster: int = 1,
    **extra: Any,
) -> None:
    """pass@k, and beyond the trials also its limits; problems may share their chance in clusters."""
    truth = distribution.hit(ks)
    beyond = np.array(ks) > n
    names = [f"P {P}, n {n}{design}: k {k}" for k in ks]

    def draw(rng: Rng) -> Array:
        p = np.repeat(distribution.draw(rng, P // cluster), cluster)
        found = cx.pass_at_k(*how(rng, p, n), list(ks), **extra)
        return np.concatenate([rows(truth, found.interval), rows(truth[beyond], found.limits[beyond])])

    limits = [f"{setting}, limits" for setting, far in zip(names, beyond, strict=True) if far]
    add(source, "pass_at_k", name, names + limits, draw)


for P in (5, 20, 100):
    attempts("B", "all .5", w.atoms([0.5], [1]), P, 20, [10])
attempts("B", "5 % impossible, others .9", w.atoms([0, 0.9], [0.05, 0.95]), 20, 20, [1])
attempts("B", "5 % impossible, others certain", w.atoms([0, 1], [0.05, 0.95]), 20, 10, [1])
attempts("P1", "2 % impossible, others .97", w.atoms([0, 0.97], [0.02, 0.98]), 100, 20, [20, 21, 100])
attempts("C", "half .3, half .003", w.atoms([0.3, 0.003], [0.5, 0.5]), 200, 50, [50, 100, 500])
attempts("field", "beta(.3, 8), batches", w.beta(0.3, 8), 128, 60, [1, 60, 600, 6000], stopped(60, 5),
    ", first success in 5 batches", stopped=60)  # fmt: skip
attempts("field", "beta(.3, 8), one by one", w.beta(0.3, 8), 128, 100, [1, 10, 100, 1000],
    stopped(1, 100), ", first success", stopped=True)  # fmt: skip
attempts("own", "log-normal -4, 2, batches", log_normal(-4, 2), 60, 10, [1, 10, 100, 1000],
    stopped(10, 10), ", first success in 10 batches", stopped=10)  # fmt: skip
attempts("own", "half .3, half .003, one by one", w.atoms([0.3, 0.003], [0.5, 0.5]), 100, 50,
    [1, 50, 500], stopped(1, 50), ", first success", stopped=True)  # fmt: skip
attempts("own", "log-normal -3, 2", log_normal(-3, 2), 30, 10, [1, 5, 10, 100])
attempts("own", "log-normal -6, 3", log_normal(-6, 3), 100, 50, [50, 100, 500, 5000])
attempts("own", "beta(.2, 2)", w.beta(0.2, 2), 8, 8, [1, 4, 8, 80])
attempts("own", "beta(20, 1)", w.beta(20, 1), 50, 10, [1, 10, 11, 100])
attempts("own", "beta(1, 1), clusters of 5", w.beta(1, 1), 50, 10, [1, 10, 100], cluster=5)
attempts("own", "beta(1, 1), clusters of 5, declared", w.beta(1, 1), 50, 10, [1, 10, 100], cluster=5,
    groups=np.repeat(np.arange(10), 5))  # fmt: skip
attempts("own", "beta(.5, 3), unequal trials", w.beta(0.5, 3), 60, 30, [1, 30, 300], unequal)
attempts("own", "30 % at .002, others beta(2, 2)",
    w.mixed([0.3, 0.7], [w.atoms([0.002], [1]), w.beta(2, 2)]), 150, 50, [50, 100, 1000])  # fmt: skip
attempts("own", "power law, U^8", w.beta(0.125, 1), 100, 20, [1, 20, 200, 2000])
attempts("own", "all .02", w.atoms([0.02], [1]), 40, 20, [1, 20, 40, 200])
attempts("own", "thirds .9, .05, .001", w.atoms([0.9, 0.05, 0.001], [1 / 3] * 3), 90, 30, [1, 30, 300, 3000])
attempts("own", "10 % impossible, others beta(20, 1)",
    w.mixed([0.1, 0.9], [w.atoms([0], [1]), w.beta(20, 1)]), 40, 5, [1, 5, 50])  # fmt: skip
attempts("own", "logit-normal -5, 2", w.normal(special.expit, -5, 2), 200, 1, [1, 2, 10])
attempts("own", "99 % impossible, 1 % .5", w.atoms([0, 0.5], [0.99, 0.01]), 100, 10, [10, 100])


# ---- prediction advantage
def advantage(
    source: str, name: str, n: int, data: Callable[[Rng, int], tuple[Array, Array]], truth: float, **options: Any
) -> None:
    def draw(rng: Rng) -> Array:
        found = cx.prediction_advantage_interval(*data(rng, n), **options)
        return rows(truth, [found.low, found.high])

    add(source, "prediction_advantage_interval", name, [f"n {n}"], draw)


def priced(source: str, name: str, ns: Sequence[int], shares: ArrayLike, channel: ArrayLike, cost: ArrayLike) -> None:
    """Labels with these shares, predicted through a channel, under a cost matrix."""
    p, q, c = (np.array(a, float) for a in (shares, channel, cost))
    truth = 1 - float((p[:, None] * q * c).sum() / (p @ c).min())

    def data(rng: Rng, n: int) -> tuple[Array, Array]:
        y = rng.choice(p.size, n, p=p)
        return y, (rng.random(n)[:, None] > q.cumsum(axis=1)[y]).sum(axis=1)

    for n in ns:
        advantage(source, name, n, data, truth, loss=c, labels=range(p.size))


def with_outliers(share: float, size: float) -> Callable[[Rng, int], tuple[Array, Array]]:
    def data(rng: Rng, n: int) -> tuple[Array, Array]:
        y = rng.normal(size=n)
        return y, y + np.where(rng.random(n) < share, size, 0.1) * rng.normal(size=n)

    return data


def log_loss(rng: Rng, n: int) -> tuple[Array, Array]:
    y = rng.integers(0, 2, n)
    right = np.where(rng.random(n) < 0.01, 1e-6, 0.95)
    return y, np.where(y == 1, right, 1 - right)


@lru_cache
def heavy_truth() -> float:
    """From 4,000,000 draws."""
    x, error = np.random.default_rng(0).standard_t(3, (2, 4_000_000))
    return 1 - float(0.5 * np.abs(error).mean() / np.abs(x + 0.5 * error).mean())


def heavy(rng: Rng, n: int) -> tuple[Array, Array]:
    x, error = rng.standard_t(3, (2, n))
    return x + 0.5 * error, x


LOG_LOSS = 1 + float((0.99 * np.log(0.95) + 0.01 * np.log(1e-6)) / np.log(2))
priced("B", "rare class 2 %, costs 1 and 100", [50, 200, 1000], [0.98, 0.02],
    [[0.95, 0.05], [0.05, 0.95]], [[0, 1], [100, 0]])  # fmt: skip
priced("own", "rare class .5 %, costs 1 and 20", [100, 400], [0.995, 0.005], [[0.98, 0.02], [0.3, 0.7]],
    [[0, 1], [20, 0]])  # fmt: skip
priced("own", "three classes, one dear error", [150], [0.5, 0.3, 0.2],
    [[0.9, 0.09, 0.01], [0.1, 0.85, 0.05], [0.02, 0.08, 0.9]], [[0, 1, 50], [1, 0, 2], [5, 1, 0]])  # fmt: skip
priced("own", "0/1 cost, 10 % rare", [60], [0.9, 0.1], [[0.99, 0.01], [0.4, 0.6]], [[0, 1], [1, 0]])
for n in (50, 500):
    advantage("C", "squared loss, 1 % outliers", n, with_outliers(0.01, 10),
        1 - (0.99 * 0.01 + 0.01 * 100), loss="squared")  # fmt: skip
    advantage("C", "cross-entropy, 1 % at 1e-6", n, log_loss, LOG_LOSS, loss="cross_entropy")
advantage("own", "squared loss, 10 % outliers", 100, with_outliers(0.1, 3), 1 - (0.9 * 0.01 + 0.1 * 9), loss="squared")
advantage("own", "absolute loss, t3", 80, heavy, heavy_truth(), loss="absolute")
