"""What people bring to the command line: curves, embeddings, galleries, attempts; and what they take away."""

from __future__ import annotations

import csv
import io
import json
import logging

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.io import load_embeddings, load_scores, split_references

RNG = np.random.default_rng(0)
NAMES = np.array([f"person {c}" for c in range(30)])
GALLERY = RNG.normal(size=(30, 8))
OWNER = np.repeat(np.arange(12), 2)
PROBES = GALLERY[OWNER] + 0.5 * RNG.normal(size=(24, 8))


def table(file, labels, values):
    rows = [f"{name},{','.join(map(repr, row))}" for name, row in zip(labels, values.tolist(), strict=True)]
    file.write_text("\n".join([",".join(["label", *(f"x{i}" for i in range(values.shape[1]))]), *rows]), "utf-8")
    return str(file)


def fails(capsys, *command):
    """The one line of an error."""
    assert main(list(command)) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert len(captured.err) <= 350
    return captured.err


def test_a_gallery_with_unprobed_identities(tmp_path, capsys):
    """Eighteen of thirty enrolled people are never searched: they compete as well."""
    scores = PROBES @ GALLERY.T
    np.savez(tmp_path / "gallery.npz", scores=scores, labels=OWNER)
    expected = cx.extrapolate(scores, OWNER, n_classes=[300])
    assert main(["extrapolate", str(tmp_path / "gallery.npz"), "--to", "300"]) == 0
    assert capsys.readouterr().out == f"{expected}\n"
    lines = [
        ",".join(["label", *NAMES]),
        *(",".join([NAMES[c], *map(repr, r.tolist())]) for c, r in zip(OWNER, scores, strict=True)),
    ]
    (tmp_path / "gallery.csv").write_text("\n".join(lines), encoding="utf-8")
    assert load_scores(tmp_path / "gallery.csv").scores.shape == (24, 30)
    assert main(["extrapolate", str(tmp_path / "gallery.csv"), "--to", "300"]) == 0
    assert capsys.readouterr().out == f"{expected}\n"


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "inner_product"])
def test_embeddings(metric, tmp_path, capsys):
    expected = cx.extrapolate(
        cx.correct_ranks_from_embeddings(PROBES, GALLERY, OWNER, metric=metric), n_classes=[300], metric="recall@5"
    )
    test = table(tmp_path / "probes.csv", NAMES[OWNER], PROBES)
    stored = table(tmp_path / "gallery.csv", NAMES, GALLERY)
    np.savez(tmp_path / "a.npz", test=PROBES, references=GALLERY, labels=OWNER)
    np.savez(tmp_path / "b.npz", test=PROBES, references=GALLERY, labels=NAMES[OWNER], reference_labels=NAMES)
    np.savez(tmp_path / "c.npz", embeddings=PROBES, labels=NAMES[OWNER])
    np.savez(tmp_path / "d.npz", embeddings=GALLERY, labels=NAMES)
    options = ["--to", "300", "--metric", "recall@5", "--compare", metric]
    pairs = (test, stored), (str(tmp_path / "c.npz"), str(tmp_path / "d.npz")), (test, str(tmp_path / "d.npz"))
    for one, other in pairs:
        assert main(["extrapolate", one, "--references", other, *options]) == 0
        assert capsys.readouterr().out == f"{expected}\n"
    for name in "ab":
        assert main(["extrapolate", str(tmp_path / f"{name}.npz"), *options]) == 0
        assert capsys.readouterr().out == f"{expected}\n"


