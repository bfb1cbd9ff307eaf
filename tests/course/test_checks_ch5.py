"""The checkers of Chapter 5 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import multivariate_normal, norm

import classex as cx
from classex.models import BivariateNormal, GaussianSequence
from classex_book import ExerciseError, check

MU = 2 / np.sqrt(1.25)
GAUSSIAN = GaussianSequence(n_features=100, signal=2.0).sample(150, rng=1)
NEEDED = cx.information.identification_information(0.5, 200) / (np.log(1.02) / 2)


def underflowing(information, k):
    """The power of the distribution function, on a grid that forgets the shift."""
    z, step = np.linspace(-6, 6, 2000, retstep=True)
    return np.sum(norm.pdf(z - np.sqrt(2 * information)) * ndtr(z) ** (k - 1)) * step


def without_lower_end(accuracies):
    """The first accuracy alone."""
    return norm.ppf(accuracies[0]) ** 2


def not_whitened(responses, predictions, covariance):
    """Divides by the standard deviations, ignoring correlations."""
    sd = np.sqrt(np.diag(covariance))
    return -0.5 * np.square((responses / sd)[:, np.newaxis] - predictions / sd).sum(axis=2)


def wrong_way_round(responses, predictions, covariance):
    return densities(predictions, responses, covariance)


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("exr-ch5-two-candidates", norm.ppf(0.95), "not right"),  # the root of the information
        ("exr-ch5-two-candidates", norm.ppf(0.95) ** 2 / 2, "not right"),
        ("exr-ch5-two-candidates", norm.ppf(0.95) ** 2 / np.log(2), "not right"),  # bits
        ("exr-ch5-five-numbers", [MU, 1, norm.cdf(MU)], r"(entry \d of 3\b.*){1}"),  # nu left out of the accuracy
        ("exr-ch5-five-numbers", [2 / np.sqrt(1.5), 1, norm.cdf(2 / np.sqrt(2.5))], r"(entry \d of 3\b.*){1}"),
        ("exr-ch5-tilt", [4.5, 0, 0.5], r"(entry \d of 3\b.*){2}"),  # unrelated pairs centred at 0
        ("exr-ch5-tilt", [9, -9, norm.cdf(-3)], r"(entry \d of 3\b.*){3}"),  # the variance for the information
        ("exr-ch5-curve", underflowing, "with "),
        ("exr-ch5-curve", lambda information, k: cx.accuracy_ceiling(information, k), "nats and k"),
        ("exr-ch5-channels", int(NEEDED), "below one half"),
        ("exr-ch5-channels", int(NEEDED) + 2, "one channel fewer"),
        ("exr-ch5-channels", float(NEEDED), "whole number"),
        ("exr-ch5-implied", without_lower_end, "with "),
        ("exr-ch5-implied", lambda _: -1.0, "with an exact curve of 2 nats"),
        ("exr-ch5-whiten", not_whitened, "with 3 responses"),
        ("exr-ch5-whiten", wrong_way_round, "with 1 responses"),
        ("exr-ch5-easy-and-hard", GAUSSIAN.scores, "nu is not above 1.2"),
        ("exr-ch5-easy-and-hard", BivariateNormal(rho=0.99).sample(250, rng=7).bayes_scores, "nu is not above"),
        ("exr-ch5-easy-and-hard", np.eye(150), "between 0.6 and 0.99"),
        ("exr-ch5-easy-and-hard", np.eye(20), "at least 100"),
        ("exr-ch5-easy-and-hard", np.zeros((100, 101)), "square"),
    ],
)
def test_usual_mistakes_are_rejected(name, answer, message):
    with pytest.raises(ExerciseError, match=message):
        check(name, answer)


def densities(responses, predictions, covariance):
    """Through the log density, which differs by a constant that must be taken out."""
    centre = multivariate_normal(np.zeros(len(covariance)), covariance)
    top = centre.logpdf(np.zeros(len(covariance)))
    return np.array([[centre.logpdf(y - x) - top for x in predictions] for y in responses])
