"""Coverage of the lower confidence bound for mutual information, and how much of the truth it finds.

About ten minutes on one core.
"""

from __future__ import annotations

import numpy as np

import classex as cx
from classex import CorrectRanks
from classex.information import InformationConfidenceBound
from classex.models import BivariateNormal, GaussianSequence, RandomCode

LEVEL = 0.95
DESIGNS = ((30, 10), (150, 10))  # classes, test points per class
EXTREMAL_CLASSES = 30  # both designs try this number of classes, and there no smaller information will do
TABLE = "coverage_information/coverage"
HEADER = (
    "model,information,n_classes,n_repeats,simulations,coverage,standard_error,median,median_share,lower_decile_share,"
    "upper_decile_share,union_share,best_k_share,usual_k,single_k_share,fano_share,log_k"
)
SIMULATIONS, SEED = 500, 20_170_601


class Extremal:
    """The extremal channel, drawn as the models draw: k classes, then r test points of each."""

    def __init__(self, information: float) -> None:
        self.channel = cx.information.ExtremalChannel(information=information, n_classes=EXTREMAL_CLASSES)

    def information(self) -> float:
        """Exact mutual information in nats."""
        return self.channel.information

    def ranks(self, k: int, r: int, rng: np.random.Generator) -> CorrectRanks:
        """Ranks of one experiment with k classes and r test points of each, scored by the Bayes rule."""
        x = rng.random(k)
        labels = np.repeat(np.arange(k), r)
        return cx.correct_ranks(self.channel.scores(self.channel.respond(x[labels], rng=rng), x), labels)


class Drawn:
    """One of the package's models."""

    def __init__(self, model: BivariateNormal | GaussianSequence | RandomCode) -> None:
        self.model = model

    def information(self) -> float:
        """Exact mutual information in nats."""
        return self.model.information()

    def ranks(self, k: int, r: int, rng: np.random.Generator) -> CorrectRanks:
        """Ranks of one experiment with k classes and r test points of each, scored by the Bayes rule."""
        sample = self.model.sample(k, n_repeats=r, rng=rng)
        return cx.correct_ranks(sample.bayes_scores, sample.labels)


MODELS: dict[str, Extremal | Drawn] = {
    "extremal channel": Extremal(3.0),
    "bivariate normal, rho = 0.99": Drawn(BivariateNormal(rho=0.99)),
    "Gaussian sequence, d = 40": Drawn(GaussianSequence(n_features=40, signal=12.0)),
    "random code, 31 bits": Drawn(RandomCode(length=31, crossover=0.1)),
    "Gaussian sequence, d = 300": Drawn(GaussianSequence(n_features=300, signal=300 * np.expm1(2 * 3.0 / 300))),
}


def fano(result: InformationConfidenceBound) -> float:
    """Fano's inequality on the very same accuracy bounds, best of the same numbers of classes."""
    return float(cx.fano_bound(result.accuracy_bound, result.class_counts).max())


def from_all_classes(result: InformationConfidenceBound, k1: int, r: int) -> float:
    """Bound from all classes as one task, named in advance, so with no choice to pay for."""
    accuracy = cx.average_bayes_accuracy_bound(
        float(result.accuracy[0, 0]), n_classes=k1, n_repeats=r, confidence_level=LEVEL, method="chernoff"
    )
    return float(cx.information_bound(accuracy, k1))


def from_union(result: InformationConfidenceBound) -> float:
    """Bound from all accuracies together, each lowered as the union of bounds requires."""
    return cx.information.curve_information_bound(result.accuracy_bound[0], result.class_counts).information


CELLS = tuple((name, k1, r) for k1, r in DESIGNS for name in MODELS)


def rows(name: str, k1: int, r: int) -> list[list[object]]:
    """Coverage and sharpness for one model and design."""
    model, rng = MODELS[name], np.random.default_rng(SEED + CELLS.index((name, k1, r)))
    truth = model.information()
    bound, single, union, best, fanos, chosen = (np.empty(SIMULATIONS) for _ in range(6))
    for i in range(SIMULATIONS):
        ranks = model.ranks(k1, r, rng)
        result = cx.information_confidence_bound(ranks, confidence_level=LEVEL)
        bound[i], chosen[i], fanos[i] = result.information, result.n_classes, fano(result)
        single[i], best[i] = from_all_classes(result, k1, r), result.information_by_class_count.max()
        union[i] = from_union(result)
    coverage = float((bound <= truth).mean())
    values, frequency = np.unique(chosen, return_counts=True)
    low, high = np.quantile(bound, [0.1, 0.9]) / truth
    numbers = [coverage, np.sqrt(coverage * (1 - coverage) / SIMULATIONS), np.median(bound), np.median(bound) / truth]
    shares = [np.median(x) / truth for x in (union, best, single, fanos)]
    return [[
        name, f"{truth:.6f}", k1, r, SIMULATIONS, *(f"{x:.4f}" for x in [*numbers, low, high, *shares[:2]]),
        int(values[np.argmax(frequency)]), *(f"{x:.4f}" for x in shares[2:]), f"{np.log(k1):.4f}",
    ]]  # fmt: skip