def test_one_file_of_embeddings_is_split(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", embeddings=PROBES, labels=NAMES[OWNER])
    split = split_references(load_embeddings(tmp_path / "a.npz"))
    expected = cx.extrapolate(
        cx.correct_ranks_from_embeddings(split.test, split.references, split.labels), n_classes=[300]
    )
    np.savez(tmp_path / "a.npz", embeddings=PROBES, labels=NAMES[OWNER])
    for file, options in (
        (str(tmp_path / "a.npz"), []),
        (table(tmp_path / "a.csv", NAMES[OWNER], PROBES), ["--references"]),
    ):
        assert main(["extrapolate", file, "--to", "300", *options]) == 0
        captured = capsys.readouterr()
        assert captured.out == f"{expected}\n"
        assert (
            captured.err == f"classex: {file}: one row of each of the 12 classes, chosen at random, is its reference\n"
        )


def test_embeddings_that_do_not_go_together(tmp_path, capsys):
    test = table(tmp_path / "probes.csv", NAMES[OWNER], PROBES)
    few = table(tmp_path / "few.csv", NAMES[:5], GALLERY[:5])
    assert "labels must be among the 5 classes, but row 10 is 'person 5'" in fails(
        capsys, "extrapolate", test, "--references", few, "--to", "9"
    )
    narrow = table(tmp_path / "narrow.csv", NAMES, GALLERY[:, :7])
    assert "the same number of columns, but have 8 and 7" in fails(
        capsys, "extrapolate", test, "--references", narrow, "--to", "9"
    )
    np.savez(tmp_path / "a.npz", test=PROBES, references=GALLERY, labels=NAMES[OWNER])
    assert "'reference_labels' too, since its labels are names" in fails(
        capsys, "extrapolate", str(tmp_path / "a.npz"), "--to", "9"
    )
    assert "argument --compare: invalid choice" in fails(capsys, "extrapolate", test, "--compare", "dot", "--to", "9")
    assert "For embeddings see --references" in fails(capsys, "extrapolate", test, "--to", "9")


def test_a_published_curve(tmp_path, capsys):
    published = cx.Extrapolator().fit_curve([10, 100], [0.9, 0.7], 500)
    expected = f"{cx.extrapolate(published, n_classes=[1000])}\n"
    assert main(["extrapolate", "--curve", "10:.9", "1e2:0.7", "--points", "500", "--to", "1000"]) == 0
    assert capsys.readouterr().out == expected
    (tmp_path / "curve.csv").write_text("source;accuracy;n_classes\na;0,9;10\nb;0,7;100\n", encoding="utf-8")
    command = ["extrapolate", "--curve", str(tmp_path / "curve.csv"), "--to", "1000"]
    assert "--points N or a column standard_error must be given" in fails(capsys, *command)
    assert main([*command, "--points", "500", "--plot", str(tmp_path / "curve.svg")]) == 0
    assert capsys.readouterr().out == expected
    assert (tmp_path / "curve.svg").stat().st_size > 1000
    (tmp_path / "curve.csv").write_text("n_classes,accuracy,standard_error\n10,.9,.01\n100,.7,.02\n", encoding="utf-8")
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_points"] == 525
    assert found["file"] == str(tmp_path / "curve.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--curve", "10:.9", "100", "--points", "9"], "--curve must be a file, or pairs such as 100:0.7, not '100'"),
        (
            ["--curve", "10:.9", "100:.7"],
            "--points N or a column standard_error must be given",
        ),
        (["--curve", "10:.7", "100:.9", "--points", "900"], "the accuracy rises from 0.7 with 10 classes"),
        (["--curve", "10:90", "--points", "900"], "accuracy must be in [0, 1], not 90"),
        (
            ["--curve", "10:.9", "--points", "900", "--method", "regression"],
            "--curve needs the Gaussian process and average 'balanced', not --method regression",
        ),
        (["--curve", "10:.9", "--points", "900", "--target", "fresh"], "target must be 'average' with --curve"),
        (["--curve", "10:.9", "--points", "1", "--json", "--csv"], "not allowed with argument --json"),
        ([], "give a file of scores or embeddings, or --curve, not both"),
        (["--references", "a.csv"], "give a file of scores or embeddings, or --curve, not both"),
    ],
)
def test_bad_curves_get_one_line(options, message, capsys):
    assert message in fails(capsys, "extrapolate", *options, "--to", "1000")


