r"""Coverage of nominal 95 % intervals where subjects differ, with and without `units=`.

Classes are points in ten dimensions. A subject's response is the class that was shown plus noise, whose standard
deviation is log-normal over subjects, and the score of a class is minus its squared distance from the response. In the
crossed design every subject sees all classes once; in the nested one each sees as many of its own, and the classes of
all subjects compete. The truth is the mean over the population of subjects and over random sets of classes, from
:math:`E\,U^{K-1}` with the favourability U of each response in closed form.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import stats

import classex as cx

TABLE = "coverage_units/coverage"
HEADER = "design,spread,n_subjects,n_stimuli,interval,n_classes,units,truth,experiments,coverage,standard_error,width"
DIMENSION, NOISE, BEYOND = 10, 0.55, 10  # features, median standard deviation of the noise, times the observed classes
EXPERIMENTS, RESPONSES = 300, 10**6
METHODS = ("gaussian-process", "probit-normal")
# design, standard deviation of the logarithm of the noise, subjects, stimuli of each subject
CELLS = (
    ("crossed", 0.35, 8, 100),
    ("crossed", 0.35, 10, 200),
    ("crossed", 0.35, 20, 100),
    ("crossed", 0.0, 8, 100),
    ("nested", 0.35, 8, 25),
    ("nested", 0.35, 20, 25),
)


def draw(rng, design, spread, n_subjects, n_stimuli):
    """Return scores, labels and the subject of each response."""
    subject = np.repeat(np.arange(n_subjects), n_stimuli)
    labels = np.arange(subject.size) if design == "nested" else np.tile(np.arange(n_stimuli), n_subjects)
    place = rng.normal(size=(int(labels.max()) + 1, DIMENSION))
    noise = NOISE * np.exp(spread * rng.normal(size=n_subjects))[subject]
    response = place[labels] + noise[:, np.newaxis] * rng.normal(size=(labels.size, DIMENSION))
    return 2 * response @ place.T - np.square(place).sum(axis=1), labels, subject


@lru_cache(maxsize=1)
def favourability(spread):
    """Favourabilities of responses of as many subjects."""
    rng = np.random.default_rng([20260104, round(100 * spread)])
    place = rng.normal(size=(RESPONSES, DIMENSION))
    noise = NOISE * np.exp(spread * rng.normal(size=(RESPONSES, 1))) * rng.normal(size=(RESPONSES, DIMENSION))
    return stats.ncx2.sf(np.square(noise).sum(axis=1), DIMENSION, np.square(place + noise).sum(axis=1))


def rows(design, spread, n_subjects, n_stimuli):
    """Coverage and width in one setting, one row for each interval and with units given or not."""
    k1 = n_stimuli * (n_subjects if design == "nested" else 1)
    sizes = {"accuracy_curve": k1} | dict.fromkeys(METHODS, BEYOND * k1)
    truth = {k: float((favourability(spread) ** (k - 1)).mean()) for k in set(sizes.values())}
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    setting = CELLS.index((design, spread, n_subjects, n_stimuli))
    for number in range(EXPERIMENTS):
        rng = np.random.default_rng([20260105, setting, number])
        scores, labels, subject = draw(rng, design, spread, n_subjects, n_stimuli)
        for given, units in (("no", None), ("yes", subject)):
            ranks = cx.ranks.in_units(cx.correct_ranks(scores, labels), units)
            found.setdefault(("accuracy_curve", given), []).append(cx.accuracy_curve(ranks, k1).interval()[0])
            for method in METHODS:
                ends = cx.Extrapolator(method).fit_ranks(ranks).predict_interval(sizes[method])[0]
                found.setdefault((method, given), []).append(ends)
    out: list[list[object]] = []
    for (interval, given), pairs in found.items():
        (low, high), k = np.array(pairs).T, sizes[interval]
        p = ((low <= truth[k]) & (truth[k] <= high)).mean()
        error = np.sqrt(max(p * (1 - p), 0.5 / EXPERIMENTS) / EXPERIMENTS)
        numbers = (f"{truth[k]:.5f}", EXPERIMENTS, f"{p:.4f}", f"{error:.4f}", f"{(high - low).mean():.4f}")
        out.append([design, spread, n_subjects, n_stimuli, interval, k, given, *numbers])
    return out
