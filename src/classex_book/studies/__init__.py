"""Results of the stored studies, so that a chapter shows them wherever its notebook runs.

The scripts in ``benchmarks`` compute these tables and write them here; a test recomputes one cell of each study.
"""

from __future__ import annotations

import csv
from importlib.resources import files

__all__ = ["load_study", "study_names"]


def study_names() -> tuple[str, ...]:
    """Names of the stored tables, in alphabetical order.

    Examples
    --------
    >>> from classex_book.studies import study_names
    >>> "faces/rmse" in study_names()
    True
    """
    folders = (entry for entry in files(__name__).iterdir() if entry.is_dir())
    tables = (f"{folder.name}/{table.name}" for folder in folders for table in folder.iterdir())
    return tuple(sorted(name.removesuffix(".csv") for name in tables if name.endswith(".csv")))


def load_study(name: str) -> list[dict[str, str]]:
    """Read the rows of a stored study.

    Parameters
    ----------
    name : str
        Study and table, such as ``"faces/rmse"``: what ``benchmarks/faces`` stored in ``rmse.csv``.

    Returns
    -------
    list of dict
        A dictionary for each row, from the names of the columns to the text of the cells.

    Raises
    ------
    ValueError
        If there is no such table; the message lists those there are.

    Examples
    --------
    >>> from classex_book import load_study
    >>> rows = load_study("faces/rmse")
    >>> rows[0]["k1"], rows[0]["method"]
    ('100', 'ClassExReg')
    """
    names = study_names()
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(names)}, not {name!r}")
    folder, table = name.split("/")
    text = (files(__name__) / folder / f"{table}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
