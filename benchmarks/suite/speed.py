"""How long a prediction with its interval takes: ``python -m benchmarks.suite.speed`` writes ``speed.csv``."""

from __future__ import annotations

import csv
import time
import warnings
from pathlib import Path

import numpy as np

import classex as cx
from benchmarks.suite.methods import METHODS, SCORED, WITH_INTERVAL
from classex.models import GaussianClasses

TARGET = Path(__file__).parent / "speed.csv"
SIZES = (500, 5_000)
REPEATS = 3


def main() -> None:
    """Time fit, prediction and interval at ten times the classes, the ranks (or scores) at hand; the best of three."""
    rows = []
    for k1 in SIZES:
        sample = GaussianClasses(10, 0.1).sample(k1, rng=np.random.default_rng(k1))
        ranks = cx.correct_ranks(sample.scores, sample.labels)
        for name in WITH_INTERVAL:
            seconds = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    method = METHODS[name]()
                    fitted = method.fit(sample.scores, sample.labels) if name in SCORED else method.fit_ranks(ranks)
                    fitted.predict([10 * k1])
                    fitted.predict_interval([10 * k1])
                seconds.append(time.perf_counter() - start)
            rows.append([k1, name, f"{min(seconds):.3f}"])
            print(*rows[-1])
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        file.write("# python -m benchmarks.suite.speed\nk1,method,seconds\n")
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
