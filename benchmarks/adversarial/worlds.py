"""Worlds with an exact truth: who beats the right label, at which rate impostors match, how often attempts succeed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

import classex as cx

Array = NDArray[Any]
Rng = np.random.Generator
NODES = special.ndtri((np.arange(200_000) + 0.5) / 200_000)  # equally likely values of a standard normal


@dataclass(frozen=True)
class Distribution:
    """A distribution on [0, 1]: draws of a given shape, and the exact mean of (1 - x)^n for every n."""

    draw: Callable[[Rng, Any], Array]
    missed: Callable[[Array], Array]

    def hit(self, k: ArrayLike) -> Array:
        """Mean chance of a success in k attempts, or of a match among k identities."""
        return 1 - self.missed(np.asarray(k, float))


def atoms(chances: Sequence[float], shares: Sequence[float]) -> Distribution:
    p, w = np.array(chances), np.array(shares)
    return Distribution(lambda rng, shape: rng.choice(p, shape, p=w), lambda n: (w * (1 - p) ** n[..., None]).sum(-1))


def beta(a: float, b: float) -> Distribution:
    return Distribution(
        lambda rng, shape: rng.beta(a, b, shape), lambda n: np.exp(special.betaln(a, b + n) - special.betaln(a, b))
    )


def normal(inverse: Callable[[Array], Array], mean: float, sd: float) -> Distribution:
    """The law of inverse(mean + sd Z), Z standard normal; its truth by 200,000 equally likely nodes."""
    nodes = np.clip(inverse(mean + sd * NODES), 0, 1)

    def missed(n: Array) -> Array:
        return np.array([((1 - nodes) ** k).mean() for k in n.ravel()]).reshape(n.shape)

    return Distribution(lambda rng, shape: np.clip(inverse(rng.normal(mean, sd, shape)), 0, 1), missed)


def mixed(shares: Sequence[float], laws: Sequence[Distribution]) -> Distribution:
    def draw(rng: Rng, shape: Any) -> Array:
        which = rng.choice(len(laws), shape, p=shares)
        return np.choose(which, [distribution.draw(rng, shape) for distribution in laws])

    return Distribution(
        draw, lambda n: sum(w * distribution.missed(n) for w, distribution in zip(shares, laws, strict=True))
    )


def favourable(a: float, b: float) -> Distribution:
    """Favourability beta(a, b)."""
    return beta(b, a)


def const(u: float) -> Distribution:
    """Favourability u."""
    return atoms([1 - u], [1])


def bim(p: float) -> Distribution:
    """Perfect with probability p, otherwise hopeless: loses to every label."""
    return atoms([0, 1], [p, 1 - p])


def probit(mu: float, nu: float = 1.0) -> Distribution:
    """Favourability Phi(mu + nu Z)."""
    return normal(lambda z: special.ndtr(-z), mu, nu)


@dataclass(frozen=True)
class World:
    """Classes and test points: 1 where a label beats the truth of a point, 0 where it ties, -1 where it loses."""

    outcome: Callable[[Rng, Array, int], Array]
    accuracy: Callable[[Array], Array]  # exact average accuracy with k classes


def world(loss: Distribution, *, by_class: bool = False, hub: float = 0.0) -> World:
    """Every label beats a point with a chance of its own (1 - favourability), and hubs beat every point."""

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        chance = loss.draw(rng, n_classes)[labels] if by_class else loss.draw(rng, labels.size)
        beats = rng.random((labels.size, n_classes)) < chance[:, None]
        return np.where(beats | (rng.random(n_classes) < hub), 1, -1)

    return World(outcome, lambda k: loss.missed(k - 1) * (1 - hub) ** (k - 1))


def twins(n_types: int) -> World:
    """Classes of the same type cannot be told apart, all others always."""

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        kind = rng.integers(n_types, size=n_classes)
        chance = rng.random((labels.size, n_classes))  # every label of the type has a uniform score
        own = np.take_along_axis(chance, labels[:, None], 1)
        return np.where((kind == kind[labels][:, None]) & (chance > own), 1, -1)

    q = 1 / n_types
    return World(outcome, lambda k: (1 - (1 - q) ** k) / (k * q))


def pairs(population: int) -> World:
    """Classes drawn without replacement from a population of pairs; a coin decides between the two of a pair."""

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        pair = rng.permutation(population)[:n_classes] // 2
        same = pair == pair[labels][:, None]
        return np.where(same & (rng.random(labels.size) < 0.5)[:, None], 1, -1)

    return World(outcome, lambda k: 1 - 0.5 * (k - 1) / (population - 1))


def luce(c: float) -> World:
    """Luce's choice among alternatives of weight c and a true one of weight 1, which is right with 1/(1 + c(K - 1)).

    It is a race of exponential times: the truth's is E, and a rival with the rate c is slower with probability
    exp(-c E), which is beta(1/c, 1).
    """
    return world(favourable(1 / c, 1))


def label_biases(sd: float, shift: float) -> World:
    """Normal scores of unit variance, a normal bias of every label, and a shift of the true one."""

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        scores = rng.normal(size=(labels.size, n_classes)) + sd * rng.normal(size=n_classes)
        own = (np.arange(labels.size), labels)
        scores[own] += shift
        return np.where(scores > scores[own][:, None], 1, -1)

    return World(outcome, world(probit(shift / np.sqrt(1 + sd**2))).accuracy)


def groups(shares: Sequence[float], within: Sequence[float]) -> World:
    """A label beats the points of its own group with the group's chance, and those of other groups never."""
    w, h = np.array(shares), np.array(within)

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        group = rng.choice(w.size, n_classes, p=w)
        same = group == group[labels][:, None]
        return np.where(same & (rng.random(same.shape) < h[group]), 1, -1)

    return World(outcome, lambda k: (w * (1 - w * h) ** (k - 1)[..., None]).sum(-1))


