"""One table of public estimators, each a function of a random data set, and the changes under which laws hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

import classex as cx
from benchmarks.adversarial import continuity
from classex.methods.registry import DEFAULT_METHOD, METHODS

#: how far an end of a forecast, and a prediction, may move the wrong way after a change of one comparison
END, PREDICTION = 0.03, 0.01
#: and an observed end, which has a variance of its own for every number of classes: it counts who won, and half a class
#: more where no point or every point is right
OBSERVED = 0.05
LEVEL = 0.95


@dataclass(frozen=True)
class Sample:
    """Scores of labelled points for K classes, and of strangers; `place` is a property of each class."""

    scores: Any
    labels: Any
    place: Any
    strangers: Any

    @property
    def k1(self) -> int:
        return self.scores.shape[1]

    @property
    def ranks(self) -> Any:
        return cx.correct_ranks(self.scores, self.labels)

    @property
    def own(self) -> Any:
        return self.scores[np.arange(self.labels.size), self.labels]

    @property
    def right(self) -> Any:
        return self.scores.max(axis=1) == self.own


class Found(NamedTuple):
    """Values and the ends of their intervals: for bounds one end is the value and the other infinite."""

    value: Any
    low: Any
    high: Any


@dataclass(frozen=True)
class Estimator:
    """A public function, and what is known of its values.

    Attributes
    ----------
    of : callable
        From a data set and a confidence level to what it finds.
    better : int
        Direction in which values move with a better record; 0 if neither.
    along : int
        Direction in which they move along the array, which is one of growing numbers of classes or attempts.
    share : bool
        Whether values are probabilities.
    reads : str
        "ranks"; "threshold", if a score is compared with scores of other rows; or "scores".
    points : bool
        Whether copies of points count as more evidence, or are other trials.
    forecast : bool
        Whether this is the default's forecast, for which the laws have no slack.
    chooses : bool
        Whether it chooses among fits by random halves of the classes, which are others for other numbers of the labels.
    steady : bool
        Whether one comparison hardly moves it: not for attempts, of which there are few, other methods, and reports.
    tolerance : float
        Differences that a solver's last steps make.
    interval : bool
        Whether there is an interval; otherwise its ends are the value.
    seeds : int
        Number of data sets.
    """

    of: Callable[[Sample, float], Found]
    better: int = 1
    along: int = 0
    share: bool = False
    reads: str = "ranks"
    points: bool = False
    forecast: bool = False
    chooses: bool = False
    steady: bool = True
    tolerance: float = 1e-9
    interval: bool = True
    seeds: int = 200


def sample(seed: int) -> Sample:
    rng = np.random.default_rng([2028, seed])
    scores, labels = continuity.random_scores(rng, 20, 50)
    K = scores.shape[1]
    return Sample(scores, labels, rng.random(K), 0.9 * rng.random((3 * K, K)))


def perfect(seed: int) -> Sample:
    """Every point beats every label."""
    one = sample(seed)
    scores = one.scores.copy()
    scores[np.arange(one.labels.size), one.labels] = 2
    return replace(one, scores=scores)


# ---- changes; each takes a data set and random numbers
def relabelled(one: Sample, rng: Any) -> Sample:
    order = rng.permutation(one.k1)
    return Sample(one.scores[:, order], np.argsort(order)[one.labels], one.place[order], one.strangers[:, order])


def reordered(one: Sample, rng: Any) -> Sample:
    order, others = rng.permutation(one.labels.size), rng.permutation(len(one.strangers))
    return replace(one, scores=one.scores[order], labels=one.labels[order], strangers=one.strangers[others])


def doubled(one: Sample, _: Any = None) -> Sample:
    return replace(one, scores=np.repeat(one.scores, 2, axis=0), labels=np.repeat(one.labels, 2))


def transformed(one: Sample, of: Callable[[Any], Any]) -> Sample:
    return replace(one, scores=of(one.scores), strangers=of(one.strangers))


def scaled(one: Sample, rng: Any) -> Sample:
    factor = np.exp2(rng.integers(-8, 9))  # powers of two, which round nothing
    return transformed(one, lambda scores: factor * scores)


def shifted(one: Sample, rng: Any) -> Sample:
    return transformed(one, lambda scores: scores + rng.integers(-4, 5, (len(scores), 1)))


def bent(one: Sample, rng: Any) -> Sample:
    """A function of the scores that rises, another one for every row."""
    return transformed(one, lambda scores: np.exp(rng.uniform(0.5, 3, (len(scores), 1)) * scores))


def worse(one: Sample, rng: Any) -> Sample:
    return replace(one, scores=continuity.one_lost(rng, one.scores, one.labels)[0])


def improved(one: Sample, rng: Any) -> Sample:
    return replace(one, scores=continuity.one_perfect(rng, one.scores, one.labels))


CHANGES = {
    change.__name__: change for change in (relabelled, reordered, doubled, scaled, shifted, bent, worse, improved)
}


# ---- the table
def curve(found: Any, level: float) -> Found:
    return Found(found.accuracy, *found.interval(level).T)


def sizes(one: Sample) -> list[int]:
    return sorted({2, 3, one.k1 // 2, one.k1})


def accuracies(**options: Any) -> Callable[[Sample, float], Found]:
    return lambda one, level: curve(cx.accuracy_curve(one.ranks, sizes(one), **options), level)


def distances(one: Sample) -> Any:
    return np.abs(one.place - one.place[:, None])


def alike(one: Sample) -> Any:
    return 1 - np.eye(one.k1)


def risk(cost: Callable[[Sample], Any]) -> Callable[[Sample, float], Found]:
    return lambda one, level: curve(cx.risk_curve(one.scores, one.labels, cost(one), n_classes=sizes(one)), level)


def further(times: tuple[int, ...], **options: Any) -> Callable[[Sample, float], Found]:
    def of(one: Sample, level: float) -> Found:
        asked = {"n_classes": [one.k1 * t for t in times], "confidence_level": level}
        found = cx.extrapolate(one.scores, one.labels, **asked, **options)
        return Found(found.accuracy, *found.interval.T)

    return of


def capacity(one: Sample, level: float) -> Found:
    fitted = cx.Extrapolator().fit_ranks(one.ranks)
    each = [cx.classes_at_accuracy(fitted, a, confidence_level=level) for a in (0.3, 0.7)]
    return Found(*(np.log([getattr(c, name) for c in each]) for name in ("n_classes", "low", "high")))


def outcomes(one: Sample) -> tuple[Any, int]:
    """Classes as problems, and their points as trials."""
    return np.bincount(one.labels, one.right, one.k1).astype(int), one.labels.size // one.k1


def attempts(function: Callable[..., Any]) -> Callable[[Sample, float], Found]:
    def of(one: Sample, level: float) -> Found:
        found = function(*outcomes(one), [1, 2, 5, 50], confidence_level=level)
        return Found(found.value, *found.interval.T)

    return of


def to_reach(one: Sample, level: float) -> Found:
    found = cx.attempts.attempts_to_reach(*outcomes(one), 0.5, confidence_level=level)
    return Found(*(np.log([x]) for x in (found.value, found.low, found.high)))


def bound(value: Any) -> Found:
    value = np.atleast_1d(value)
    return Found(value, value, np.full(value.shape, np.inf))


def bayes_bound(one: Sample, level: float) -> Found:
    r = one.labels.size // one.k1
    return bound(
        cx.average_bayes_accuracy_bound(one.right.mean(), n_classes=one.k1, n_repeats=r, confidence_level=level)
    )


def information(one: Sample, level: float) -> Found:
    return bound(cx.information_confidence_bound(one.ranks, confidence_level=level).information)


def implied(one: Sample, level: float) -> Found:
    found = cx.implied_information(one.ranks, confidence_level=level)
    return Found(*(np.atleast_1d(x) for x in (found.value, found.interval.low, found.interval.high)))


def of_accuracy(function: Callable[..., Any]) -> Callable[[Sample, float], Found]:
    """A function of the observed accuracy and the number of classes."""
    return lambda one, _: bound(function(one.right.mean(), one.k1))


def ceiling(one: Sample, _: float) -> Found:
    """The largest accuracy, with ever more classes, that the least information of the observed one allows."""
    nats = min(cx.information_bound(one.right.mean(), one.k1), 100.0)
    value = cx.accuracy_ceiling(nats, [one.k1 * t for t in (1, 2, 10, 100)])
    return Found(value, np.zeros_like(value), value)


def advantage(weighted: bool) -> Callable[[Sample, float], Found]:
    """With weights one label is more frequent than the others; of several the first is the reference."""

    def of(one: Sample, level: float) -> Found:
        data = one.labels, one.scores.argmax(axis=1)
        weight = {"sample_weight": 1.0 + (one.labels == one.place.argmax())} if weighted else {}
        value = cx.prediction_advantage(*data, **weight)
        found = cx.prediction_advantage_interval(*data, **weight, confidence_level=level)
        return Found(*(np.atleast_1d(x) for x in (value, found.low, found.high)))

    return of


def searches(rate: str) -> Callable[[Sample, float], Found]:
    def of(one: Sample, level: float) -> Found:
        cut = np.sort(one.strangers, axis=None)[-one.strangers.size // 50]
        found = cx.open_set.open_set_curve(one.scores, one.labels, one.strangers, [cut], confidence_level=level)
        return Found(getattr(found, rate), *getattr(found, f"{rate}_interval").T)

    return of


def relevant(one: Sample) -> Any:
    """A point's label is relevant to it, and so are labels of nearly the same place."""
    near = np.abs(one.place[one.labels][:, None] - one.place) < 0.02
    return cx.retrieval.relevant_ranks(one.scores, near.astype(int))


