"""Exercises of Chapter 5 with other numbers."""

from __future__ import annotations

from math import ceil, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from classex.information import identification_accuracy, identification_information
from classex_book.course.variants import Numbers, Variation

__all__ = ["VARIATIONS"]


def _channels_key(signal: float, candidates: int) -> int:
    return ceil(float(identification_information(0.5, candidates)) / (log(1 + signal) / 2))


def _five_numbers_key(gap: float, own: float, rival: float, with_truth: float, between: float) -> list[float]:
    alone, left = rival - between, own + between - 2 * with_truth
    return [gap / sqrt(alone), sqrt(left / alone), norm.cdf(gap / sqrt(alone + left))]


def _draw_accuracies(rng: np.random.Generator) -> Numbers:
    curve = identification_accuracy(float(rng.choice([0.5, 1.0, 1.5, 2.0])), np.arange(2, 7))
    noisy = np.sort(curve + rng.uniform(-0.03, 0.03, 5))[::-1]
    return {"accuracies": [round(float(a), 2) for a in noisy]}


def _implied_key(accuracies: list[float]) -> float:
    def gap(nats: float) -> float:
        return float(np.square(np.array(accuracies) - identification_accuracy(nats, np.arange(2, 7))).sum())

    return float(minimize_scalar(gap, bounds=(0, 8), method="bounded", options={"xatol": 1e-9}).x)


def _draw_voxels(rng: np.random.Generator) -> Numbers:
    return {
        "variances": [int(v) for v in rng.integers(2, 6, 2)],
        "covariance": float(rng.choice([-1.0, 0.5, 1.0, 1.5])),
        "response": [float(v) / 2 for v in rng.integers(-6, 7, 2)],
        "prediction": [float(v) / 2 for v in rng.integers(-6, 7, 2) + 0.5],
    }


def _whiten_key(variances: list[int], covariance: float, response: list[float], prediction: list[float]) -> float:
    (v, w), (a, b) = variances, (y - x for y, x in zip(response, prediction, strict=True))
    return -(w * a**2 - 2 * covariance * a * b + v * b**2) / (2 * (v * w - covariance**2))


def _mixture_key(easy: float, hard: float, k: int) -> list[float]:
    mean = [float(np.mean(identification_accuracy([easy, hard], size))) for size in (2, k)]
    return [float(identification_information(a, size)) for a, size in zip(mean, (2, k), strict=True)]


def _two_points_key(shift: float) -> float:
    def lost(y: float) -> float:
        return float(norm.pdf(y, shift) * np.logaddexp(0, -2 * shift * y))

    return log(2) - float(quad(lost, shift - 12, shift + 12, epsabs=1e-11)[0])


VARIATIONS = (
    Variation(
        "exr-ch5-two-candidates",
        "Two candidates",
        "On the limit curve, with which information, in nats, are two candidates told apart in a share "
        "«accuracy» of the "
        "cases?",
        lambda rng: {"accuracy": float(rng.choice([0.8, 0.85, 0.9, 0.97, 0.99]))},
        lambda accuracy: norm.ppf(accuracy) ** 2,
    ),
    Variation(
        "exr-ch5-five-numbers",
        "Five numbers become two",
        "Scores are jointly normal. The truth's has a mean that is «gap» above that of each rival. The truth's has "
        "variance «own», each rival's «rival». The truth has covariance «with_truth» with every rival, and rivals have "
        "covariance «between» with each other. Find $\\mu$ and $\\nu$ of the lemma on normal scores, and the accuracy "
        "with two candidates.",
        lambda rng: {
            "gap": float(rng.choice([1.0, 1.5, 2.5, 3.0])),
            "own": float(rng.choice([2.0, 2.5, 3.0])),
            "rival": float(rng.choice([1.25, 1.5, 2.0])),
            "with_truth": float(rng.choice([0.25, 0.5])),
            "between": float(rng.choice([0.25, 0.5])),
        },
        _five_numbers_key,
    ),
    Variation(
        "exr-ch5-tilt",
        "What a histogram tells",
        "You compute the log likelihood ratio of many *unrelated* pairs of stimulus and response, in a model of high "
        "dimension. The histogram is normal with standard deviation «sd». What is the mutual information, what is the "
        "mean, and how often does an unrelated pair look more like a true one?",
        lambda rng: {"sd": float(rng.choice([1.0, 1.5, 2.0, 2.5, 4.0]))},
        lambda sd: [sd**2 / 2, -(sd**2) / 2, norm.cdf(-sd / 2)],
    ),
    Variation(
        "exr-ch5-channels",
        "Channels",
        "Each channel has signal variance «signal» against noise of variance 1. On the limit curve, what is the "
        "smallest "
        "number of channels with which the right one of «candidates» candidates is found at least half of the time?",
        lambda rng: {
            "signal": float(rng.choice([0.01, 0.03, 0.05])),
            "candidates": int(rng.choice([50, 100, 400, 1000])),
        },
        _channels_key,
    ),
    Variation(
        "exr-ch5-curve",
        "The curve",
        "What accuracy with «k» candidates belongs to «information» nats on the limit curve?",
        lambda rng: {
            "information": float(rng.choice([0.7, 1.5, 3.0, 5.0, 9.0])),
            "k": int(rng.choice([5, 40, 300, 5000, 10**6])),
        },
        lambda information, k: float(identification_accuracy(information, k)),
        "a probability",
    ),
    Variation(
        "exr-ch5-implied",
        "Implied information by least squares",
        "The accuracies of a decoder with 2, 3, 4, 5 and 6 candidates are «accuracies». Which information does it "
        "imply by least squares over these five? Three digits will do.",
        _draw_accuracies,
        _implied_key,
        "a number of nats, right to three digits",
    ),
    Variation(
        "exr-ch5-whiten",
        "Whiten once",
        "Two voxels have noise of variances «variances» and covariance «covariance». Their responses are «response», "
        "and the model predicts «prediction» for a candidate. What is the candidate's score, minus half the squared "
        "distance of the whitened responses from the whitened predictions?",
        _draw_voxels,
        _whiten_key,
        "a number",
    ),
    Variation(
        "exr-ch5-easy-and-hard",
        "Easy and hard stimuli",
        "Half of the stimuli are easy: their accuracies lie on the limit curve of «easy» nats. Those of the other half "
        "lie on that of «hard» nats. The mean of the two halves is reported. Which information belongs to the mean "
        "accuracy with 2 candidates, and which to that with «k»?",
        lambda rng: {
            "easy": float(rng.choice([4.0, 5.0, 6.0])),
            "hard": float(rng.choice([0.3, 0.5, 0.8])),
            "k": int(rng.choice([50, 100, 200])),
        },
        _mixture_key,
        "a pair of numbers of nats",
    ),
    Variation(
        "exr-ch5-two-points",
        "Information by simulation",
        "The class is $X = -«shift»$ or $X = «shift»$, each with probability one half, and $Y = X + E$ with standard "
        "normal $E$. What is $I(X; Y)$ in nats? Three digits will do, by simulation or by quadrature.",
        lambda rng: {"shift": float(rng.choice([0.5, 0.7, 1.2, 1.5, 2.0]))},
        _two_points_key,
        "a number of nats, right to three digits",
    ),
)
