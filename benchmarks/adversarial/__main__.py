"""Coverage of every interval of the package under truths that it does not assume.

``python -m benchmarks.adversarial run`` goes through the table of cells; ``compare`` prints ``before.csv`` and
``after.csv`` side by side. See README.md.
"""

from __future__ import annotations

import warnings
import zlib
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks import study
from benchmarks.adversarial import accuracy, others, tests_and_bounds  # noqa: F401  (they fill the table)
from benchmarks.adversarial.table import CELLS, LEVEL, Cell
from benchmarks.adversarial.worlds import Array

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.adversarial"
SEED = 2026
HEADER = ("cell", "source", "function", "setting", "nominal", "draws", "coverage", "se", "median_width", "refused")
ROUNDING = 1e-9  # an end may miss the truth by this much


def rows(number: int) -> list[list[str]]:
    """Rows of one cell, by its number."""
    return summary(CELLS[number], experiments(CELLS[number]))


def experiments(cell: Cell) -> Array:
    """(draws, settings, 3) truths, lower and upper ends; NaN where the function refuses or has no answer."""
    found = np.full((cell.draws, len(cell.settings), 3), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(cell.draws):
            try:
                found[number] = cell.draw(np.random.default_rng([SEED, zlib.crc32(cell.key.encode()), number]))
            except (ValueError, ArithmeticError, RuntimeError):
                continue
    return found


def summary(cell: Cell, found: Array) -> list[list[str]]:
    """Rows of the file: coverage among the answers, and the share of data sets without one."""
    out = []
    for setting, (truth, low, high) in zip(cell.settings, found.transpose(1, 2, 0), strict=True):
        answered = ~(np.isnan(low) | np.isnan(high))
        n = int(answered.sum())
        covered = (low <= truth + ROUNDING) & (truth - ROUNDING <= high)
        p = covered[answered].mean() if n else np.nan
        se = np.sqrt(max(p * (1 - p), 0.5 / n * (1 - 0.5 / n)) / n) if n else np.nan
        infinite = np.isinf(low) & np.isinf(high)
        width = (
            np.median(np.where(infinite, 0, high - np.where(infinite, 0, low))[answered & ~infinite]) if n else np.nan
        )
        out.append([cell.name, cell.source, cell.function, setting, f"{cell.nominal:g}", str(len(truth)), f"{p:.4f}",
                    f"{se:.4f}", f"{width:.4g}", f"{1 - n / len(truth):.4f}"])  # fmt: skip
    return out


def read(name: str) -> dict[tuple[str, ...], dict[str, str]]:
    rows = study.read(HERE / f"{name}.csv")
    return {(row["source"], row["function"], row["cell"], row["setting"]): row for row in rows}


def failed(row: dict[str, str]) -> bool:
    """Coverage below .90 at nominal .95; more than 10 % rejections at nominal 5 %; never an answer."""
    p = float(row["coverage"])
    return not (p >= 0.9 if float(row["nominal"]) == LEVEL else p <= 0.1)


def shown(row: dict[str, str] | None) -> str:
    if row is None:
        return "–"
    mark, refused = "**" if failed(row) else "", float(row["refused"])
    error, width = 100 * float(row["se"]), float(row["median_width"])
    text = f"{mark}{100 * float(row['coverage']):.0f}{mark} ± {error:.0f} ({width:.2g})"
    return text + (f", {refused:.0%} refused" if refused else "")


def compare(*names: str) -> str:
    """Two tables as Markdown: coverage in %, standard error and median width; failures in bold, and then alone."""
    old, new = map(read, names)
    order = dict.fromkeys([*old, *new])
    head = f"| source | function | cell | setting | {names[0]} | {names[1]} |\n|---|---|---|---|---|---|"
    table = [f"| {' | '.join(key)} | {shown(old.get(key))} | {shown(new.get(key))} |" for key in order]
    lists = []
    for name, found in zip(names, (old, new), strict=True):
        low = [key for key in order if key in found and failed(found[key])]
        own = sum(key[0] == "own" for key in low)
        lists.append(f"\n## {name}: {len(low)} of {len(found)} rows fail ({own} of them own)\n")
        lists += [f"- {' | '.join(key)}: {shown(found[key])}" for key in low]
        silent = [key for key in order if key in found and float(found[key]["refused"]) > 0.05]
        lists.append(f"\n## {name}: no answer in more than 5 % of the data sets\n")
        lists += [f"- {' | '.join(key)}: {shown(found[key])}" for key in silent]
    return "\n".join([head, *table, *lists])


def main() -> None:
    parser = study.parser(COMMAND, __doc__)
    parser.add_argument("action", choices=("run", "compare"))
    options = parser.parse_args()
    if options.action == "compare":
        print(compare("before", "after"))
        return
    found = study.run(rows, ((number,) for number in range(len(CELLS))), "adversarial", options.jobs)
    study.write(HERE / "after.csv", f"{COMMAND} run", ",".join(HEADER), chain.from_iterable(found))


if __name__ == "__main__":
    main()
