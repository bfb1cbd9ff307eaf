"""Run the studies of this folder: ``python -m benchmarks.coverage NAME... --jobs 2``.

Each module has one or more tables: the name of the stored table, its header, and the function that returns the rows
of one cell.
"""

from __future__ import annotations

from itertools import chain
from types import ModuleType

from benchmarks import study
from benchmarks.coverage import (
    advantage,
    bounds,
    clusters,
    communities,
    dependence,
    dependent_bounds,
    information,
    intervals,
    population,
    selection,
    sup_error,
    targets,
    units,
    variance,
)

COMMAND = "python -m benchmarks.coverage"
MODULES = (
    advantage, bounds, clusters, communities, dependence, dependent_bounds, information, intervals, population,
    selection, sup_error, targets, units, variance,
)  # fmt: skip
STUDIES: dict[str, ModuleType] = {module.__name__.rpartition(".")[2]: module for module in MODULES}


def main() -> None:
    parser = study.parser(COMMAND, __doc__)
    parser.add_argument("names", nargs="+", choices=STUDIES, metavar="NAME", help=", ".join(STUDIES))
    options = parser.parse_args()
    for name in options.names:
        module = STUDIES[name]
        rows = chain.from_iterable(study.run(module.rows, module.CELLS, name, options.jobs))
        study.write(study.STORED / f"{module.TABLE}.csv", f"{COMMAND} {name}", module.HEADER, rows)


if __name__ == "__main__":
    main()
