"""Files appear whole or not at all: what an interrupt leaves behind."""

from __future__ import annotations

import ast
import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.io.tables import atomic_text, atomic_write
from classex_book.course.bank import write_bank
from classex_book.course.exam import write_exam
from classex_book.course.marks import Mark, MarkedNotebook
from classex_book.course.reports import write_feedback, write_gradebook, write_marks

SRC = Path(__file__).parents[1] / "src"
WRITES = re.compile(r"(\w*open|write_text|write_bytes|to_csv|tofile|savez\w*|savefig)\(")
MARKED = [MarkedNotebook("ada/ch1.ipynb", "ada", (Mark("exr-ch1-wins", True, ""),))]
WRITERS = {
    "bank.xml": lambda path: write_bank(path, each=1, seed="a", chapters=["ch1"]),
    "key.json": lambda path: write_exam(path.parent, seed="a", chapters=["ch1"], n_exercises=1),
    "ranks.npz": cx.ranks_from_wins([3, 3, 2], 4).save,
    "marks.csv": lambda path: write_marks(path, MARKED),
    "book.csv": lambda path: write_gradebook(path, MARKED),
    "ada.html": lambda path: write_feedback(path.parent, MARKED),
    "curve.png": lambda path: plotted(path),
}


def plotted(path):
    scores = path.with_name("scores.npz")
    rng = np.random.default_rng(0)
    np.savez(scores, scores=rng.normal(size=(9, 9)) + 2 * np.eye(9), labels=np.arange(9))
    main(["extrapolate", str(scores), "--to", "20", "--method", "probit-normal", "--plot", str(path)])
    scores.unlink()


@pytest.mark.parametrize("name", WRITERS)
def test_an_interrupt_leaves_the_old_file_or_none(name, tmp_path, monkeypatch):
    """The power fails when all is written and nothing has its name yet."""

    def fails(*_):
        raise KeyboardInterrupt

    path = tmp_path / name
    old = b'{"papers": {}}' if name == "key.json" else b"old"  # what is no key would not be replaced
    path.write_bytes(old)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fails)
        try:
            WRITERS[name](path)
        except KeyboardInterrupt:
            pass
        else:
            assert name == "curve.png"  # the command says so in one line
    assert path.read_bytes() == old
    left = [file.name for file in tmp_path.rglob("*") if file.is_file()]
    assert set(left) <= {name, "scores.npz"}
    WRITERS[name](path)
    assert len(path.read_bytes()) > 3
    assert not list(tmp_path.rglob("*.part"))


def test_nothing_else_in_the_packages_writes_files():
    """Whatever names a file to write is in `io.tables`; streams in memory and pipes are written to."""
    found = set()
    for file in SRC.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        calls = (
            [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)] if WRITES.search(text) else []
        )
        for call in calls:
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            values = [getattr(value, "value", None) for value in [*call.args, *(one.value for one in call.keywords)]]
            reads = name.endswith("open") and not any(re.fullmatch("[rwaxbt+]*[wax+][bt]*", str(one)) for one in values)
            if WRITES.fullmatch(f"{name}(") and not reads:
                found.add((file.relative_to(SRC).as_posix(), name))
    assert found == {
        ("classex/io/tables.py", "open"),
        ("classex/cli/options.py", "savefig"),  # to the stream of a file that is not there yet
        ("classex/ranks/ranks.py", "savez_compressed"),  # the same
        ("classex_book/figures.py", "savefig"),  # to memory
        ("classex_book/course/notebook_process.py", "fdopen"),  # the pipe to the process that collects answers
    }


def test_a_link_stays_a_link_and_rights_are_the_usual_ones(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    atomic_text(link, "a\nü\n")
    assert link.is_symlink()
    assert target.read_bytes() == "a\nü\n".encode()
    mask = os.umask(0o027)
    try:
        atomic_text(target, "b")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_what_is_no_file_is_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    atomic_text(pipe, "through")
    assert os.read(reader, 99) == b"through"
    os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError), atomic_write(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match="names a folder that does not exist"):
        atomic_text(tmp_path / "nowhere" / "a.txt", "a")
