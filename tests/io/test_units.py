"""A column of units in tables of scores and of ranks, and in archives."""

from __future__ import annotations

import json

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.io import load_ranks, load_scores

NAMES = [f"picture {i}" for i in range(12)]


@pytest.fixture
def study():
    """Scores, labels, and subjects that differ."""
    rng = np.random.default_rng(41)
    labels, subject = np.tile(np.arange(12), 5), np.repeat([f"s{i}" for i in range(5)], 12)
    strength = 1.5 + np.repeat(rng.normal(size=5), 12)
    return (rng.normal(size=(60, 12)) + strength[:, np.newaxis] * np.eye(12)[labels]).round(3), labels, subject


def write(path, rows):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def files(folder, study):
    """Write the same scores in a wide table, a long one, and an archive."""
    scores, labels, subject = study
    rows = zip(subject, labels, scores, strict=True)
    wide = [["Subject", "label", *NAMES], *([s, NAMES[y], *row] for s, y, row in rows)]
    long = [["trial", "subject", "label", "class", "score"]]
    for i, (s, y, row) in enumerate(zip(subject, labels, scores, strict=True)):
        long += [[f"t{i:02}", s, NAMES[y], name, one] for name, one in zip(NAMES, row, strict=True)]
    np.savez(folder / "a.npz", scores=scores, labels=labels, subject=subject)
    return [write(folder / "wide.csv", wide), write(folder / "long.csv", long), folder / "a.npz"]


def test_every_form_gives_the_same_scores_and_units(tmp_path, study):
    expected = cx.accuracy_curve(cx.correct_ranks(*study[:2]), units=study[2])
    for path in files(tmp_path, study):
        scores, labels, classes, units = load_scores(path, units="subject")
        ranks = cx.correct_ranks(scores, labels, classes=classes)
        np.testing.assert_array_equal(units, study[2])
        found = cx.accuracy_curve(ranks, units=units)
        np.testing.assert_allclose(found.standard_error, expected.standard_error, rtol=1e-12)


def test_the_command_gives_what_python_gives(tmp_path, study, capsys):
    expected = cx.extrapolate(*study[:2], n_classes=[12, 120], units=study[2])
    for path in files(tmp_path, study):
        assert main(["extrapolate", str(path), "--to", "12", "120", "--units", "subject", "--json"]) == 0
        np.testing.assert_allclose(json.loads(capsys.readouterr().out)["interval"], expected.interval)
    wins = cx.correct_ranks(*study[:2]).wins
    path = write(tmp_path / "r.csv", [["user", "rank"], *zip(study[2], 12 - wins, strict=True)])
    assert load_ranks(path).units is None
    assert load_ranks(path, units="user").units.tolist() == study[2].tolist()
    for how, n_wrong in (("--among", None), ("--negatives", 11)):
        options = [how, str(11 + (n_wrong is None)), "--to", "12", "120", "--units", "user", "--json"]
        assert main(["extrapolate", str(path), *options]) == 0
        ranks = cx.ranks_from_wins(wins, 12 if n_wrong is None else 120, n_wrong=n_wrong)
        expected = cx.extrapolate(ranks, n_classes=[12, 120], units=study[2])
        np.testing.assert_allclose(json.loads(capsys.readouterr().out)["interval"], expected.interval)


def test_what_cannot_have_units_refuses_them(tmp_path, study, capsys):
    wide, long, archive = map(str, files(tmp_path, study))
    curve = ["--curve", "10:.9", "100:.7", "--points", "100"]
    np.savez(tmp_path / "e.npz", embeddings=study[0], labels=study[1])
    write(tmp_path / "run.csv", [["query", "document", "score"], ["q", "d", 1]])
    for arguments, message in (
        ([wide], "column 'Subject' names no class, and its names repeat"),
        ([wide, "--units", "person"], "must have one column 'person'"),
        ([archive, "--units", "person"], "person"),
        ([*curve, "--units", "subject"], "--units does not go with --curve"),
        ([str(tmp_path / "e.npz"), "--units", "labels"], "--units goes with scores or ranks, not with embeddings"),
        ([wide, "--qrels", wide, "--corpus", "50", "--units", "subject"], "--units does not go with --qrels"),
    ):
        assert main(["extrapolate", *arguments, "--to", "100"]) == 2
        assert message in capsys.readouterr().err
    rows = [line.split(",") for line in (tmp_path / "long.csv").read_text(encoding="utf-8").splitlines()]
    rows[5][1] = "s4"
    with pytest.raises(ValueError, match="has another subject than its point"):
        load_scores(write(tmp_path / "mixed.csv", rows), units="subject")
    rows = [["subject", "label", "a", "b"], ["", "a", 2, 1], ["s1", "b", 1, 2]]
    with pytest.raises(ValueError, match="line 2 has no subject"):
        load_scores(write(tmp_path / "empty.csv", rows), units="subject")
    assert long
    assert main(["bound", wide]) == 2  # bounds take no units
    assert "--units Subject, or --drop Subject" in capsys.readouterr().err
