"""The journal version's Table 1, Figures 7 and 8: root mean squared errors over noise levels, with exact truth.

``python -m benchmarks.table1`` (10 noise levels, every method) or ``python -m benchmarks.table1 --preset paper`` (the
paper's 50 noise levels and three methods). With ``--methods``, the rows of the others stay as they are stored.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

import classex as cx
from benchmarks import study
from benchmarks.methods import METHODS
from benchmarks.table1.methods import FEATURES, FEWER, MANY, ORACLE, PAPER, RANKS_ONLY, oracle
from classex.models import GaussianClasses

FOLDER = study.STORED / "table1"
TARGETS = {500: (1000, 2000, 5000, 10_000), 5000: (10_000, 20_000, 50_000, 100_000)}
LEVELS = {
    "default": tuple(round(0.05 * i, 2) for i in range(1, 11)),
    "paper": tuple(round(0.01 * i, 2) for i in range(1, 51)),
}
# At 5,000 classes the largest errors of the first two replicates all lie among these levels; the others have no more.
HARD = (0.03, 0.20)
COMMAND = "python -m benchmarks.table1"
LEVEL_HEADER = "k1,k2,method,noise,truth,replicates,rmse,standard_error,bias"
ROW_HEADER = (
    "k1,k2,method,max_rmse,standard_error,at_noise,levels,replicates,ratio_to_oracle,replicates_there,se_of_maximum"
)
Errors = dict[tuple[str, float], np.ndarray]  # by method and noise level, (replicates, targets)


def usual_replicates(preset: str, k1: int, name: str, noise: float) -> int:
    """Replicates that are stored for a noise level."""
    if preset == "paper":
        return 30 if k1 == 500 or HARD[0] <= noise <= HARD[1] else 2
    if k1 == 500:
        return 100 if name in MANY else 20
    return 10 if name in FEWER else 30


def one(method: str, k1: int, noise: float, replicate: int) -> list[float]:
    """Errors of one method in one experiment, for each number of classes to predict."""
    model = GaussianClasses(FEATURES, noise)
    sample = model.sample(k1, rng=np.random.default_rng([20180901, k1, round(noise * 1000), replicate]))
    if method == ORACLE:
        predicted = oracle(cx.correct_ranks(sample.scores, sample.labels), TARGETS[k1])
    elif method in RANKS_ONLY:
        predicted = (
            cx.Extrapolator(METHODS[method])
            .fit_ranks(cx.correct_ranks(sample.scores, sample.labels))
            .predict(TARGETS[k1])
        )
    else:
        predicted = cx.Extrapolator(METHODS[method]).fit(sample.scores, sample.labels).predict(TARGETS[k1])
    return list(predicted - model.average_accuracy(TARGETS[k1]))


def ratio_to_oracle(found: Errors, name: str, column: int) -> str:
    """Largest RMSE over the oracle's, on replicates that both have: a maximum of fewer would be larger."""
    levels = [noise for method, noise in found if method == name]
    if not all((ORACLE, noise) in found for noise in levels):
        return ""
    common = min(len(found[method, noise]) for method in (name, ORACLE) for noise in levels)
    ours, reference = (
        max(np.square(found[method, noise][:common, column]).mean() for noise in levels) for method in (name, ORACLE)
    )
    return f"{np.sqrt(ours / reference):.2f}"


def error_of_maximum(found: list[np.ndarray], n_draws: int = 1000) -> np.ndarray:
    """Standard error of the largest RMSE over levels, for each target: the maximum is taken in every bootstrap draw.

    So the authors found theirs. `found` holds the errors at each level, (replicates, targets).
    """
    rng = np.random.default_rng(0)
    draws = [
        np.sqrt(np.square(error)[rng.integers(len(error), size=(n_draws, len(error)))].mean(axis=1)) for error in found
    ]
    return np.max(draws, axis=0).std(axis=0, ddof=1)


def of_level(k1: int, method: str, noise: float, errors: np.ndarray) -> list[list[object]]:
    """RMSE and bias at one noise level, one row for each number of classes to predict."""
    truths = GaussianClasses(FEATURES, noise).average_accuracy(TARGETS[k1])
    rows: list[list[object]] = []
    for k2, truth, error in zip(TARGETS[k1], truths, errors.T, strict=True):
        rmse = np.sqrt(np.square(error).mean())
        spread = np.square(error).std(ddof=1) / np.sqrt(error.size) if error.size > 1 else np.nan
        numbers = (f"{x:.5f}" for x in (rmse, spread / (2 * max(rmse, 1e-12)), error.mean()))
        rows.append([k1, k2, method, f"{noise:g}", f"{truth:.6f}", error.size, *numbers])
    return rows


def of_table(k1: int, method: str, found: Errors) -> list[list[object]]:
    """The largest RMSE over noise levels, one row for each number of classes to predict."""
    own = {noise: error for (name, noise), error in found.items() if name == method}
    of_maximum = error_of_maximum(list(own.values()))
    by_level = np.array([of_level(k1, method, noise, error) for noise, error in own.items()])
    rows: list[list[object]] = []
    for column, k2 in enumerate(TARGETS[k1]):
        levels = by_level[:, column]
        worst = levels[np.argmax(levels[:, 6].astype(float))]
        rmse, error = (f"{float(x):.4f}" for x in worst[6:8])
        least = min(levels[:, 5], key=int)
        ratio = ratio_to_oracle(found, method, column)
        rows.append(
            [k1, k2, method, rmse, error, worst[3], len(own), least, ratio, worst[5], f"{of_maximum[column]:.4f}"]
        )
    return rows


def main() -> None:
    parser = study.parser(COMMAND, __doc__)
    parser.add_argument("--preset", choices=tuple(LEVELS), default="default")
    parser.add_argument("--methods", nargs="+", help="some of the methods; the oracle is for the ratio to it")
    options = parser.parse_args()
    preset = options.preset
    names = options.methods or (PAPER if preset == "paper" else [*METHODS, ORACLE])
    cells = [
        (name, k1, noise, replicate)
        for k1 in TARGETS
        for name in names
        for noise in LEVELS[preset]
        for replicate in range(usual_replicates(preset, k1, name, noise))
    ]
    found: dict[int, dict[tuple[str, float], list[list[float]]]] = {k1: defaultdict(list) for k1 in TARGETS}
    for (name, k1, noise, _), errors in zip(cells, study.run(one, cells, "table1", options.jobs), strict=True):
        found[k1][name, noise].append(errors)
    levels, table = [], []
    for k1, lists in found.items():
        arrays = {key: np.array(errors) for key, errors in lists.items()}
        levels += [row for key, errors in arrays.items() for row in of_level(k1, *key, errors)]
        table += [row for name in names for row in of_table(k1, name, arrays)]
    command = f"{COMMAND} --preset {preset}"
    study.write(FOLDER / f"levels_{preset}.csv", command, LEVEL_HEADER, levels, n_keys=4)
    study.write(FOLDER / f"results_{preset}.csv", command, ROW_HEADER, table, n_keys=3)


if __name__ == "__main__":
    main()
