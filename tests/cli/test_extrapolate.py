"""``classex extrapolate`` as a new user runs it."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.methods import METHODS

K1 = 25


@pytest.fixture(scope="module")
def sample():
    return cx.models.GaussianClasses(5, 0.3).sample(K1, n_repeats=2, rng=0)


@pytest.fixture(scope="module")
def file(sample, tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "scores.npz"
    np.savez(path, scores=sample.scores, labels=sample.labels)
    return str(path)


def test_as_a_command(file):
    command = [sys.executable, "-m", "classex", "extrapolate", file, "--to", "100", "400"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0
    assert done.stderr == f"classex: {file}: {2 * K1} test points; {K1} classes\n"
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"With {K1} classes and {2 * K1} test points the class-balanced accuracy is 0.")
    assert "95 % intervals for the average over random sets" in lines[1]
    assert lines[3].split() == ["classes", "accuracy", "standard", "error", "95", "%", "interval"]
    assert [line.split()[0] for line in lines[4:6]] == ["100", "400"]
    assert lines[-1].startswith(
        f"From the observed curve alone, up to {K1} classes, the accuracy with 400 lies between"
    )


def test_groups(file, sample, tmp_path, capsys):
    groups = np.arange(K1) % 3
    path = tmp_path / "groups.csv"
    path.write_text("class,group\n" + "".join(f"{c},g{g}\n" for c, g in enumerate(groups)))
    assert main(["extrapolate", file, "--to", "100", "--groups", str(path), "--growth", "more groups", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    given = {"groups": groups, "growth": "more groups"}
    expected = cx.extrapolate(sample.scores, sample.labels, n_classes=100, **given)
    np.testing.assert_allclose(result["accuracy"], expected.accuracy, rtol=1e-12)
    assert len(result["growth"]["near_share"]) == 21
    path.write_text("class,group\n0,a\n1,b\n")
    assert main(["extrapolate", file, "--to", "100", "--groups", str(path)]) == 2
    assert "groups must have shape (25,)" in capsys.readouterr().err
    curve = ["--curve", "10:.9", "20:.8", "--points", "50"]
    assert main(["extrapolate", *curve, "--to", "100", "--groups", str(path)]) == 2
    assert "groups need scores" in capsys.readouterr().err


def test_weights(file, sample, tmp_path, capsys):
    weights = 1.0 + np.arange(K1) % 2
    path = tmp_path / "weights.csv"
    path.write_text("class,weight\n" + "".join(f"{c},{w}\n" for c, w in enumerate(weights)))
    assert main(["extrapolate", file, "--to", "100", "--weights", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = cx.extrapolate(sample.scores, sample.labels, n_classes=100, weights=weights)
    assert found["accuracy"] == pytest.approx(expected.accuracy.tolist())
    path.write_text("class,weight\n0,much\n")
    assert main(["extrapolate", file, "--to", "100", "--weights", str(path)]) == 2
    assert "weight" in capsys.readouterr().err


def test_like(file, sample, tmp_path, capsys):
    """A file with the columns n_classes and accuracy, or a name."""
    path = tmp_path / "related.csv"
    path.write_text("n_classes,accuracy\n100,0.5\n10,0.8\n")
    for like, expected in ((str(path), ([10, 100], [0.8, 0.5])), ("spoken words", "spoken words")):
        assert main(["extrapolate", file, "--to", "100", "--like", like, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        result = cx.extrapolate(sample.scores, sample.labels, n_classes=100, like=expected)
        assert found["accuracy"] == pytest.approx(result.accuracy.tolist(), rel=1e-12)
        assert "resembles the related curve" in found["evidence"]["parameters"]


@pytest.mark.parametrize(
    ("like", "message"),
    [
        ("brains", "--like must be a file, or one of word definitions, software descriptions, "),
        ("size,accuracy\n10,0.8\n100,0.5\n", "must have one column 'n_classes'"),
        ("n_classes,accuracy\n10,0.8\n100,high\n", "high"),
        ("n_classes,accuracy\n10,80\n100,50\n", "accuracies go up to 80: write shares, or 91% for .91"),
        ("n_classes,accuracy\n10,0.8\n", "like must hold an accuracy for each of two or more numbers of classes"),
    ],
)
def test_what_like_cannot_be(like, message, file, tmp_path, capsys):
    if "\n" in like:
        (tmp_path / "related.csv").write_text(like)
        like = str(tmp_path / "related.csv")
    assert main(["extrapolate", file, "--to", "100", "--like", like]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert captured.err.startswith("classex extrapolate: ")
    assert message in captured.err


def test_groups_by_name(sample, tmp_path, capsys):
    names = np.array([f"c{i}" for i in range(K1)])
    np.savez(tmp_path / "scores.npz", scores=sample.scores, labels=names[sample.labels], classes=names)
    (tmp_path / "groups.csv").write_text("class,group\nc0,a\nc1,b\n")
    command = ["extrapolate", str(tmp_path / "scores.npz"), "--to", "100", "--groups", str(tmp_path / "groups.csv")]
    assert main(command) == 2
    assert "column class lacks classes of the scores, 23 of 25: 'c2', 'c3', ..." in capsys.readouterr().err


def test_json_holds_what_the_library_says(file, sample, capsys):
    options = ["--json", "--confidence-level", "0.9", "--top", "2", "--method", "probit-normal"]
    assert main(["extrapolate", file, "--to", "100", "1e6", *options]) == 0
    result = json.loads(capsys.readouterr().out)
    est = cx.Extrapolator(cx.methods.ProbitNormal()).fit(sample.scores, sample.labels)
    assert result["method"] == "probit-normal"
    assert result["top"] == 2
    assert result["confidence_level"] == 0.9
    assert result["n_observed"] == K1
    assert result["observed"]["value"] == pytest.approx(cx.accuracy_curve(est.ranks_, K1, top=2).accuracy[0])
    assert result["n_classes"] == [100, 10**6]
    np.testing.assert_allclose(result["accuracy"], est.predict([100, 10**6], top=2), rtol=1e-12)
    ends = est.predict_interval([100, 10**6], confidence_level=0.9, top=2)
    np.testing.assert_allclose(result["interval"], ends, rtol=1e-12)


def test_a_metric(file, sample, capsys):
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    expected = cx.extrapolate(ranks, n_classes=[100], metric="ndcg@10", method="probit-normal")
    options = ["--metric", "ndcg@10", "--method", "probit-normal"]
    assert main(["extrapolate", file, "--to", "100", *options]) == 0
    assert capsys.readouterr().out == f"{expected}\n"
    assert main(["extrapolate", file, "--to", "100", "--json", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["metric"] == "ndcg@10"
    assert found["interval"] == expected.interval.tolist()
    assert main(["extrapolate", file, "--to", "100", "--metric", "auc"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "metric must be one of accuracy, mrr" in error


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_by_name(method, file, capsys):
    assert main(["extrapolate", file, "--to", "50", "--method", method, "--no-intervals", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["method"] == method
    assert 0 < result["accuracy"][0] < 1
    assert result["interval"] is None


def test_a_lack_of_fit_is_told_on_standard_error(tmp_path, capsys):
    rng = np.random.default_rng(0)
    scores = -np.square(-np.abs(cx.models.GaussianClasses(10, 0.2).sample(60, rng=rng).scores))
    np.savez(tmp_path / "far.npz", scores=scores, labels=np.arange(60))
    command = ["extrapolate", str(tmp_path / "far.npz"), "--to", "60", "--method", "kernel-density", "--no-intervals"]
    assert main(command) == 0
    captured = capsys.readouterr()
    read, warning = captured.err.splitlines()
    assert read.endswith("far.npz: 60 test points; 60 classes")
    assert warning.startswith("classex: warning: KernelDensity fits an accuracy of")


def test_csv_input(sample, file, tmp_path, capsys):
    rows = ["label," + ",".join(f"c{c}" for c in range(K1))]
    rows += [
        f"{label}," + ",".join(map(repr, row.tolist())) for label, row in zip(sample.labels, sample.scores, strict=True)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(rows), encoding="utf-8")
    assert main(["extrapolate", str(tmp_path / "scores.csv"), "--to", "77", "--json", "--no-intervals"]) == 0
    from_csv = json.loads(capsys.readouterr().out)
    assert main(["extrapolate", "--json", "--to", "77", "--no-intervals", file]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result.pop("file") == file
    assert from_csv.pop("file") == str(tmp_path / "scores.csv")
    assert result.pop("data").replace(".npz", ".csv").endswith(from_csv.pop("data").split("/")[-1])
    assert result == from_csv
    assert (result["classex"], result["command"]) == (cx.__version__, "extrapolate")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "many"], "argument --to: must be numbers such as 1600000 or 1.6M, not 'many'"),
        (["--to", "inf"], "argument --to: must be numbers such as 1600000 or 1.6M, not 'inf'"),
        (["--to", "2.5"], "argument --to: must be numbers such as 1600000 or 1.6M, not '2.5'"),
        (["--to", "9", "--method", "guess"], "method must be one of"),
        (["--to", "9", "--confidence-level", "1"], "--confidence-level must be a number strictly between 0 and 1"),
        (["--to", "9", "--top", "0"], "top must be an integer of at least 1"),
        (["--to", "9", "--target", "best"], "target must be one of 'average'"),
        (["--to", "9", "--top", "1.5"], "argument --top: must be numbers such as 1600000 or 1.6M, not '1.5'"),
        (["--to", "9", "--seed", "1"], "unrecognized arguments: --seed 1"),
        (["--to", "9", "--plot", "curve.doc"], "--plot must name a .png, .pdf or .svg file"),
        (["--to", "9", "--plot", "nowhere/curve.png"], "is no directory"),
        (["--to", "9", "--growth", "more groups"], "--growth goes with --groups"),
        (["--to", "9", "--points", "5"], "--points goes with --curve"),
        (["--to", "9", "--corpus", "50"], "--corpus goes with --qrels"),
        (["--to", "9", "--compare", "cosine"], "--compare goes with --references, for embeddings"),
        (
            ["--to", "9", "--like", "icons", "--method", "regression"],
            "like goes with the default method, not with 'regression'",
        ),
        (["--to", "9", "--no-intervals", "--target", "fresh"], "--target goes without --no-intervals"),
        (["--to", "9", "--qrels", "q", "--corpus", "9", "--method", "regression"], "--method does not go with --qrels"),
        (["--to", "9", "--qrels", "q", "--corpus", "9", "--no-intervals"], "--no-intervals does not go with --qrels"),
    ],
)
def test_bad_options_get_one_line_and_exit_2(options, message, file, capsys):
    assert main(["extrapolate", file, *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert captured.err.startswith("classex extrapolate: ")
    assert message in captured.err


def test_a_curve_takes_no_references(capsys):
    curve = ["extrapolate", "--curve", "10:.9", "20:.8", "--points", "50", "--to", "100"]
    assert main([*curve, "--references", "file.csv"]) == 2
    assert "--references does not go with --curve" in capsys.readouterr().err
    assert main([*curve, "--like", "icons"]) == 2
    assert "--like does not go with --curve" in capsys.readouterr().err
    assert main(curve) == 0


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([[1.0, np.nan], [0, 1]], [0, 1], "scores must be finite, but holds nan at row 0, column 1"),
        ([[1.0, 0.0], [0, 1]], [0, 2], "labels must lie in 0..1, but row 1 is 2"),
        ([[1.0], [0.0]], [0, 0], "at least two columns"),
        ([[1.0, 0.0], [0, 1]], [0], "labels must have shape (2,)"),
    ],
)
def test_bad_files_get_one_line_and_exit_2(scores, labels, message, tmp_path, capsys):
    np.savez(tmp_path / "bad.npz", scores=scores, labels=labels)
    assert main(["extrapolate", str(tmp_path / "bad.npz"), "--to", "9"]) == 2
    captured = capsys.readouterr()
    assert len(captured.err.splitlines()) == 1
    assert message in captured.err
    assert main(["extrapolate", str(tmp_path / "none.npz"), "--to", "9"]) == 2
    assert "No such file" in capsys.readouterr().err


def test_unsolved_problems_get_one_line(file, capsys, monkeypatch):
    def fail(*_, **__):
        raise cx.exceptions.SolverError("the fit was not solved", "infeasible")

    monkeypatch.setattr(cx.methods.GaussianProcess, "forecast", fail)
    assert main(["extrapolate", file, "--to", "9"]) == 2
    assert "classex extrapolate: the fit was not solved (solver status: infeasible)" in capsys.readouterr().err
