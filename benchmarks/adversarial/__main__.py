"""Coverage of every interval of the package under truths that it does not assume.

``python -m benchmarks.adversarial run --output after.csv`` goes through the table of cells, writes every row as soon as
it is known and skips the rows that the file holds already; ``compare`` prints ``before.csv`` and ``after.csv`` side by
side. See README.md.
"""

from __future__ import annotations

import argparse
import csv
import re
import time
import warnings
import zlib
from pathlib import Path

import numpy as np

import classex as cx
from benchmarks.adversarial import accuracy, others, tests_and_bounds  # noqa: F401  (they fill the table)
from benchmarks.adversarial.table import CELLS, LEVEL, Cell
from benchmarks.adversarial.worlds import Array

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.adversarial"
SEED = 2026
HEADER = ("cell", "source", "function", "setting", "nominal", "draws", "coverage", "se", "median_width", "refused")
ROUNDING = 1e-9  # an end may miss the truth by this much


def find(pattern: str) -> list[Cell]:
    return [cell for cell in CELLS if re.search(pattern, cell.key)]


def experiments(cell: Cell, draws: int) -> Array:
    """(draws, settings, 3) truths, lower and upper ends; NaN where the function refuses or has no answer."""
    found = np.full((draws, len(cell.settings), 3), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(draws):
            try:
                found[number] = cell.draw(np.random.default_rng([SEED, zlib.crc32(cell.key.encode()), number]))
            except (ValueError, ArithmeticError, RuntimeError) as error:
                if number == 0:
                    print(f"    {cell.key}: {error}", flush=True)
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


def read(path: Path) -> dict[tuple[str, ...], dict[str, str]]:
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as file:
        found = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {(row["source"], row["function"], row["cell"], row["setting"]): row for row in found}


def run(path: Path, only: str, draws: int | None, minutes: float) -> bool:
    """Run what the file lacks; True when nothing is left."""
    done = read(path)
    if not path.exists():
        path.write_text(f"# {COMMAND} run --output {path.name}\n{','.join(HEADER)}\n", encoding="utf-8")
    start = time.process_time()
    for cell in find(only):
        if (cell.source, cell.function, cell.name, cell.settings[-1]) in done:
            continue
        if time.process_time() - start > 60 * minutes:
            return False
        before = time.process_time()
        new = summary(cell, experiments(cell, min(cell.draws, draws or cell.draws)))
        with path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(new)
        print(f"{time.process_time() - before:6.1f} s  {cell.key}: {' '.join(row[6] for row in new)}", flush=True)
    print(f"{(time.process_time() - start) / 60:.1f} minutes of processor time, classex {cx.__version__}")
    return True


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


def compare(before: Path, after: Path) -> str:
    """Both files as Markdown: coverage in %, standard error and median width; failures in bold, and then alone."""
    old, new = read(before), read(after)
    order = {key: place for place, key in enumerate([*old, *(key for key in new if key not in old)])}
    names = [path.stem for path in (before, after)]
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
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("action", choices=("run", "compare", "list"))
    parser.add_argument("--output", type=Path, default=HERE / "after.csv", help="the file to write (after.csv)")
    parser.add_argument("--before", type=Path, default=HERE / "before.csv")
    parser.add_argument("--only", default="", metavar="REGEX", help="cells whose key it finds; `list` prints the keys")
    parser.add_argument("--draws", type=int, help="at most so many data sets a cell")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after about so much processor time")
    options = parser.parse_args()
    if options.action == "list":
        print(*(cell.key for cell in find(options.only)), sep="\n")
    elif options.action == "compare":
        print(compare(options.before, options.output))
    elif not run(options.output, options.only, options.draws, options.minutes):
        raise SystemExit(3)


if __name__ == "__main__":
    main()
