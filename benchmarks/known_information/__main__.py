"""Who finds the information? Estimators of mutual information on joint laws whose information is known.

Run ``python -m benchmarks.known_information --jobs 16`` (about ten minutes on sixteen cores). Every simulation draws
1,200 pairs of a stimulus and a response. Learned decoders see 1,000 with their pairing and are tested on the other 200;
nearest neighbours and the Gaussian plug-in see all. Lines that use the true likelihood are marked as such: nobody with
data alone has it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import classex as cx
from benchmarks import study
from benchmarks.known_information import learned
from benchmarks.known_information.nearest_neighbours import nearest_neighbour_information
from benchmarks.known_information.sources import Source, cells

FloatArray = NDArray[np.float64]
Line = tuple[float, float, float]  # estimate, whether its interval or bound is right, whether its curve was rejected

N_TRAIN, N_TEST = 1000, 200
CHUNK, SIMULATIONS, SEED = 25, 500, 20_180_501
COMMAND = "python -m benchmarks.known_information"
TABLE = study.STORED / "known_information" / "estimates.csv"
NUMBERS = {"ridge": learned.ridge, "network": learned.network}
BITS = {"ridge": learned.ridge, "logistic": learned.logistic, "network": learned.network_of_bits}
HEADER = (
    "model,dimension,information,estimator,likelihood,simulations,mean,bias,standard_error,sd,rmse,low,high,coverage,"
    "rejected"
)


def from_ranks(scores: FloatArray, truth: float) -> dict[str, Line]:
    """Implied information with its interval and curve test, and the bound by accuracy, from test scores."""
    ranks = cx.correct_ranks(scores, np.arange(len(scores)))
    implied = cx.implied_information(ranks)
    inside = float(implied.interval.low <= truth <= implied.interval.high)
    bound = float(cx.information_confidence_bound(ranks).information_by_class_count.max())  # from the best single k
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


def chunk(cell: int, part: int) -> list[list[tuple[str | float, ...]]]:
    """Some simulations of one cell; in each, (estimator, likelihood, value, right, rejected)."""
    source, rng = cells()[cell], np.random.default_rng([SEED, cell, part])
    with threadpool_limits(1):
        return [[(*key, *line) for key, line in estimates(source, rng).items()] for _ in range(CHUNK)]


def summary(source: Source, found: list[list[tuple[str | float, ...]]]) -> list[list[object]]:
    """Lines of one model, one for each estimator."""
    rows: list[list[object]] = []
    truth, n = source.information, len(found)
    for lines in zip(*found, strict=True):
        value, right, rejected = np.array([line[2:] for line in lines], dtype=float).T
        sd, rmse = value.std(ddof=1), np.sqrt(np.square(value - truth).mean())
        ends = np.quantile(value, [0.05, 0.95])
        numbers = (
            value.mean(), value.mean() - truth, sd / np.sqrt(n), sd, rmse, *ends, right.mean(), rejected.mean()
        )  # fmt: skip
        shown = (f"{number:.4f}" for number in numbers)
        rows.append([source.name, source.dimension, f"{truth:.4f}", *lines[0][:2], n, *shown])
    return rows


def main() -> None:
    """Run every cell and write the table."""
    options = study.parser(COMMAND, __doc__).parse_args()
    sources = cells()
    # the slow cells, many dimensions, first
    order = sorted(range(len(sources)), key=lambda cell: -sources[cell].dimension)
    tasks = [(cell, part) for cell in order for part in range(SIMULATIONS // CHUNK)]
    done = dict(zip(tasks, study.run(chunk, tasks, "known_information", options.jobs), strict=True))
    rows: list[list[object]] = []
    for cell, source in enumerate(sources):
        rows += summary(source, [one for part in range(SIMULATIONS // CHUNK) for one in done[cell, part]])
    study.write(TABLE, COMMAND, HEADER, rows)


if __name__ == "__main__":
    main()
