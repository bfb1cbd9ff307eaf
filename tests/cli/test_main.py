"""The command itself: one line for whatever happens, on any terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import classex.cli
from classex.cli import main


def run(*arguments, environment=None, stdin=b""):
    variables = {**os.environ, **(environment or {})}
    return subprocess.run(
        [sys.executable, "-m", "classex", *arguments], capture_output=True, env=variables, input=stdin, check=False
    )


def test_an_interrupt_gets_one_line(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("classex.cli.bound.bayes.average_bayes_accuracy_bound", interrupted)
    assert main(["bound", "--accuracy", ".9", "--classes", "5", "--repeats", "2"]) == 130
    assert capsys.readouterr().err == "classex bound: interrupted\n"


def test_a_damaged_cache_of_compiled_loops_gets_one_line(tmp_path):
    scores = np.random.default_rng(0).normal(size=(1_100, 1_000))  # few are counted without a compiled loop
    np.savez(tmp_path / "scores.npz", scores=scores, labels=np.arange(1_100) % 1_000)
    call = ["extrapolate", str(tmp_path / "scores.npz"), "--to", "10"]
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(*call, environment=cache).returncode == 0
    indices = list((tmp_path / "cache").rglob("*.nbi"))
    assert indices
    for damage in (b"", b"xx"):
        for index in indices:
            index.write_bytes(damage)
        done = run(*call, environment=cache)
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
        assert b"cache of compiled loops is damaged" in done.stderr


def test_closed_streams_get_one_line(monkeypatch, capsys):
    bound = ["bound", "--accuracy", ".9", "--classes", "5", "--repeats", "2"]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        assert main(bound) == 2
    assert capsys.readouterr().err == "classex bound: the standard output is closed\n"
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert main(bound) == 0
        assert main([*bound, "--nonsense"]) == 2
    assert capsys.readouterr().out.startswith("test accuracy 0.9000")


def test_too_little_memory_gets_one_line(monkeypatch, capsys):
    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr("classex.cli.bound.bayes.average_bayes_accuracy_bound", exhausted)
    assert main(["bound", "--accuracy", ".9", "--classes", "5", "--repeats", "2"]) == 2
    assert capsys.readouterr().err == "classex bound: not enough memory\n"


@pytest.mark.parametrize("repeats", ["1e300", "1e999", "nan", "0"])
def test_absurd_numbers_get_one_line(repeats, capsys):
    assert main(["bound", "--accuracy", ".9", "--classes", "5", "--repeats", repeats]) == 2
    error = capsys.readouterr().err
    assert error.startswith("classex bound: --repeats must be an integer")
    assert error.count("\n") == 1


def test_as_a_module_on_a_terminal_without_accents(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("y_true,y_pred\né,é\nà,é\né,é\n", encoding="utf-8")
    done = run("advantage", str(file), environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert b"best constant: \\xe9" in done.stdout
    done = run("advantage", str(tmp_path / "é.csv"), environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_the_standard_input():
    done = run("advantage", "-", "--json", stdin=b"y_true,y_pred\n1,1\n0,1\n1,0\n0,0\n")
    assert done.returncode == 0, done.stderr
    assert b'"file": "-"' in done.stdout


def test_warnings_get_one_line(tmp_path):
    distance = np.linalg.norm(np.random.default_rng(0).normal(size=(40, 1, 3)) - np.zeros((1, 40, 3)), axis=2)
    distance[np.arange(40), np.arange(40)] = 0
    np.savez(tmp_path / "s.npz", scores=distance, labels=np.arange(40))
    done = run("bound", str(tmp_path / "s.npz"))
    assert done.returncode == 0
    read, warning = done.stderr.splitlines()
    assert read.endswith(b"s.npz: 40 test points; 40 classes")
    assert warning.startswith(b"classex: warning: the correct label beats only 0 %")


def test_a_place_where_nothing_can_be_written():
    """Compiled code cannot be cached: it is compiled again, and nothing is said."""
    code = (
        "from numba.core import caching\n"
        "kinds = getattr(caching, 'CacheImpl', None) or caching._CacheImpl\n"
        "for kind in kinds._locator_classes[1:]: kind.from_function = classmethod(lambda *_: None)\n"
        "import classex as cx; print(cx.accuracy_curve(cx.ranks_from_wins([1, 2], 3), 2).accuracy)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[0.75]\n", done.stderr
    assert done.stderr == ""


def test_the_front_door_of_the_command():
    assert classex.cli.main is main
