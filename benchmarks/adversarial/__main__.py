"""Coverage of every interval of the package under truths that it does not assume.

``python -m benchmarks.adversarial run`` goes through the table of cells, or through some of them (``--only``);
``compare`` prints ``before.csv`` and ``after.csv`` side by side. See README.md.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

import classex as cx
from benchmarks import study
from benchmarks.adversarial import accuracy, others, tests_and_bounds  # noqa: F401  (they fill the table)
from benchmarks.adversarial.table import CELLS, LEVEL, Cell
from benchmarks.adversarial.worlds import Array

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.adversarial"
SEED = 2026
HEADER = ("cell", "source", "function", "setting", "nominal", "draws", "coverage", "se", "median_width", "refused",
    "coverage_near")  # fmt: skip
N_KEYS = 4
ROUNDING = 1e-9  # an end may miss the truth by this much
# a smaller miss is not counted in `coverage_near`, of the functions whose answer is an accuracy
NEAR = 0.005
ACCURACIES = {"accuracy_curve", "extrapolate", "pass_at_k", "average_bayes_accuracy_bound",
    "generalisation_accuracy_bound"}  # fmt: skip


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
        p, near = (
            ((low - slack <= truth) & (truth <= high + slack))[answered].mean() if n else np.nan
            for slack in (ROUNDING, NEAR)
        )
        se = np.sqrt(max(p * (1 - p), 0.5 / n * (1 - 0.5 / n)) / n) if n else np.nan
        infinite = np.isinf(low) & np.isinf(high)
        width = (
            np.median(np.where(infinite, 0, high - np.where(infinite, 0, low))[answered & ~infinite]) if n else np.nan
        )
        out.append([cell.name, cell.source, cell.function, setting, f"{cell.nominal:g}", str(len(truth)), f"{p:.4f}",
                    f"{se:.4f}", f"{width:.4g}", f"{1 - n / len(truth):.4f}",
                    f"{near:.4f}" if cell.function in ACCURACIES else ""])  # fmt: skip
    return out


def read(name: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Rows of a table of this folder, or of another file."""
    rows = study.read(Path(name) if name.endswith(".csv") else HERE / f"{name}.csv")
    return {(row["source"], row["function"], row["cell"], row["setting"]): row for row in rows}


def failed(row: dict[str, str], column: str = "coverage") -> bool:
    """Coverage below .90 at nominal .95; more than 10 % rejections at nominal 5 %; never an answer."""
    p = float(row.get(column) or row["coverage"])
    return not (p >= 0.9 if float(row["nominal"]) == LEVEL else p <= 0.1)


def shown(row: dict[str, str] | None) -> str:
    if row is None:
        return "–"
    mark, refused = "**" if failed(row) else "", float(row["refused"])
    error, width = 100 * float(row["se"]), float(row["median_width"])
    text = f"{mark}{100 * float(row['coverage']):.0f}{mark} ± {error:.0f} ({width:.2g})"
    near = row.get("coverage_near") or row["coverage"]
    text += f", near {100 * float(near):.0f}" if near != row["coverage"] else ""
    return text + (f", {refused:.0%} refused" if refused else "")


def compare(*names: str) -> str:
    """Two tables as Markdown: coverage in %, standard error and median width; failures in bold, and then alone.

    "near" is the coverage in which a miss by less than .005 is not counted, where it differs.
    """
    old, new = map(read, names)
    order = dict.fromkeys([*old, *new])
    titles = [Path(name).stem for name in names]
    head = f"| source | function | cell | setting | {' | '.join(titles)} |\n|---|---|---|---|---|---|"
    table = [f"| {' | '.join(key)} | {shown(old.get(key))} | {shown(new.get(key))} |" for key in order]
    lists = []
    for name, found in zip(titles, (old, new), strict=True):
        low = [key for key in order if key in found and failed(found[key])]
        own = sum(key[0] == "own" for key in low)
        far = sum(failed(found[key], "coverage_near") for key in low)
        lists.append(f"\n## {name}: {len(low)} of {len(found)} rows fail ({own} of them own)\n")
        if any(row.get("coverage_near") for row in found.values()):
            lists.append(f"{far} of them fail too if a miss by less than {NEAR} of accuracy is not counted.\n")
        lists += [f"- {' | '.join(key)}: {shown(found[key])}" for key in low]
        silent = [key for key in order if key in found and float(found[key]["refused"]) > 0.05]
        lists.append(f"\n## {name}: no answer in more than 5 % of the data sets\n")
        lists += [f"- {' | '.join(key)}: {shown(found[key])}" for key in silent]
    return "\n".join([head, *table, *lists])


def chosen(texts: Sequence[str]) -> list[int]:
    """Numbers of the cells with one of the texts in their key; all without one."""
    return [i for i, cell in enumerate(CELLS) if not texts or any(text in cell.key for text in texts)]


def version() -> str:
    """A number of the package's and this benchmark's sources: experiments are kept for one of them alone."""
    files = sorted([*Path(cx.__file__).parent.rglob("*.py"), *HERE.glob("*.py")])
    return f"{zlib.crc32(b''.join(file.read_bytes() for file in files)):08x}"


def main() -> None:
    parser = study.parser(COMMAND, __doc__)
    parser.add_argument("action", choices=("run", "compare"))
    only = "run the cells with one of these texts in the key (source | function | cell); the table's other rows stay"
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help=only)
    parser.add_argument("--out", default=str(HERE / "after.csv"), help="table to write, or to compare with before.csv")
    options = parser.parse_args()
    if options.action == "compare":
        print(compare("before", options.out))
        return
    cells = ((number,) for number in chosen(options.only))
    found = study.run(rows, cells, f"adversarial/{version()}", options.jobs)
    n_keys = N_KEYS if options.only else 0
    study.write(Path(options.out), f"{COMMAND} run", ",".join(HEADER), chain.from_iterable(found), n_keys)


if __name__ == "__main__":
    main()
