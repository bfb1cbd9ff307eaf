"""CleaneX (Slavutsky and Benjamini, ICLR 2021) written from its published recipe, in numpy alone.

The input of a test point is its true score and its sorted wrong scores, brought to mean 0 and standard deviation 1 over
the whole matrix. A network (512 and 128 rectified units) gives the share u of classes that the truth beats; its weights
make the average of u^(k-1) over points match the average accuracy observed at every k from 2 to k1, by Adam with steps
of 1e-4, full batch, 10,000 steps. The prediction at K is the average of u^(K-1).

    python cleanex.py DRAWS.npz OUT.csv --jobs 16

reads stored draws (``python -m benchmarks.suite.draws`` makes them) and appends to OUT.csv one row a draw and target;
draws that OUT.csv holds already are passed over. This file needs nothing but numpy.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import pairwise
from pathlib import Path
from typing import Any

# one thread a process: the draws are many
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

HEADER = ["world", "recogniser", "k1", "draw", "K", "prediction", "seconds"]
HIDDEN = (512, 128)
STEP, STEPS, DECAY, TINY = 1e-4, 10_000, (0.9, 0.999), 1e-8
Array = np.ndarray[Any, Any]


def sorted_inputs(scores: Array, labels: Array) -> Array:
    """Return the true score and the sorted wrong scores of every point, standardised."""
    n, k = scores.shape
    wrong = np.sort(scores[np.arange(k) != labels[:, np.newaxis]].reshape(n, k - 1), axis=1)
    both = np.column_stack([scores[np.arange(n), labels], wrong]).astype(np.float32)
    return (both - both.mean()) / both.std()


def observed_accuracy(scores: Array, labels: Array) -> Array:
    """Return the average accuracy over all subsets of k classes, for k = 2 .. k1 (each class has as many points)."""
    n, k1 = scores.shape
    true = scores[np.arange(n), labels][:, np.newaxis]
    wins = (scores < true).sum(axis=1) + 0.5 * ((scores == true).sum(axis=1) - 1)
    out, share = np.empty(k1 - 1), np.ones(n)
    for k in range(2, k1 + 1):
        # C(wins, k-1) / C(k1-1, k-1) by recursion
        share = share * np.maximum(wins - (k - 2), 0) / (k1 - 1 - (k - 2))
        out[k - 2] = share.mean()
    return out


def loss_and_slope(u: Array, target: Array) -> tuple[float, Array]:
    """Return the mean squared distance of the average powers from the target, and its slope in every u."""
    k1 = target.size + 1
    exponents = np.arange(1, k1, dtype=np.float32)
    # u^(k-2) first: it serves the power and its derivative
    lower = np.empty((k1 - 1, u.size), dtype=np.float32)
    lower[0] = 1.0
    for row in range(1, k1 - 1):
        np.multiply(lower[row - 1], u, out=lower[row])
    miss = (lower @ u) / u.size - target
    slope = (2 / (target.size * u.size)) * ((miss * exponents).astype(np.float32) @ lower)
    return float(np.mean(miss**2)), slope


class Network:
    """A dense network k1-512-128-1 with rectified units and a sigmoid at the end, trained by Adam."""

    def __init__(self, n_inputs: int, rng: np.random.Generator) -> None:
        sizes = (n_inputs, *HIDDEN, 1)
        self.values: list[Array] = []
        for before, after in pairwise(sizes):
            edge = np.sqrt(6 / (before + after))
            self.values.append(rng.uniform(-edge, edge, (before, after)).astype(np.float32))
            self.values.append(np.zeros(after, dtype=np.float32))
        self.first = [np.zeros_like(v) for v in self.values]
        self.second = [np.zeros_like(v) for v in self.values]
        self.step = 0

    def forward(self, inputs: Array) -> list[Array]:
        """Return the activations of every layer, the shares last."""
        layers = [inputs]
        for place in (0, 2):
            layers.append(np.maximum(layers[-1] @ self.values[place] + self.values[place + 1], 0))
        z = (layers[-1] @ self.values[4] + self.values[5])[:, 0]
        layers.append(1 / (1 + np.exp(-z)))
        return layers

    def learn(self, layers: list[Array], slope: Array) -> None:
        """Take one step of Adam against the slope of the loss in the shares."""
        u = layers[-1]
        back = (slope * u * (1 - u))[:, np.newaxis]
        gradients: list[Array] = []
        for place in (4, 2, 0):
            below = layers[place // 2]
            gradients[:0] = [below.T @ back, back.sum(axis=0)]
            if place:
                back = (back @ self.values[place].T) * (below > 0)
        self.step += 1
        a, b = DECAY
        for value, gradient, m, v in zip(self.values, gradients, self.first, self.second, strict=True):
            m += (1 - a) * (gradient - m)
            v += (1 - b) * (gradient**2 - v)
            value -= STEP * (m / (1 - a**self.step)) / (np.sqrt(v / (1 - b**self.step)) + TINY)


def cleanex(scores: Array, labels: Array, sizes: Array, *, seed: int = 0, steps: int = STEPS) -> Array:
    """Return predicted average accuracies at every number of classes in `sizes`."""
    inputs = sorted_inputs(scores, labels)
    target = observed_accuracy(scores, labels).astype(np.float32)
    network = Network(inputs.shape[1], np.random.default_rng(seed))
    for _ in range(steps):
        layers = network.forward(inputs)
        network.learn(layers, loss_and_slope(layers[-1], target)[1])
    u = network.forward(inputs)[-1].astype(np.float64)
    return np.array([np.mean(u ** (size - 1)) for size in np.asarray(sizes, dtype=float)])


def run_one(path: str, name: str, steps: int) -> list[list[str]]:
    """Train on one stored draw; its name is world|recogniser|k1|draw."""
    with np.load(path, allow_pickle=False) as stored:
        scores, labels = stored[f"{name}|scores"], stored[f"{name}|labels"].astype(np.int64)
        sizes = stored[f"{name}|sizes"]
    start = time.perf_counter()
    found = cleanex(scores, labels, sizes, steps=steps)
    seconds = f"{time.perf_counter() - start:.1f}"
    return [[*name.split("|"), str(int(k)), f"{p:.6f}", seconds] for k, p in zip(sizes, found, strict=True)]


def main() -> None:
    """Run every stored draw that the table does not hold yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("draws", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    done: set[tuple[str, ...]] = set()
    if options.out.exists():
        with options.out.open() as file:
            done = {tuple(row[:4]) for row in csv.reader(line for line in file if not line.startswith("#"))}
    else:
        options.out.write_text("# python benchmarks/suite/cleanex.py DRAWS.npz OUT.csv\n" + ",".join(HEADER) + "\n")
    with np.load(options.draws, allow_pickle=False) as stored:
        names = [name.removesuffix("|sizes") for name in stored.files if name.endswith("|sizes")]
    # the long ones first
    left = sorted((n for n in names if tuple(n.split("|")) not in done), key=lambda n: -int(n.split("|")[2]))
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(run_one, str(options.draws), name, options.steps) for name in left]
        for job in as_completed(jobs):
            rows = job.result()
            with options.out.open("a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)
            print(*rows[-1], flush=True)


if __name__ == "__main__":
    main()