def retrieval(one: Sample, level: float) -> Found:
    return curve(cx.retrieval.retrieval_curve(relevant(one), [one.k1], metric="map"), level)


def larger_corpora(one: Sample, level: float) -> Found:
    found = cx.extrapolate_retrieval(relevant(one), [one.k1 * t for t in (1, 10, 100)], metric="recall@5")
    return curve(found, level)


def reported(one: Sample, level: float) -> Found:
    found = cx.accuracy_curve(one.ranks, [one.k1])
    report = (one.k1, 1, float(found.accuracy[0]), max(float(found.standard_error[0]), 0.01))
    again = cx.restate([report], n_classes=[one.k1, 10 * one.k1], confidence_level=level)
    return Found(again.limits.mean(axis=1), *again.limits.T)


def reidentified(one: Sample, level: float) -> Found:
    """People are points, and cells the labels that these are given."""
    cells = np.bincount(one.scores.argmax(axis=1))
    n = one.labels.size
    found = cx.reidentification.population_risk(cells[cells > 0], n_people=[n // 2, n], confidence_level=level)
    return Found(found.value, *found.interval.T)


def predicted(method: str) -> Callable[[Sample, float], Found]:
    """Predictions of another method, without the resampling of its intervals."""

    def of(one: Sample, _: float) -> Found:
        asked = [one.k1 * t for t in (1, 2, 10, 100)]
        found = cx.extrapolate(one.scores, one.labels, n_classes=asked, method=method, target=None).accuracy
        return Found(found, found, found)

    return of


# likelihoods of points, to which a copy is another point; and methods that read the scores themselves
OF_POINTS = {"probit-normal", "regression", "empirical-bayes", "beta-binomial", "pseudolikelihood"}
OF_SCORES = {"kernel-density"}
CHOOSE = {"regression"}
SHARE = {"along": -1, "share": True}
# the forecast, whose quantiles are found to 1e-8: it counts points besides classes
COUNTED = {**SHARE, "forecast": True, "points": True, "tolerance": 1e-7}

ESTIMATORS: dict[str, Estimator] = {
    "accuracy_curve": Estimator(accuracies(), **SHARE),
    "accuracy_curve, mrr": Estimator(accuracies(metric="mrr"), **SHARE, seeds=100),
    "accuracy_curve, top 3": Estimator(accuracies(top=3), **SHARE, seeds=100),
    "risk_curve": Estimator(risk(distances), better=0, seeds=30),
    "risk_curve, 0/1 cost": Estimator(risk(alike), better=-1, along=1, share=True, seeds=30),
    "extrapolate": Estimator(further((2, 10, 100)), **COUNTED, seeds=50),
    "extrapolate, superset": Estimator(further((2, 10), target="superset"), **COUNTED, seeds=20),
    "classes_at_accuracy": Estimator(capacity, better=0, along=-1, points=True, tolerance=1e-6, seeds=10),
    "average_bayes_accuracy_bound": Estimator(bayes_bound, share=True, points=True),
    "information_confidence_bound": Estimator(information, points=True, tolerance=1e-6, seeds=10),
    "implied_information": Estimator(implied, points=True, tolerance=1e-6, seeds=10),
    "information_bound": Estimator(of_accuracy(cx.information_bound)),
    "fano_bound": Estimator(of_accuracy(cx.fano_bound)),
    "accuracy_ceiling": Estimator(ceiling, **SHARE),
    "prediction_advantage_interval": Estimator(advantage(False), tolerance=2e-3, seeds=50),
    "prediction_advantage_interval, weights": Estimator(advantage(True), steady=False, seeds=50),
    "open_set_curve, FPIR": Estimator(searches("fpir"), better=0, share=True, reads="threshold", seeds=30),
    "open_set_curve, FNIR": Estimator(searches("fnir"), better=-1, share=True, reads="threshold", seeds=30),
    "retrieval_curve": Estimator(retrieval, better=0, share=True, seeds=50),
    "extrapolate_retrieval": Estimator(larger_corpora, better=0, **SHARE, points=True, tolerance=1e-7, seeds=5),
    "restate": Estimator(reported, **SHARE, steady=False, tolerance=1e-6, seeds=5),
    "population_risk": Estimator(reidentified, better=0, points=True, seeds=50),
    "pass_at_k": Estimator(attempts(cx.pass_at_k), along=1, share=True, points=True, steady=False, seeds=5),
    "pass_hat_k": Estimator(attempts(cx.attempts.pass_hat_k), **SHARE, points=True, steady=False, seeds=5),
    "attempts_to_reach": Estimator(to_reach, better=-1, points=True, steady=False, seeds=5),
}
for name in METHODS:
    if name != DEFAULT_METHOD:
        reads = "scores" if name in OF_SCORES else "ranks"
        kind = {"reads": reads, "points": name in OF_POINTS, "chooses": name in CHOOSE, "steady": False}
        ESTIMATORS[name] = Estimator(predicted(name), **SHARE, **kind, interval=False, tolerance=1e-6, seeds=3)


def turned(seed: int) -> bool:
    """Whether the lost comparison makes a right answer wrong."""
    one = sample(seed)
    return bool(CHANGES["worse"](one, np.random.default_rng([2029, seed])).right.sum() < one.right.sum())


@lru_cache(maxsize=100_000)
def found(name: str, seed: int, change: str = "", level: float = LEVEL) -> Found:
    """What an estimator finds in a random data set, or in what a change makes of it."""
    one = sample(seed)
    if change:
        one = CHANGES[change](one, np.random.default_rng([2029, seed]))
    return ESTIMATORS[name].of(one, level)
