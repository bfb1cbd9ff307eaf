"""Who finds the information? Estimators of mutual information on joint laws whose information is known.

Run ``python -m benchmarks.known_information --jobs 16`` (about ten minutes on sixteen cores); it writes
``estimates.csv`` beside this file. ``--parts 2 --part 0`` runs every second law only, and ``--join`` puts the files of
the parts together. A run that is broken off goes on where it stopped: every 25 simulations are kept in the folder
``--keep``, to be emptied after a change of the estimators. Every simulation draws 1,200 pairs of a stimulus and a
response. Learned decoders see 1,000 with their pairing and are tested on the other 200; nearest neighbours and the
Gaussian plug-in see all. Lines that use the true likelihood are marked as such: nobody with data alone has it.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import classex as cx
from benchmarks.known_information import learned
from benchmarks.known_information.nearest_neighbours import nearest_neighbour_information
from benchmarks.known_information.sources import Source, cells

FloatArray = NDArray[np.float64]
Line = tuple[float, float, float]  # estimate, whether its interval or bound is right, whether its curve was rejected

N_TRAIN, N_TEST = 1000, 200
CHUNK = 25
NUMBERS = {"ridge": learned.ridge, "network": learned.network}
BITS = {"ridge": learned.ridge, "logistic": learned.logistic, "network": learned.network_of_bits}
HEADER = [
    "model", "dimension", "information", "estimator", "likelihood", "simulations", "mean", "bias", "standard_error",
    "sd", "rmse", "low", "high", "coverage", "rejected",
]  # fmt: skip


def from_ranks(scores: FloatArray, truth: float) -> dict[str, Line]:
    """Implied information with its interval and curve test, and the bound by accuracy, from test scores."""
    ranks = cx.correct_ranks(scores, np.arange(len(scores)))
    implied = cx.implied_information(ranks)
    inside = float(implied.interval.low <= truth <= implied.interval.high)
    bound = cx.information_confidence_bound(ranks).information
    return {
        "implied": (implied.value, inside, float(cx.information.curve_test(ranks).p_value < 0.05)),
        "accuracy bound": (bound, float(bound <= truth), np.nan),
    }


def estimates(source: Source, rng: np.random.Generator) -> dict[tuple[str, str], Line]:
    """All estimates from one draw of pairs, by estimator and by whose likelihood it uses."""
    x, y = source.draw(N_TRAIN + N_TEST, rng)
    train, test = slice(0, N_TRAIN), slice(N_TRAIN, None)
    out: dict[tuple[str, str], Line] = {}
    scores = source.log_likelihood(x[test], y[test])
    for name, line in from_ranks(scores, source.information).items():
        out[name, "true"] = line
    out["InfoNCE", "true"] = (learned.infonce(scores), np.nan, np.nan)
    if source.log_ratio is not None:
        out["mean log ratio", "true"] = (float(source.log_ratio(x[test], y[test]).mean()), np.nan, np.nan)
    most, rest = slice(0, 4 * N_TRAIN // 5), slice(4 * N_TRAIN // 5, N_TRAIN)
    for name, learn in (BITS if source.binary else NUMBERS).items():
        scores = learn(x[train], y[train])(x[test], y[test])
        for estimator, line in from_ranks(scores, source.information).items():
            out[estimator, name] = line
        if name != "network":
            # the temperature comes from a decoder of most of the training pairs, scored on the rest of them
            first = learn(x[most], y[most])
            temperature = learned.best_temperature(first(x[rest], y[rest]))
            out["InfoNCE", name] = (learned.infonce(scores, temperature), np.nan, np.nan)
    out["Gaussian plug-in", "none"] = (learned.gaussian_plug_in(x, y), np.nan, np.nan)
    if not source.binary:
        out["nearest neighbours", "none"] = (nearest_neighbour_information(x, y), np.nan, np.nan)
    return out


def chunk(cell: int, part: int, simulations: int, seed: int) -> list[dict[tuple[str, str], Line]]:
    """Some simulations of one cell: samplers do not travel between processes, numbers do."""
    source, rng = cells()[cell], np.random.default_rng([seed, cell, part])
    with threadpool_limits(1):
        return [estimates(source, rng) for _ in range(simulations)]


def kept_chunk(folder: Path, cell: int, part: int, simulations: int, seed: int) -> list[dict[tuple[str, str], Line]]:
    """Those of a chunk that is there already, or else its simulations, which are then kept."""
    file = folder / f"{seed}-{cell}-{part}-{simulations}.json"
    if not file.exists():
        found = chunk(cell, part, simulations, seed)
        lines = [[[*key, *line] for key, line in one.items()] for one in found]
        written = file.with_suffix(".part")
        written.write_text(json.dumps(lines), encoding="utf-8")
        written.replace(file)
    return [
        {(str(name), str(whose)): (value, right, rejected) for name, whose, value, right, rejected in one}
        for one in json.loads(file.read_text(encoding="utf-8"))
    ]


def summary(source: Source, found: list[dict[tuple[str, str], Line]]) -> list[list[object]]:
    """Lines of one model, one for each estimator."""
    rows: list[list[object]] = []
    truth, n = source.information, len(found)
    for estimator, likelihood in found[0]:
        value, right, rejected = np.array([result[estimator, likelihood] for result in found]).T
        low, high = np.quantile(value, [0.05, 0.95])
        sd = value.std(ddof=1)
        rmse = np.sqrt(np.square(value - truth).mean())
        numbers = [
            value.mean(),
            value.mean() - truth,
            sd / np.sqrt(n),
            sd,
            rmse,
            low,
            high,
            right.mean(),
            rejected.mean(),
        ]
        cells_of_row = (f"{number:.4f}" for number in numbers)
        rows.append([source.name, source.dimension, f"{truth:.4f}", estimator, likelihood, n, *cells_of_row])
    return rows


def main() -> None:
    """Run every cell and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.known_information", description=__doc__)
    parser.add_argument("--simulations", type=int, default=500, help="experiments per cell (default 500)")
    parser.add_argument("--seed", type=int, default=20_180_501, help="seed (default 20180501)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--parts", type=int, default=1, help="number of parts the laws are dealt to (default 1)")
    parser.add_argument("--part", type=int, default=0, help="which part to run, from 0 (default 0)")
    parser.add_argument("--join", type=Path, nargs="*", help="join these files of parts instead of running anything")
    parser.add_argument("--keep", type=Path, default=Path("_build/known_information"), help="folder of what is done")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("estimates.csv"))
    arguments = parser.parse_args()
    if arguments.join:
        join(arguments.join, arguments.output)
        return
    mine = range(arguments.part, len(cells()), arguments.parts)
    sizes = [min(CHUNK, arguments.simulations - start) for start in range(0, arguments.simulations, CHUNK)]
    sources = cells()
    # the slow cells, many dimensions, first
    order = sorted(mine, key=lambda cell: -sources[cell].dimension)
    tasks = [(cell, part, size) for cell in order for part, size in enumerate(sizes)]
    arguments.keep.mkdir(parents=True, exist_ok=True)
    done = Parallel(n_jobs=arguments.jobs, verbose=1)(
        delayed(kept_chunk)(arguments.keep, cell, part, size, arguments.seed) for cell, part, size in tasks
    )
    found: dict[int, list[dict[tuple[str, str], Line]]] = {cell: [] for cell in mine}
    for (cell, _, _), part_found in zip(tasks, done, strict=True):
        found[cell] += part_found
    with arguments.output.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# python -m benchmarks.known_information --simulations {arguments.simulations}")
        file.write(f" --seed {arguments.seed}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(row for cell in mine for row in summary(sources[cell], found[cell]))


def join(files: list[Path], output: Path) -> None:
    """Write the lines of several parts, in the order of the laws."""
    first, header = files[0].read_text(encoding="utf-8").splitlines()[:2]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()[2:]]
    order = [(source.name, str(source.dimension), f"{source.information:.4f}") for source in cells()]
    lines.sort(key=lambda line: order.index(tuple(line.split(",")[:3])))
    output.write_text("\n".join([first, header, *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
