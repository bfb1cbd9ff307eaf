"""More classes and more examples: ``python -m benchmarks.examples`` writes the tables ``examples/*`` of the book.

From 600 classes (400 Telugu syllables), all of whose average accuracies are exact, 50 or 100 classes are drawn, with 2
or 4 examples of each and two test points. `extrapolate_examples` predicts the accuracy with up to four times as many
classes and four times as many examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks import study
from classex.curves import accuracy_surface
from classex.trials import predicted_probits
from classex_book.data import load_hangul, load_telugu

HERE = Path(__file__).parent
FloatArray = NDArray[np.float64]
COMMAND = "python -m benchmarks.examples"
DOMAINS = ("hangul", "telugu", "names", "voices")
N_CLASSES, N_TEST, N_DRAWS, SEED = 600, 2, 20, 20261126
SIZES, NUMBERS = np.array([50, 100, 200, 400]), np.array([2, 4, 8, 16])
PILOTS = ((50, 2), (50, 4), (100, 2), (100, 4))
HEADER = "domain,k1,r1,K,r,truth,bias,rmse,same_examples,bilinear,line,coverage,width,score"
SURFACE_HEADER = "domain,K,r,accuracy"
DECISION_HEADER = "domain,k1,r1,now,more_classes,more_of_both,right,rate,predicted_rate"


@lru_cache
def features(domain: str) -> tuple[FloatArray, FloatArray]:
    """Stored examples and test points of unit length, (n_classes, n_examples, n_features) each."""
    if domain == "hangul":
        hangul = load_hangul(N_CLASSES)
        parts = hangul.train, hangul.test[:, :N_TEST]
    elif domain == "telugu":
        glyphs = load_telugu(400)
        images = (
            (glyphs.train_images, glyphs.train_labels, NUMBERS[-1]),
            (glyphs.test_images, glyphs.test_labels, N_TEST),
        )
        parts = tuple(
            np.stack([_averaged(drawn[label == c][:each]) for c in range(400)]) for drawn, label, each in images
        )
    else:
        with np.load(HERE / f"{domain}.npz") as stored:
            parts = stored["stored"].astype(np.float64), stored["test"].astype(np.float64)
    return tuple(part / np.linalg.norm(part, axis=2, keepdims=True) for part in parts)


def _averaged(images: NDArray[np.uint8]) -> FloatArray:
    """Means over blocks of 2 x 2 pixels, less the mean of the image."""
    n, height, width = images.shape
    blocks = images.reshape(n, height // 2, 2, width // 2, 2).mean(axis=(2, 4)).reshape(n, -1)
    return blocks - blocks.mean(axis=1, keepdims=True)


@lru_cache
def truth(domain: str) -> dict[tuple[int, int], float]:
    """Average accuracy over all subsets of all classes and all stored examples."""
    stored, tests = features(domain)
    n, most = stored.shape[:2]
    numbers = NUMBERS[most >= NUMBERS]
    similarity = tests.reshape(n * N_TEST, -1) @ stored.reshape(n * most, -1).T
    found = accuracy_surface(similarity, np.repeat(np.arange(n), N_TEST), np.repeat(np.arange(n), most), SIZES, numbers)
    cells = np.ndenumerate(found.accuracy)
    return {(int(SIZES[i]), int(numbers[j])): float(value) for (i, j), value in cells}


def pilot(domain: str, k1: int, r1: int, draw: int) -> tuple[FloatArray, NDArray[np.int64], NDArray[np.int64]]:
    """Similarities, labels and labels of the examples of some random classes, with random examples of each."""
    stored, tests = features(domain)
    rng = np.random.default_rng([SEED, k1, r1, draw])
    classes = rng.choice(len(stored), k1, replace=False)
    kept = rng.permuted(np.tile(np.arange(stored.shape[1]), (k1, 1)), axis=1)[:, :r1]
    few = stored[classes[:, np.newaxis], kept].reshape(k1 * r1, -1)
    similarity = tests[classes].reshape(k1 * N_TEST, -1) @ few.T
    return similarity, np.repeat(np.arange(k1), N_TEST), np.repeat(np.arange(k1), r1)


def wanted(domain: str, k1: int, r1: int) -> tuple[FloatArray, list[int], FloatArray]:
    """Numbers of classes and of examples to predict, and the true accuracies."""
    true = truth(domain)
    sizes = SIZES[(k1 <= SIZES) & (4 * k1 >= SIZES)]
    numbers = [int(r) for r in NUMBERS if r1 <= r <= 4 * r1 and (50, r) in true]
    return sizes.astype(float), numbers, np.array([[true[int(k), r] for r in numbers] for k in sizes])


@lru_cache
def predictions(domain: str, k1: int, r1: int) -> tuple[FloatArray, FloatArray]:
    """Probits and the distances of both ends of their intervals, (n_draws, n_sizes, n_numbers) and one axis more."""
    sizes, numbers, _ = wanted(domain, k1, r1)
    found = [
        predicted_probits(*pilot(domain, k1, r1, draw), sizes, np.array(numbers, float)) for draw in range(N_DRAWS)
    ]
    mean, half = (np.array(one) for one in zip(*found, strict=True))
    return mean, half


def line(sample: tuple, numbers: Sequence[int]) -> FloatArray:
    """What more examples than stored add to the probit, along a straight line in log r through half and all of them."""
    k1, r1 = np.unique(sample[2]).size, int(np.bincount(sample[2])[0])
    half, every = special.ndtri((k1 * accuracy_surface(*sample, k1, [r1 // 2, r1]).accuracy[0] + 0.5) / (k1 + 1))
    return np.log2(np.array(numbers) / r1) * (every - half) / np.log2(r1 / (r1 // 2))


def bilinear(domain: str, k1: int, r1: int) -> FloatArray:
    """Least squares of the probit on 1, log K, log r and their product, from sizes above a tenth of the classes."""
    sizes, numbers, _ = wanted(domain, k1, r1)
    seen, fewer = np.unique(np.rint(np.geomspace(k1 / 10, k1, 10))), np.unique([1, r1 // 2, r1])
    out = []
    for draw in range(N_DRAWS):
        probit = special.ndtri(
            np.clip(accuracy_surface(*pilot(domain, k1, r1, draw), seen, fewer).accuracy, 1e-3, 1 - 1e-3)
        )
        weights = np.linalg.lstsq(_terms(seen, fewer), probit.ravel(), rcond=None)[0]
        out.append((_terms(sizes, numbers) @ weights).reshape(sizes.size, -1))
    return np.array(out)


def _terms(sizes: FloatArray, numbers: FloatArray) -> FloatArray:
    k, r = (np.log(one).ravel() for one in np.meshgrid(sizes, numbers, indexing="ij"))
    return np.stack([np.ones_like(k), k, r, k * r], axis=1)


def rows(domain: str, k1: int, r1: int) -> list[tuple]:
    """Errors and coverage for every number of classes and of examples."""
    sizes, numbers, true = wanted(domain, k1, r1)
    mean, half = predictions(domain, k1, r1)
    straight = mean[:, :, :1] + [[line(pilot(domain, k1, r1, draw), numbers)] for draw in range(N_DRAWS)]
    others = special.ndtr(mean[:, :, :1]), special.ndtr(bilinear(domain, k1, r1)), special.ndtr(straight)
    return [(domain, k1, r1, *cell) for cell in compared(sizes, numbers, true, mean, half, others)]


def compared(
    sizes: FloatArray,
    numbers: Sequence[int],
    true: FloatArray,
    mean: FloatArray,
    half: FloatArray,
    others: Sequence[FloatArray],
) -> list[tuple]:
    """For every K and r: truth, mean error, root mean squared errors of all, coverage, width and score of intervals."""
    value, low, high = special.ndtr(mean), special.ndtr(mean - half[..., 0]), special.ndtr(mean + half[..., 1])
    missed = np.maximum(low - true, 0) + np.maximum(true - high, 0)
    parts = (
        true,
        value.mean(axis=0) - true,
        *(np.sqrt(np.square(x - true).mean(axis=0)) for x in (value, *others)),
        (missed == 0).mean(axis=0),
        (high - low).mean(axis=0),
        (high - low + 2 / 0.05 * missed).mean(axis=0),
    )
    return [
        (int(k), r, *(f"{part[i, j]:.4f}" for part in parts))
        for i, k in enumerate(sizes)
        for j, r in enumerate(numbers)
    ]


def decision(domain: str, k1: int, r1: int) -> tuple:
    """Whether twice the examples make up for twice the classes, and how many doublings of them do."""
    true = special.ndtri(wanted(domain, k1, r1)[2])
    mean, _ = predictions(domain, k1, r1)
    right = (mean[:, 1, 1] > mean[:, 0, 0]) == (true[1, 1] > true[0, 0])
    rate = [(one[..., 0, 0] - one[..., 1, 0]) / (one[..., 0, 1] - one[..., 0, 0]) for one in (true, mean)]
    gain = wanted(domain, k1, r1)[2]
    numbers = gain[0, 0], gain[1, 0], gain[1, 1], right.mean(), rate[0], np.median(rate[1])
    return domain, k1, r1, *(f"{x:.3f}" for x in numbers)


def main() -> None:
    """Write the three tables."""
    folder = study.STORED / "examples"
    folder.mkdir(exist_ok=True)
    surfaces = [(domain, *at, f"{value:.4f}") for domain in DOMAINS for at, value in truth(domain).items()]
    study.write(folder / "surfaces.csv", COMMAND, SURFACE_HEADER, surfaces)
    cells = [(domain, *at) for domain in DOMAINS for at in PILOTS]
    study.write(folder / "errors.csv", COMMAND, HEADER, [row for cell in cells for row in rows(*cell)])
    study.write(folder / "decisions.csv", COMMAND, DECISION_HEADER, [decision(*cell) for cell in cells])


if __name__ == "__main__":
    main()
