"""The benchmark of GPUs runs where there is one, and says so where there is none."""

from __future__ import annotations

import importlib

import pytest

from classex import _arrays as arrays

gpu = importlib.import_module("benchmarks.gpu.__main__")


def test_without_a_gpu_nothing_is_measured(monkeypatch, capsys):
    monkeypatch.setattr(gpu, "find_gpu", lambda: None)
    monkeypatch.setattr(gpu, "measure", lambda *_: pytest.fail("measured"))
    assert gpu.main([]) == 0
    assert capsys.readouterr().out == "no GPU that torch, cupy or jax can use: nothing is measured\n"


def test_what_is_measured(monkeypatch, tmp_path, capsys):
    """On arrays that pass for another device's, in place of a GPU."""
    xp = importlib.import_module("array_api_strict")
    monkeypatch.setattr(arrays, "in_main_memory", lambda _: False)
    for name, value in (("HERE", tmp_path), ("SIZES", ((90, 70, 20),))):
        monkeypatch.setattr(gpu, name, value)
    there = gpu.Gpu("strict", "none", xp.asarray, lambda _: None)
    monkeypatch.setattr(gpu, "find_gpu", lambda: there)
    assert gpu.main([]) == 0
    rows = [line.split(",")[-3:] for line in (tmp_path / "gpu.csv").read_text().splitlines()[2:]]
    assert len(rows) == 7
    assert rows[-1] == ["0", "", "0"]
    assert all(float(value) > 0 for value, *_ in rows[:-1])
    assert "integers that differ" in capsys.readouterr().out
