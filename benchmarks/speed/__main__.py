"""Speed and memory, each against its peer in the same run.

``python -m benchmarks.speed`` runs everything and writes ``speed.csv`` and ``machine.csv`` where the book reads them;
``--only NAME`` runs one measurement and replaces its rows. What must hold stands in the column ``required``; the
load of the machine when a measurement began, averaged over a minute, in the column ``load``.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
from pathlib import Path

import numba
import numpy as np
import scipy
from threadpoolctl import threadpool_info

from benchmarks import study
from benchmarks.speed import curves, million, near_ties, ranks, starting
from benchmarks.speed.timing import Row

STORED = study.STORED / "speed"
COMMAND = "python -m benchmarks.speed"
COLUMNS = ("name", "quantity", "value", "unit", "required", "load")
MEASUREMENTS = {
    "few-dimensions": ranks.few_dimensions,
    "many-dimensions": ranks.many_dimensions,
    "crossover": ranks.crossover,
    "all-k-curve": curves.all_k_curve,
    "kernel-density": curves.kernel_density,
    "regression": curves.regression,
    "first-call": starting.first_call,
    "near-ties": near_ties.near_ties,
    "million": million.million,
    "dask": ranks.dask_cluster,
}


def processor() -> str:
    """Model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def write_machine() -> None:
    blas = next(lib for lib in threadpool_info() if lib["user_api"] == "blas")
    rows = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "BLAS": f"{blas['internal_api']} {blas['version']} ({blas['architecture']})",
    }
    with (STORED / "machine.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("property", "value"), *rows.items()])


def read_rows() -> list[dict[str, str]]:
    path = STORED / "speed.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write_rows(name: str, rows: list[Row], load: float) -> None:
    """Replace the rows of one measurement; the order is that of the measurements."""
    kept = [row for row in read_rows() if row["name"] != name]
    kept += [
        {"name": name, "quantity": row.quantity, "value": f"{row.value:.6g}", "unit": row.unit,
         "required": row.required, "load": f"{load:.1f}"}
        for row in rows
    ]  # fmt: skip
    kept.sort(key=lambda row: list(MEASUREMENTS).index(row["name"]))
    with (STORED / "speed.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {COMMAND}\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--only", nargs="+", choices=tuple(MEASUREMENTS), default=list(MEASUREMENTS), metavar="NAME")
    options = parser.parse_args(argv)
    write_machine()
    for name in options.only:
        load = os.getloadavg()[0]
        print(f"{name}: load {load:.1f}", flush=True)
        rows = MEASUREMENTS[name]()
        write_rows(name, rows, load)
        for row in rows:
            print(f"{name:18} {row.quantity:60} {row.value:12.5g} {row.unit:8} {row.required}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
