"""The files of a first use, and the command that writes them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from classex.cli import main
from classex.io import example_file
from classex.io.contents import EXAMPLE_FILES

ROOT = Path(__file__).parents[2]


def test_the_files_are_those_that_the_script_writes():
    texts = runpy.run_path(str(ROOT / "scripts" / "example_files.py"))["texts"]()
    assert {name: example_file(name).read_text(encoding="utf-8") for name in EXAMPLE_FILES} == texts


def test_another_name_is_refused():
    with pytest.raises(ValueError, match=r"name must be one of 'syllables.csv', .*, not 'letters.csv'"):
        example_file("letters.csv")


def test_the_command_writes_them_and_replaces_nothing(tmp_path, capsys):
    assert main(["example", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / name) for name in EXAMPLE_FILES]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        name: example_file(name).read_bytes() for name in EXAMPLE_FILES
    }
    for name in set(EXAMPLE_FILES) - {"all-syllables.csv"}:
        (tmp_path / name).unlink()
    assert main(["example", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"classex example: {tmp_path / 'all-syllables.csv'} exists: name another folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["all-syllables.csv"]