def ties(loss: float, tie: float) -> World:
    """Every label beats a point with chance `loss` and ties with chance `tie`; ties are broken at random."""

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        u = rng.random((labels.size, n_classes))
        return np.where(u < loss, 1, np.where(u < loss + tie, 0, -1))

    return World(outcome, lambda k: ((1 - loss) ** k - (1 - loss - tie) ** k) / (k * tie))


def copied(base: World) -> World:
    """All test points of a class are copies of one."""

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        return base.outcome(rng, np.arange(n_classes), n_classes)[labels]

    return replace(base, outcome=outcome)


def labels_of(rng: Rng, n_tested: int, repeats: int | str) -> Array:
    """Labels of the test points; "skewed" is a log-normal number for each class, from 1 to 100."""
    r = np.clip(np.ceil(rng.lognormal(0.5, 1.2, n_tested)), 1, 100) if repeats == "skewed" else repeats
    return np.repeat(np.arange(n_tested), np.broadcast_to(np.asarray(r, dtype=int), n_tested))


def outcomes(
    rng: Rng, base: World, n_classes: int, repeats: int | str, tested: int | None = None
) -> tuple[Array, Array]:
    """Outcomes, 0 for the truth itself, and labels, of classes of which only some may have test points."""
    labels = labels_of(rng, tested or n_classes, repeats)
    found = base.outcome(rng, labels, n_classes).astype(float)
    found[np.arange(labels.size), labels] = 0
    return found, labels


def ranks(rng: Rng, base: World, n_classes: int, repeats: int | str, tested: int | None = None) -> cx.CorrectRanks:
    return cx.correct_ranks(*outcomes(rng, base, n_classes, repeats, tested))


def gaussian_classes(n_features: int, noise: float) -> World:
    """Normal class centres, and points around them, which are given to the nearest centre."""
    model = cx.models.GaussianClasses(n_features, noise)

    def outcome(rng: Rng, labels: Array, n_classes: int) -> Array:
        r = np.bincount(labels, minlength=n_classes)[0]
        scores = model.sample(n_classes, n_repeats=int(r), rng=rng).scores
        return np.where(scores > np.take_along_axis(scores, labels[:, None], 1), 1, -1)

    return World(outcome, lambda k: np.array([model.average_accuracy(int(size)) for size in np.ravel(k)]))


def cosines(rng: Rng, n: int, n_impostors: int, twin: bool, d: int = 64, noise: float = 1.1) -> tuple[Array, Array]:
    """Cosines of mated probes and of impostors with a Gaussian gallery, in which all may be enrolled twice."""
    g, other = rng.normal(size=(n, d)), rng.normal(size=(n_impostors, d))
    if twin:
        g[1::2] = g[::2]
    probes = g + noise * rng.normal(size=(n, d))
    unit = [a / np.linalg.norm(a, axis=1, keepdims=True) for a in (probes, other, g)]
    jitter = 1e-9 * rng.normal(size=n)
    return unit[0] @ unit[2].T + jitter, unit[1] @ unit[2].T + jitter


def cosines_with_lookalikes(rng: Rng, n: int, n_impostors: int, share: float) -> tuple[Array, Array]:
    """The same gallery, in which each identity is a near twin of each impostor with a small probability."""
    mated, other = cosines(rng, n, n_impostors, False)
    alike = rng.random(other.shape) < share
    return mated, np.where(alike, 0.9 + 0.02 * rng.normal(size=other.shape), other)


def cosine_rate(t: ArrayLike, d: int = 64) -> Array:
    """Chance that the cosine of two random directions is at least t."""
    t = np.asarray(t)
    tail = special.betainc((d - 1) / 2, 0.5, np.clip(1 - t**2, 0, 1)) / 2
    return np.where(t >= 0, tail, 1 - tail)


@lru_cache
def cosine_misses(t: float, sizes: tuple[int, ...], d: int = 64, noise: float = 1.1) -> Array:
    """FNIR of the cosines: the mated cosine by 400,000 draws, everything else exactly."""
    rng = np.random.default_rng(0)
    size, along, across = np.sqrt(rng.chisquare(d, 400_000)), rng.normal(size=400_000), rng.chisquare(d - 1, 400_000)
    own = (size + noise * along) / np.sqrt((size + noise * along) ** 2 + noise**2 * across)
    return np.array([1 - ((own >= t) * np.exp((n - 1) * np.log1p(-cosine_rate(own)))).mean() for n in sizes])


def searches(
    rng: Rng, rate: Distribution, n: int, n_people: int, *, probes: int = 1, tail: str = "normal"
) -> tuple[Array, Array, Array]:
    """Mated scores (always right), impostor scores that reach 0 with a rate of each impostor's own, and impostors."""
    p = np.repeat(rate.draw(rng, n_people), probes)[:, None]
    u = rng.random((p.size, n))  # at least 1 - p where the score reaches 0
    if tail == "binary":
        other = np.where(u >= 1 - p, 1.0, -1.0)
    else:
        distribution = {"normal": stats.norm, "t3": stats.t(3), "uniform": stats.uniform}[tail]
        other = distribution.ppf(u) - distribution.ppf(1 - p)
        other = np.nan_to_num(other, nan=1.0, posinf=1e6, neginf=-1e6)
    return (
        np.where(np.eye(n, dtype=bool), 1e7, -1.0) + rng.random((n, n)),
        other,
        np.repeat(np.arange(n_people), probes),
    )
