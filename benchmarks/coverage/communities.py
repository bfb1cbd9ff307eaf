"""Coverage of nominal 95 % intervals for the communities' quantities, where the truth is known.

About an hour and a half on one core. "Same law": the law that made the data is fitted.

- pass@k: success chances of problems from a beta law with a share that is never solved, from one without such a share,
  and from a log-normal law cut off at 1. Last, a law that fifty trials cannot tell from hopeless problems: three in ten
  problems have one chance, 1 in 250, the others' are beta. An interval that holds both truths must reach nearly as far
  as the limits that hold for every law. These are counted beside it.
- Open sets: people are points in the plane with noisy images.
- Rank metrics: the bivariate normal model, at the observed numbers of classes and ten times beyond.
- Sampled negatives: favourabilities from a probit-normal and from a beta law, a hundred sampled wrong labels out of
  9,999 for each of 400 points; or 50 and, for those who win against all of them, 450 more.
- Capacity: the number of classes at which the bivariate normal model is right three times in a hundred.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ncx2, norm

import classex as cx
from benchmarks.coverage import attempts
from classex import Extrapolator, classes_at_accuracy
from classex._loops.curves import expected_given_favourability
from classex.curves.metrics import as_rank_metric
from classex.distributions import DiscreteDistribution
from classex.fields.open_set import extrapolate_open_set, open_set_curve
from classex.methods import probit_normal_accuracy
from classex.models import BivariateNormal

TABLE = "coverage_communities/coverage"
HEADER = "kind,case,target,truth,runs,coverage,standard_error,below,above,width"
SEED = 2025
LEVEL = 0.95
CHUNK, RUNS = 50, 400
# where a fit is quick
MORE_RUNS = {
    ("rank metric", "observed"): 2000, ("rank metric", "beyond, same law"): 2000,
    ("sampled negatives", "probit-normal, same law"): 2000, ("sampled negatives", "beta, same law"): 2000,
}  # fmt: skip
FloatArray = NDArray[np.float64]
Draw = Callable[[int, np.random.Generator], FloatArray]

NOISE, ENROLLED, STRANGERS, THRESHOLD = 0.15, 60, 60, -0.2
GALLERIES, BEYOND = (20, 60), (240,)
MODEL, OBSERVED, REPEATS = BivariateNormal(0.9), 60, 2
METRICS, SIZES = ("mrr", "ndcg@10", "map@3"), {"observed": (10, 60), "beyond": (600,), "beyond, same law": (600,)}
# mean and standard deviation of the probit of the favourability; shares of the variance that belong to the class of a
# wrong label, for all points alike, and to the class of the correct one
PROBIT, SHARED, OWN = (1.4, 0.9), 0.3, 0.5
LAWS: dict[str, Draw] = {
    "probit-normal": lambda n, rng: norm.cdf(2.2 + 0.8 * rng.standard_normal(n)),
    "beta": lambda n, rng: 1 - rng.beta(0.7, 12.0, n),
}
N_USERS, NEGATIVES, CATALOGUE = 400, 100, 10_000
SAMPLED = ("ndcg@10", "mrr")
CAPACITY_AT, SAME_LAW_AT = 0.03, 0.1


def people(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Scores of mated probes and of strangers."""
    gallery, strangers = rng.standard_normal((ENROLLED, 2)), rng.standard_normal((STRANGERS, 2))
    mated = gallery + NOISE * rng.standard_normal((ENROLLED, 2))
    first, second = (-np.linalg.norm(p[:, np.newaxis] - gallery, axis=2) for p in (mated, strangers))
    return first, second


def open_truth(sizes: tuple[int, ...]) -> FloatArray:
    """FPIR and FNIR by averaging the exact chances of a million people: (sizes, 2)."""
    rng = np.random.default_rng(0)
    stranger = rng.standard_normal((1_000_000, 2))
    near = ncx2.cdf(THRESHOLD**2, 2, np.square(stranger).sum(axis=1))
    error = NOISE * rng.standard_normal((1_000_000, 2))
    own = np.square(error).sum(axis=1)
    beaten = ncx2.cdf(own, 2, np.square(stranger + error).sum(axis=1))
    reached = own <= THRESHOLD**2
    return np.array([[1 - ((1 - near) ** n).mean(), 1 - (reached * (1 - beaten) ** (n - 1)).mean()] for n in sizes])


