"""``classex pass-at-k`` and ``classex open-set``: the numbers of the library, and one line about anything wrong."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.fields.open_set import extrapolate_open_set, open_set_curve


@pytest.fixture
def counts(tmp_path):
    file = tmp_path / "results.csv"
    rows = zip("abcdefgh", [0, 0, 1, 3, 0, 10, 7, 2], [10] * 8, strict=True)
    file.write_text("problem,successes,trials\n" + "".join(f"{p},{c},{n}\n" for p, c, n in rows), encoding="utf-8")
    return file


def test_pass_at_k_prints_the_library(counts, capsys):
    assert main(["pass-at-k", str(counts), "--to", "1", "10", "100"]) == 0
    expected = cx.pass_at_k([0, 0, 1, 3, 0, 10, 7, 2], 10, [1, 10, 100])
    assert capsys.readouterr().out == f"{expected}\n"
    assert main(["pass-at-k", "--json", "--to", "1", "10", "100", "--", str(counts)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["value"] == expected.value.tolist()
    assert found["extrapolated"] == [False, False, True]
    assert found["limits"] == expected.limits.tolist()
    assert found["file"] == str(counts)


def test_pass_at_k_of_trials_that_stopped(tmp_path, capsys):
    file = tmp_path / "stopped.csv"
    file.write_text("successes,trials\n3,10\n1,20\n0,30\n10,10\n", encoding="utf-8")
    counts = [3, 1, 0, 10], [10, 20, 30, 10]
    assert main(["pass-at-k", str(file), "--to", "5", "40"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "--batch" in error
    for option, stopped in ((["--batch", "10"], 10), (["--fixed"], False)):
        assert main(["pass-at-k", str(file), "--to", "5", "40", *option]) == 0
        assert capsys.readouterr().out == f"{cx.pass_at_k(*counts, [5, 40], stopped=stopped)}\n"
    assert main(["pass-at-k", str(file), "--stopped", "--to", "5"]) == 2
    assert "cannot have stopped at the first success where problem 0" in capsys.readouterr().err
    assert main(["pass-at-k", str(file), "--to", "5", "--batch", "ten"]) == 2
    assert "argument --batch: must be numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("k", "level", "message"),
    [
        ("0", "0.95", "k must hold whole numbers of at least 1"),
        ("x", "0.95", "argument --to: must be numbers such as 1600000 or 1.6M, not 'x'"),
        ("1", "2", "level"),
    ],
)
def test_pass_at_k_says_one_line(counts, capsys, k, level, message):
    assert main(["pass-at-k", str(counts), "--confidence-level", level, "--to", k]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error


@pytest.fixture
def searches(tmp_path):
    rng = np.random.default_rng(4)
    arrays = {
        "scores": rng.normal(size=(20, 20)) + 3 * np.eye(20),
        "labels": np.arange(20),
        "nonmated_scores": rng.normal(size=(30, 20)),
    }
    file = tmp_path / "searches.npz"
    np.savez(file, **arrays)
    return file, arrays


def test_open_set_prints_the_library(searches, capsys):
    file, arrays = searches
    assert main(["open-set", str(file), "--threshold", "1.5", "2", "--to", "10", "200"]) == 0
    shown = capsys.readouterr().out
    near = open_set_curve(*arrays.values(), [1.5, 2.0], n_enrolled=10)
    far = extrapolate_open_set(*arrays.values(), [1.5, 2.0], n_enrolled=200)
    assert shown == f"{near}\n\n{far}\n"
    assert main(["open-set", str(file), "--threshold", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["results"][0]
    assert found["n_enrolled"] == 20
    assert found["fpir"] == open_set_curve(*arrays.values(), 2.0).fpir.tolist()


def test_open_set_prints_misses_at_a_rate_and_draws(searches, capsys, tmp_path):
    file, arrays = searches
    figure = tmp_path / "det.svg"
    command = ["open-set", str(file), "--fpir", ".1", ".2", "--rank", "2", "--plot", str(figure)]
    assert main(command) == 0
    curve = open_set_curve(*arrays.values(), top=2)
    assert capsys.readouterr().out == f"{curve.fnir_at_fpir([0.1, 0.2])}\n"
    assert "N = 20" in figure.read_text(encoding="utf-8") or figure.stat().st_size > 10_000
    assert main(["open-set", str(file), "--fpir", ".01"]) == 2
    assert "fpir must be between 0.0333" in capsys.readouterr().err
    assert main([*command[:-1], "det.txt"]) == 2
    assert "--plot must name a .png, .pdf or .svg file" in capsys.readouterr().err


def test_open_set_reads_comparisons_left_out(tmp_path, capsys):
    file = tmp_path / "searches.csv"
    rows = ["label,ann,bob,cat", "ann,2,-inf,0", "bob,0,1,1", "cat,0,1,2", "zoe,1,-inf,0", "yan,0,1,0"]
    file.write_text("\n".join(rows), encoding="utf-8")
    assert main(["open-set", str(file), "--threshold", "1"]) == 0
    mated, nonmated = [[2, -np.inf, 0], [0, 1, 1], [0, 1, 2]], [[1, -np.inf, 0], [0, 1, 0]]
    expected = open_set_curve(mated, range(3), nonmated, 1.0, nonmated_labels=["zoe", "yan"])
    assert capsys.readouterr().out == f"{expected}\n"
    assert expected.n_enrolled == 2


def test_open_set_says_one_line(searches, capsys, tmp_path):
    file, arrays = searches
    assert main(["open-set", str(file), "--threshold", "high"]) == 2
    assert "argument --threshold: invalid float value: 'high'" in capsys.readouterr().err
    assert main(["open-set", str(file), "--threshold", "1", "--to", "0"]) == 2
    assert "--to must be an integer" in capsys.readouterr().err
    np.savez(tmp_path / "less.npz", scores=arrays["scores"], labels=arrays["labels"])
    assert main(["open-set", str(tmp_path / "less.npz"), "--threshold", "1"]) == 2
    assert "nonmated_scores" in capsys.readouterr().err


@pytest.mark.usefixtures("counts")
def test_counts_from_arrays_and_parquet(tmp_path, capsys, monkeypatch):
    successes, trials = np.array([0, 0, 1, 3, 0, 10, 7, 2]), np.full(8, 10)
    np.savez(tmp_path / "results.npz", successes=successes, trials=trials)
    (tmp_path / "results.parquet").write_bytes(b"PAR1....PAR1")
    with_reader(monkeypatch, {"successes": successes, "trials": trials, "problem": np.array(list("abcdefgh"))})
    for ending in ("csv", "npz", "parquet"):
        assert main(["pass-at-k", str(tmp_path / f"results.{ending}"), "--to", "1"]) == 0
        assert capsys.readouterr().out == f"{cx.pass_at_k(successes, trials, 1)}\n"
    with_reader(monkeypatch, {"successes": successes, "trials": np.array(list("abcdefgh"))})
    assert main(["pass-at-k", str(tmp_path / "results.parquet"), "--to", "1"]) == 2
    assert "column 'trials' holds no numbers, but 'a': leave it out" in capsys.readouterr().err


def with_reader(monkeypatch, columns):
    """A stand-in for pandas, which reads these columns from any file."""
    frame = types.SimpleNamespace(
        columns=list(columns),
        to_numpy=lambda dtype: np.array([one.tolist() for one in columns.values()], dtype=dtype).T,
    )
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(read_parquet=lambda _: frame))


def test_several_images_of_one_identity(tmp_path, capsys, monkeypatch):
    rng = np.random.default_rng(2)
    who = ["ann", "bob", "ann", "cat", "bob", "dan"]
    scores, others = rng.normal(size=(5, 6)), rng.normal(size=(4, 6))
    labels, strangers = ["bob", "ann", "dan", "cat", "ann"], ["x", "x", "y", "z"]
    rows = [[*labels, *strangers], np.vstack([scores, others])]
    file = tmp_path / "searches.csv"
    lines = [",".join([name, *map(repr, map(float, row))]) for name, row in zip(*rows, strict=True)]
    file.write_text("\n".join([",".join(["label", *who]), *lines]), encoding="utf-8")
    best = [
        np.array([[max(row[[w == p for w in who]]) for p in sorted(set(who))] for row in m]) for m in (scores, others)
    ]
    columns = [sorted(set(who)).index(name) for name in labels]
    expected = open_set_curve(best[0], columns, best[1], 0.5, nonmated_labels=strangers)
    assert main(["open-set", str(file), "--threshold", "0.5"]) == 0
    assert capsys.readouterr().out == f"{expected}\n"
    found = open_set_curve(scores, labels, others, 0.5, nonmated_labels=strangers, enrolled_labels=who)
    np.testing.assert_array_equal(found.fnir_interval, expected.fnir_interval)
    with pytest.raises(ValueError, match="labels must be among the enrolled_labels, but position 1 is eve"):
        open_set_curve(scores, ["bob", "eve", "dan", "cat", "ann"], others, 0.5, enrolled_labels=who)
    (tmp_path / "searches.parquet").write_bytes(b"PAR1....PAR1")
    with_reader(monkeypatch, {"label": np.array(rows[0]), **{name: rows[1][:, i] for i, name in enumerate(who)}})
    assert main(["open-set", str(tmp_path / "searches.parquet"), "--threshold", "0.5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["n_enrolled"] == 4


def test_attempts_under_other_names(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text('{"exercise": "p1", "right": true}\n', encoding="utf-8")
    assert main(["pass-at-k", str(tmp_path / "a.jsonl"), "--to", "1"]) == 2
    assert "for single attempts task_id and passed" in capsys.readouterr().err
    lines = [f'{{"exercise": "p{i}", "right": {str(i > 1).lower()}, "set": "s{i % 2}"}}' for i in (1, 1, 2, 2, 3)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    options = ["--task", "exercise", "--outcome", "right", "--groups", "set", "--fixed"]
    assert main(["pass-at-k", str(tmp_path / "a.jsonl"), "--to", "1", *options]) == 0
    expected = cx.pass_at_k([0, 2, 1], [2, 2, 1], 1, groups=["s1", "s0", "s1"], stopped=False)
    assert capsys.readouterr().out == f"{expected}\n"


def test_all_attempts_and_a_coverage(counts, capsys):
    numbers = [0, 0, 1, 3, 0, 10, 7, 2], 10
    assert main(["pass-at-k", str(counts), "--all", "--to", "1", "3"]) == 0
    assert capsys.readouterr().out == f"{cx.attempts.pass_hat_k(*numbers, [1, 3])}\n"
    assert main(["pass-at-k", str(counts), "--coverage", ".5", "--groups", "problem"]) == 0
    assert capsys.readouterr().out == f"{cx.attempts.attempts_to_reach(*numbers, 0.5, groups=list('abcdefgh'))}\n"
    assert main(["pass-at-k", str(counts), "--coverage", ".5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["coverage"], found["value"]) == (0.5, cx.attempts.attempts_to_reach(*numbers, 0.5).value)
    for wrong in (["--all", "--coverage", ".5"], ["--all", "--to", "2", "--stopped"]):
        assert main(["pass-at-k", str(counts), *wrong]) == 2
        assert "--all takes --to" in capsys.readouterr().err
