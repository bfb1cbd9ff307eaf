"""``classex pass-at-k`` and ``classex open-set``: the numbers of the library, and one line about anything wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.open_set import extrapolate_open_set, open_set_curve


@pytest.fixture
def counts(tmp_path):
    file = tmp_path / "results.csv"
    rows = zip("abcdefgh", [0, 0, 1, 3, 0, 10, 7, 2], [10] * 8, strict=True)
    file.write_text("problem,successes,trials\n" + "".join(f"{p},{c},{n}\n" for p, c, n in rows), encoding="utf-8")
    return file


def test_pass_at_k_prints_the_library(counts, capsys):
    assert main(["pass-at-k", str(counts), "--k", "1", "10", "100"]) == 0
    expected = cx.pass_at_k([0, 0, 1, 3, 0, 10, 7, 2], 10, [1, 10, 100])
    assert capsys.readouterr().out == f"{expected}\n"
    assert main(["pass-at-k", "--k", "1", "10", "100", str(counts), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pass_at_k"] == expected.value.tolist()
    assert found["extrapolated"] == [False, False, True]
    assert found["file"] == str(counts)


@pytest.mark.parametrize(
    ("k", "level", "message"),
    [("0", "0.95", "k must hold whole numbers of at least 1"), ("x", "0.95", "give a score file"), ("1", "2", "level")],
)
def test_pass_at_k_says_one_line(counts, capsys, k, level, message):
    arguments = ["pass-at-k", "--confidence-level", level, "--k", k]
    assert main(arguments if k == "x" else [*arguments[:3], str(counts), *arguments[3:]]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error


@pytest.fixture
def searches(tmp_path):
    rng = np.random.default_rng(4)
    arrays = {
        "scores": rng.normal(size=(20, 20)) + 3 * np.eye(20),
        "labels": np.arange(20),
        "impostor_scores": rng.normal(size=(30, 20)),
    }
    file = tmp_path / "searches.npz"
    np.savez(file, **arrays)
    return file, arrays


def test_open_set_prints_the_library(searches, capsys):
    file, arrays = searches
    assert main(["open-set", str(file), "--threshold", "1.5", "2", "--enrolled", "10", "200"]) == 0
    shown = capsys.readouterr().out
    near = open_set_curve(*arrays.values(), [1.5, 2.0], n_enrolled=10)
    far = [extrapolate_open_set(*arrays.values(), cut, n_enrolled=200) for cut in (1.5, 2.0)]
    assert shown == "\n\n".join(str(one) for one in (near, *far)) + "\n"
    assert main(["open-set", str(file), "--threshold", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["results"][0]
    assert found["n_enrolled"] == 20
    assert found["fpir"] == open_set_curve(*arrays.values(), 2.0).fpir.tolist()


def test_open_set_says_one_line(searches, capsys, tmp_path):
    file, arrays = searches
    assert main(["open-set", str(file), "--threshold", "high"]) == 2
    assert "--threshold must be a number, not 'high'" in capsys.readouterr().err
    assert main(["open-set", str(file), "--threshold", "1", "--enrolled", "1"]) == 2
    assert "n_enrolled must be an integer" in capsys.readouterr().err
    np.savez(tmp_path / "less.npz", scores=arrays["scores"], labels=arrays["labels"])
    assert main(["open-set", str(tmp_path / "less.npz"), "--threshold", "1"]) == 2
    assert "impostor_scores" in capsys.readouterr().err