def open_run(rng: np.random.Generator, beyond: bool) -> FloatArray:
    """Interval ends of one experiment: (sizes of FPIR, then of FNIR; 2)."""
    mated, strangers = people(rng)
    labels = np.arange(ENROLLED)
    if beyond:
        far = extrapolate_open_set(mated, labels, strangers, THRESHOLD, n_enrolled=BEYOND, confidence_level=LEVEL)
        return np.concatenate([far.fpir_interval, far.fnir_interval])
    seen = [
        open_set_curve(mated, labels, strangers, THRESHOLD, n_enrolled=n, confidence_level=LEVEL) for n in GALLERIES
    ]
    return np.array([one.fpir_interval[0] for one in seen] + [one.fnir_interval[0] for one in seen])


def metric_of(favourability: FloatArray, complement: FloatArray, size: int, metric: str) -> FloatArray:
    """Expected metric of points of these favourabilities among so many classes."""
    value = as_rank_metric(metric).values(np.arange(1.0, size + 1))
    return expected_given_favourability(favourability, complement, np.array([size]), value)[:, 0]


def metric_truth(name: str) -> FloatArray:
    """Metrics of the model by its own quadrature: (metrics, sizes), in a row."""
    sizes = SIZES[name]
    if same_law(name):
        distribution = DiscreteDistribution.normal(*PROBIT)
        return np.concatenate(
            [distribution.expected(np.array(sizes, float), as_rank_metric(metric)) for metric in METRICS]
        )
    log_u, weight = MODEL._table
    u, v = np.exp(log_u), -np.expm1(log_u)
    held = weight > 1e-14
    share = weight[held] / weight[held].sum()
    return np.array([share @ metric_of(u[held], v[held], k, name) for name in METRICS for k in sizes])


def experiment(rng: np.random.Generator) -> cx.CorrectRanks:
    """Ranks of one experiment of the bivariate normal model."""
    sample = MODEL.sample(OBSERVED, n_repeats=REPEATS, rng=rng)
    return cx.correct_ranks(sample.scores, sample.labels)


def same_law(name: str) -> bool:
    """Whether the law that is fitted is that of the data."""
    return name.endswith("same law")


def probit_normal(quantile: FloatArray) -> FloatArray:
    """Probit of the favourability of the law PROBIT, from standard normal quantiles."""
    mu, nu = PROBIT
    return mu + nu * quantile


def random_scores(rng: np.random.Generator, probit: Callable[[FloatArray], FloatArray]) -> cx.CorrectRanks:
    """Ranks of one experiment with this law of the favourability, with test points that share classes."""
    labels = np.repeat(np.arange(OBSERVED), REPEATS)
    shape = (labels.size, OBSERVED)
    scores = np.sqrt(SHARED) * rng.standard_normal(OBSERVED) + np.sqrt(1 - SHARED) * rng.standard_normal(shape)
    own, chance = rng.standard_normal(OBSERVED)[labels], rng.standard_normal(labels.size)
    scores[np.arange(labels.size), labels] = probit(np.sqrt(OWN) * own + np.sqrt(1 - OWN) * chance)
    return cx.correct_ranks(scores, labels)


def estimator(distribution: str | None) -> Extrapolator:
    """Return the one that fits a law of this name, or the default."""
    if distribution == "probit-normal":
        return cx.Extrapolator(cx.methods.ProbitNormal())
    if distribution == "beta":
        return cx.Extrapolator(cx.methods.BetaBinomial(limited=False, atoms=False))
    return cx.Extrapolator()


def metric_run(name: str, rng: np.random.Generator) -> FloatArray:
    """Interval ends of one experiment, metric by metric."""
    ranks, sizes = random_scores(rng, probit_normal) if same_law(name) else experiment(rng), SIZES[name]
    if name == "observed":
        ends = [cx.accuracy_curve(ranks, sizes, metric=metric).interval(LEVEL) for metric in METRICS]
    else:
        distribution = estimator("probit-normal" if same_law(name) else None).fit_ranks(ranks)
        ends = [distribution.predict_interval(sizes, metric=metric, confidence_level=LEVEL) for metric in METRICS]
    return np.concatenate(ends)


def sampled_truth(name: str) -> FloatArray:
    """Metrics on the full catalogue."""
    return catalogue_truth(LAWS[name.split(",")[0]])


def catalogue_truth(draw: Draw) -> FloatArray:
    """Means of the metrics on the full catalogue over 200,000 favourabilities drawn like this."""
    u = draw(200_000, np.random.default_rng(0))
    return np.array([metric_of(u, 1 - u, CATALOGUE, metric).mean() for metric in SAMPLED])


def sampled_run(name: str, rng: np.random.Generator) -> FloatArray:
    """Interval ends of one test with sampled negatives."""
    distribution, *how = name.split(", ")
    return sampled_ends(
        LAWS[distribution], rng, adaptive=how == ["more for winners"], fitted=distribution if same_law(name) else None
    )


