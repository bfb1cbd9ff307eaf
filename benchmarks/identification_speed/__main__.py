"""Time and memory to decode 2,000 test stimuli with 1,000 voxels.

Run ``python -m benchmarks.identification_speed``; it writes ``speed.csv`` beside this file.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import time
from pathlib import Path

import numpy as np

import classex as cx

N_TRAIN, N_TEST, N_FEATURES, N_VOXELS = 1750, 2000, 200, 1000


def experiment(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Stimuli and responses with correlated noise, training pairs first."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N_TRAIN + N_TEST, N_FEATURES))
    shared = rng.normal(size=(x.shape[0], 30)) @ rng.normal(size=(30, N_VOXELS))
    y = 0.02 * x @ rng.normal(size=(N_FEATURES, N_VOXELS)) + 0.3 * shared + rng.normal(size=shared.shape)
    return x, y


def main() -> None:
    """Fit, decode and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.identification_speed", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("speed.csv"))
    arguments = parser.parse_args()
    x, y = experiment(0)
    small = cx.identification.IdentificationModel(penalties=[100.0]).fit(x[:100], y[:100, :20])
    cx.accuracy_curve(small.identify(x[:50], y[:50, :20]))  # compiles what numba compiles
    seconds = {}
    start = time.perf_counter()
    model = cx.identification.IdentificationModel().fit(x[:N_TRAIN], y[:N_TRAIN])
    seconds["fit"] = time.perf_counter() - start
    start = time.perf_counter()
    ranks = model.identify(x[N_TRAIN:], y[N_TRAIN:])
    seconds["identify"] = time.perf_counter() - start
    start = time.perf_counter()
    curve = cx.accuracy_curve(ranks)
    seconds["curve for every k"] = time.perf_counter() - start
    start = time.perf_counter()
    result = cx.implied_information(ranks)
    seconds["implied information"] = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with arguments.output.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# python -m benchmarks.identification_speed (on {os.cpu_count()} cores)\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["step", "seconds"])
        writer.writerows([step, f"{value:.2f}"] for step, value in seconds.items())
        writer.writerow(["peak memory in MiB", f"{peak:.0f}"])
    print(f"{seconds}, peak {peak:.0f} MiB")
    print(f"accuracy with {N_TEST} candidates {curve.accuracy[-1]:.3f}, implied information {result.value:.2f} nats")


if __name__ == "__main__":
    main()
