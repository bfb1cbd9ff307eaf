"""What is refused, in which words: a table for each room, in the file with its name.

A function ``refused_...`` yields calls with the words, a regular expression, that their message must contain, and the
error where it is no ValueError. Each call is made before the next is prepared, in an empty folder.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

TABLES = {
    f"{file.stem.removesuffix('_refusals')}{name[7:]}": table
    for file in sorted(Path(__file__).parent.glob("*_refusals.py"))
    for name, table in vars(import_module(f"tests.refusals.{file.stem}")).items()
    if name.startswith("refused")
}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_each_is_refused_in_words_that_help(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call, words, *error in table():
        with np.errstate(all="ignore"), pytest.raises(*error or [ValueError], match=words):
            call()