def sampled_ends(
    draw: Draw, rng: np.random.Generator, *, adaptive: bool = False, fitted: str | None = None
) -> FloatArray:
    """Interval ends of one test with favourabilities drawn like this, by the default or a named law: (metrics, 2)."""
    u = draw(N_USERS, rng)
    first = 50 if adaptive else NEGATIVES
    wins, met = rng.binomial(first, u), np.full(N_USERS, first)
    if adaptive:
        more = np.where(wins == first, 450, 0)
        wins, met = wins + rng.binomial(more, u), met + more
    ranks = cx.ranks_from_wins(wins, CATALOGUE, n_wrong=met)
    fit = estimator(fitted).fit_ranks(ranks)
    ends = [fit.predict_interval(CATALOGUE, metric=metric, confidence_level=LEVEL) for metric in SAMPLED]
    return np.concatenate(ends)


def capacity_truth(name: str) -> FloatArray:
    """Number of classes at which the average accuracy crosses the value, by a straight line in log K."""
    k = np.unique(np.geomspace(2, 10_000, 2_000).round())
    value, curve = (
        (SAME_LAW_AT, probit_normal_accuracy(*PROBIT, k))
        if same_law(name)
        else (CAPACITY_AT, MODEL.average_accuracy(k))
    )
    return np.array([np.exp(np.interp(-value, -curve, np.log(k)))])


def capacity_run(name: str, rng: np.random.Generator) -> FloatArray:
    """Interval of the capacity from one experiment."""
    if same_law(name):
        ranks, value = random_scores(rng, probit_normal), SAME_LAW_AT
    else:
        ranks, value = experiment(rng), CAPACITY_AT
    fit = estimator("probit-normal" if same_law(name) else None).fit_ranks(ranks)
    found = classes_at_accuracy(fit, value, confidence_level=LEVEL)
    return np.array([[found.low, found.high]])


CELLS: tuple[tuple[str, str], ...] = (
    *(("pass@k", name) for name in attempts.PROBLEMS if name != "30 % alike"),
    *(("open set", name) for name in ("searched", "beyond")),
    *(("rank metric", name) for name in ("observed", "beyond")),
    *(("sampled negatives", name) for name in (*LAWS, "probit-normal, more for winners")),
    ("capacity", "bivariate normal"),
    ("rank metric", "beyond, same law"),
    *(("sampled negatives", f"{name}, same law") for name in LAWS),
    ("capacity", "probit-normal, same law"),
    ("pass@k", "30 % alike"),
)


def targets(kind: str, name: str) -> tuple[list[str], FloatArray]:
    """Names and true values of what the intervals are for."""
    if kind == "pass@k":
        return [f"{what}{k}" for what, k in attempts.targets(name)], attempts.truth(name)
    if kind == "rank metric":
        return [f"{metric} at {k}" for metric in METRICS for k in SIZES[name]], metric_truth(name)
    if kind == "sampled negatives":
        return [f"{metric} at {CATALOGUE}" for metric in SAMPLED], sampled_truth(name)
    if kind == "capacity":
        return [f"classes at {SAME_LAW_AT if same_law(name) else CAPACITY_AT}"], capacity_truth(name)
    sizes = BEYOND if name == "beyond" else GALLERIES
    return [f"{rate} at {n}" for rate in ("FPIR", "FNIR") for n in sizes], open_truth(sizes).T.ravel()


def rows(kind: str, name: str) -> list[list[object]]:
    """Coverage and median width in one case, one row for each quantity."""
    one: dict[str, Callable[[np.random.Generator], FloatArray]] = {
        "pass@k": lambda rng: attempts.run(name, rng, LEVEL),
        "open set": lambda rng: open_run(rng, name == "beyond"),
        "rank metric": lambda rng: metric_run(name, rng),
        "sampled negatives": lambda rng: sampled_run(name, rng),
        "capacity": lambda rng: capacity_run(name, rng),
    }
    runs, seed = MORE_RUNS.get((kind, name), RUNS), SEED + CELLS.index((kind, name))
    generators = (np.random.default_rng([seed, part]) for part in range(runs // CHUNK))
    ends = np.array([one[kind](rng) for rng in generators for _ in range(CHUNK)])
    out: list[list[object]] = []
    for target, truth, (low, high) in zip(*targets(kind, name), np.moveaxis(ends, 0, -1), strict=True):
        below, above = (high < truth).mean(), (low > truth).mean()
        covered = 1 - below - above
        numbers = (covered, np.sqrt(covered * (1 - covered) / runs), below, above, np.median(high - low))
        out.append([kind, name, target, f"{truth:.6g}", runs, *(f"{x:.4f}" for x in numbers)])
    return out