@pytest.fixture
def scores(tmp_path):
    sample = cx.models.GaussianClasses(5, 0.3).sample(25, n_repeats=2, rng=0)
    np.savez(tmp_path / "scores.npz", scores=sample.scores, labels=sample.labels)
    return str(tmp_path / "scores.npz"), sample


def test_bounds_in_bits_and_in_every_form(scores, capsys):
    file, _ = scores
    shown = {}
    for options in ([], ["--bits"]):
        assert main(["bound", file, *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        shown[bool(options)] = next(line for line in lines if line.lstrip().startswith("mutual information"))
    nats, bits = (float(line.split()[4]) for line in shown.values())
    assert shown[True].split()[:4] == ["mutual", "information,", "in", "bits"]
    assert bits == pytest.approx(nats / np.log(2), abs=2e-4)
    assert main(["bound", file, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["information_bits"] == pytest.approx(found["information_nats"] / np.log(2))
    assert main(["bound", file, "--csv", "--bits"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert float(row["information_bits"]) == found["information_bits"]
    assert main(["bound", file, "--report"]) == 0
    assert f"average Bayes accuracy {found['average_bayes_accuracy']:.4f}" in capsys.readouterr().out


def test_the_other_commands_take_forms_too(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("y_true,y_pred\na,a\nb,b\na,b\nb,b\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("successes,trials\n3,10\n1,10\n", encoding="utf-8")
    (tmp_path / "c.csv").write_text("label,ann,bob\nann,.9,.2\nbob,.3,.8\nzoe,.4,.1\n", encoding="utf-8")
    commands = ["advantage", "a.csv"], ["pass-at-k", "b.csv", "--to", "1"], ["open-set", "c.csv", "--threshold", ".5"]
    for name, file, *more in commands:
        for form in ("csv", "markdown", "latex", "report"):
            assert main([name, str(tmp_path / file), *more, f"--{form}"]) == 0
            assert len(capsys.readouterr().out) > 40


def test_attempts_one_a_line(tmp_path, capsys):
    """HumanEval's results: a record of JSON for each attempt."""
    rows = [("HumanEval/10", True), ("HumanEval/2", False), ("HumanEval/10", False), ("HumanEval/2", False)]
    lines = [json.dumps({"task_id": task, "completion": "...", "passed": passed}) for task, passed in rows]
    (tmp_path / "samples.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert main(["pass-at-k", str(tmp_path / "samples.jsonl"), "--to", "1", "2"]) == 0
    assert capsys.readouterr().out == f"{cx.pass_at_k([1, 0], [2, 2], [1, 2])}\n"
    (tmp_path / "b.csv").write_text("task_id,passed\n1,maybe\n", encoding="utf-8")
    assert "passed must be true or false, pass or fail, C, I, P or N, or a number, not 'maybe'" in fails(
        capsys, "pass-at-k", str(tmp_path / "b.csv"), "--to", "1"
    )


def test_an_empty_prediction_is_no_label(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("y_true,y_pred\na,a\nb,\n", encoding="utf-8")
    assert "y_pred must not be empty, but is in row 2" in fails(capsys, "advantage", str(tmp_path / "a.csv"))


def test_notes_go_to_standard_error_and_to_the_log(tmp_path, capsys, caplog):
    file = tmp_path / "a.csv"
    file.write_text(",label,ant,bee\n0,ant,.9,.2\n1,bee,.3,.8\n2,bee,.4,.1\n", encoding="utf-8")
    why = "the first column has no name, so it is taken for the names of the rows"
    note = f"{file}: 3 test points; {why}; 2 classes"
    assert main(["extrapolate", str(file), "--to", "9"]) == 0
    assert capsys.readouterr().err == f"classex: {note}\n"
    cx.load_scores(file)
    assert capsys.readouterr().err == ""
    with caplog.at_level(logging.INFO, logger="classex"):
        cx.load_scores(file)
    assert caplog.messages[-1] == note
