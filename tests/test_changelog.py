"""The changelog's table: what became of every public name of 0.2.0."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parents[1]
TABLE = [
    line.split(" | ")
    for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## [0.2.0]")[0].splitlines()
    if line.startswith("| `")
]
LATER = {"ranks.class_totals"}  # gone since 0.3.0: `classex._moved` names what to use
NAMES = (ROOT / "tests" / "data" / "names_0_2_0.txt").read_text(encoding="utf-8").split()
NEW = sorted({name for _, now in TABLE for name in re.findall(r"`(?:cx|classex)\.([A-Za-z_.]+)", now)})


def exists(name: str) -> bool:
    try:
        resolve_name(f"classex.{name}")
    except (AttributeError, ImportError):
        return False
    return True


def test_every_name_that_is_gone_stands_in_the_table():
    gone = [name for name in NAMES if not exists(name) and name not in LATER]
    named = set(re.findall(r"\w+", " ".join(" ".join(row) for row in TABLE)))
    assert [name for name in gone if name.split(".")[-1] not in named] == []
    assert len(gone) > 100


@pytest.mark.parametrize("name", NEW)
def test_what_the_table_sends_to_exists(name):
    """Or a later version moved it, and asking for it says where."""
    if not exists(name):
        with pytest.raises((AttributeError, ImportError), match=r"^classex\.\S+ (moved to|is gone: )"):
            resolve_name(f"classex.{name}")
