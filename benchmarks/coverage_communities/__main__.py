"""Coverage of nominal 95 % intervals for pass@k and for open-set identification, where the truth is known.

Run ``python -m benchmarks.coverage_communities --jobs 4`` (about fifteen minutes on four cores); it writes
``coverage.csv`` beside this file. Problems have success chances from a beta law with a share that is never solved (or
from another law, which the extrapolation does not know); people are points in the plane with noisy images.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import ncx2

import classex as cx
from classex.open_set import extrapolate_open_set, open_set_curve

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.coverage_communities"
LEVEL = 0.95
CHUNK = 50
FloatArray = NDArray[np.float64]
Cell = tuple[str, tuple[str, ...], int]

# share of problems never solved, and the law of the chance of the others
PROBLEMS: dict[str, tuple[float, Callable[[int, np.random.Generator], FloatArray]]] = {
    "beta, 20 % never": (0.2, lambda n, rng: rng.beta(0.5, 4.0, n)),
    "beta, none never": (0.0, lambda n, rng: rng.beta(0.3, 2.0, n)),
    "log-normal": (0.0, lambda n, rng: np.minimum(np.exp(rng.normal(-4.0, 2.0, n)), 1.0)),
}
N_PROBLEMS, TRIALS, ATTEMPTS = 200, 50, (5, 50, 100, 500)
NOISE, ENROLLED, STRANGERS, THRESHOLD = 0.15, 60, 60, -0.2
GALLERIES, BEYOND = (20, 60), (240,)


def passk_truth(name: str) -> FloatArray:
    """pass@k of the population of problems, from a million of them."""
    never, draw = PROBLEMS[name]
    p = draw(1_000_000, np.random.default_rng(0))
    return np.array([(1 - never) * (1 - (1 - p) ** k).mean() for k in ATTEMPTS])


def passk_run(name: str, rng: np.random.Generator) -> FloatArray:
    """Interval ends of one benchmark: (attempts, 2)."""
    never, draw = PROBLEMS[name]
    p = draw(N_PROBLEMS, rng) * (rng.random(N_PROBLEMS) >= never)
    return cx.pass_at_k(rng.binomial(TRIALS, p), TRIALS, ATTEMPTS, confidence_level=LEVEL).interval


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
        far = extrapolate_open_set(
            mated, labels, strangers, THRESHOLD, n_enrolled=BEYOND, confidence_level=LEVEL, rng=rng
        )
        return np.concatenate([far.fpir_interval, far.fnir_interval])
    seen = [
        open_set_curve(mated, labels, strangers, THRESHOLD, n_enrolled=n, confidence_level=LEVEL) for n in GALLERIES
    ]
    return np.array([one.fpir_interval[0] for one in seen] + [one.fnir_interval[0] for one in seen])


def chunk(kind: str, name: str, seed: int, part: int, runs: int) -> FloatArray:
    """Interval ends of some runs: (runs, targets, 2)."""
    rng = np.random.default_rng([seed, part])
    one = {"pass@k": lambda: passk_run(name, rng), "open set": lambda: open_run(rng, name == "beyond")}[kind]
    return np.array([one() for _ in range(runs)])


def targets(kind: str, name: str) -> tuple[list[str], FloatArray]:
    """Names and true values of what the intervals are for."""
    if kind == "pass@k":
        return [f"pass@{k}" for k in ATTEMPTS], passk_truth(name)
    sizes = BEYOND if name == "beyond" else GALLERIES
    return [f"{rate} at {n}" for rate in ("FPIR", "FNIR") for n in sizes], open_truth(sizes).T.ravel()


def main() -> None:
    """Run every cell and write the table."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="runs a cell (default 2000)")
    parser.add_argument("--seed", type=int, default=2025, help="seed (default 2025)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    cells = [("pass@k", name) for name in PROBLEMS] + [("open set", "searched"), ("open set", "beyond")]
    with (HERE / "coverage.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {COMMAND} --runs {options.runs} --seed {options.seed}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["kind", "case", "target", "truth", "runs", "coverage", "standard_error", "below", "above", "width"]
        )
        for place, (kind, name) in enumerate(cells):
            parts = range(-(-options.runs // CHUNK))
            ends = np.concatenate(
                Parallel(options.jobs)(delayed(chunk)(kind, name, options.seed + place, part, CHUNK) for part in parts)
            )
            for target, truth, (low, high) in zip(*targets(kind, name), ends.transpose(1, 2, 0), strict=True):
                below, above = float((high < truth).mean()), float((low > truth).mean())
                covered, width = 1 - below - above, float((high - low).mean())
                error = np.sqrt(covered * (1 - covered) / low.size)
                numbers = (f"{x:.4f}" for x in (covered, error, below, above, width))
                writer.writerow([kind, name, target, f"{truth:.6f}", low.size, *numbers])
            file.flush()


if __name__ == "__main__":
    main()
