"""``classex bound``: the same numbers as the functions, one line about bad input."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import classex as cx
from classex.cli import main


def run(capsys, *arguments):
    status = main(["bound", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(30), 4)
    return rng.standard_normal((120, 30)) + 4 * (labels[:, None] == np.arange(30)), labels


def test_from_accuracy_and_counts(capsys):
    status, out, err = run(capsys, "--accuracy", "0.9", "--classes", "200", "--repeats", "50", "--json")
    result = json.loads(out)
    assert (status, err) == (0, "")
    assert result["average_bayes_accuracy"] == pytest.approx(0.813147, abs=5e-7)
    assert result["n_test_points"] == 10_000
    given = cx.bayes.generalisation_accuracy_bound(0.9, n_classes=200, n_repeats=50)
    assert result["generalisation_accuracy"] == result["bayes_accuracy"] == given
    assert result["information_nats"] == pytest.approx(
        cx.information_bound(result["average_bayes_accuracy"], 200), rel=1e-12
    )


def test_from_a_score_file(capsys, tmp_path, scores):
    np.savez(tmp_path / "scores.npz", scores=scores[0], labels=scores[1])
    status, out, _ = run(capsys, str(tmp_path / "scores.npz"), "--json", "--classifiers", "5", "--method", "chernoff")
    result = json.loads(out)
    accuracy = (scores[0].argmax(axis=1) == scores[1]).mean()
    assert status == 0
    assert result["accuracy"] == pytest.approx(accuracy)
    assert result["average_bayes_accuracy"] == pytest.approx(
        cx.average_bayes_accuracy_bound(accuracy, n_classes=30, n_repeats=4, n_classifiers=5, method="chernoff")
    )
    assert result["method"]["generalisation_accuracy"] == "clopper-pearson"


@pytest.mark.parametrize("spoil", ["uneven", "tied"])
def test_answers_that_cannot_be_counted_fall_back_to_hoeffding(capsys, tmp_path, scores, spoil):
    matrix, labels = scores
    if spoil == "uneven":
        matrix, labels = matrix[:-1], labels[:-1]
    else:
        matrix[0] = 1.0
    np.savez(tmp_path / "scores.npz", scores=matrix, labels=labels)
    result = json.loads(run(capsys, str(tmp_path / "scores.npz"), "--json")[1])
    assert result["method"]["generalisation_accuracy"] == "hoeffding"
    assert result["generalisation_accuracy"] == pytest.approx(
        cx.bayes.generalisation_accuracy_bound(
            result["accuracy"], n_classes=30, n_repeats=np.bincount(labels), method="hoeffding"
        )
    )


def test_a_curve_gives_the_bound_of_all_its_accuracies(capsys, tmp_path):
    curve = ("--accuracy", "0.93", "0.42", "0.71", "--classes", "6", "300", "60", "--repeats", "10")
    result = json.loads(run(capsys, *curve, "--method", "chernoff", "--json")[1])
    assert (result["accuracy"], result["n_classes"], result["information_from"]) == (0.42, 300, [300, 60, 6])
    single = [
        cx.information_bound(
            cx.average_bayes_accuracy_bound(a, n_classes=300, n_repeats=10, n_classifiers=3, method="chernoff"), k
        )
        for a, k in ((0.93, 6), (0.42, 300), (0.71, 60))
    ]
    assert result["information_nats"] > max(single) + 0.1
    assert "from tasks of 300, 60 and 6 classes together" in run(capsys, *curve)[1]
    # a score file gives its own curve, and the same bound as the function
    sample = cx.models.GaussianSequence(n_features=100, signal=5.0).sample(60, n_repeats=4, rng=1)
    np.savez(tmp_path / "scores.npz", scores=sample.scores, labels=sample.labels)
    found = json.loads(run(capsys, str(tmp_path / "scores.npz"), "--method", "chernoff", "--json")[1])
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    assert found["information_nats"] == pytest.approx(cx.information_confidence_bound(ranks).information, rel=1e-9)
    # methods without a joint set use all classes alone
    split = json.loads(run(capsys, *curve, "--method", "split", "--json")[1])
    assert split["information_from"] == [300]


def test_bound_and_restate_say_what_they_assume_of_the_same_report(capsys):
    _, out, _ = run(capsys, "--accuracy", "0.887", "--classes", "4", "--repeats", "3500", "--bits")
    assert "the last two for a random sample of classes" in out
    assert re.search(r"mutual information, in bits +0\.0055  \(from tasks of 4 classes\)", out)
    assert main(["restate", "4:1:.887:.0027", "--to", "10"]) == 0
    restated = capsys.readouterr().out
    assert "3.088 bits)" in restated
    assert "if all points share one set, others may be much harder, and `classex bound` gives far less" in restated
    assert "if each has 4 of its own, as in multiple choice, see classex restate" in out
    assert "with several subjects, they are about these subjects only" in out


def test_distinct_classes_of_a_population(capsys):
    """Where every class is tested the information is that of Fano's inequality at the limit for these classes."""
    all_four = ("--accuracy", ".938", "--classes", "4", "--repeats", "20", "--population", "4")
    found = json.loads(run(capsys, *all_four, "--json")[1])
    assert found["average_bayes_accuracy"] == found["bayes_accuracy"]
    assert found["information_nats"] == pytest.approx(cx.fano_bound(found["bayes_accuracy"], 4), rel=1e-9)
    assert "a random sample of classes out of 4:" in run(capsys, *all_four)[1]
    some = ("--accuracy", ".938", "--classes", "4", "--repeats", "20", "--population", "6")
    bound = cx.average_bayes_accuracy_bound(0.938, n_classes=4, n_repeats=20, population_size=6)
    nats = json.loads(run(capsys, *some, "--json")[1])["information_nats"]
    assert nats == pytest.approx(cx.information_bound(bound, 4, population_size=6))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--accuracy", ".9", ".8", "--classes", "20", "--repeats", "5"),
            "--classes must be one number for each accuracy, each once, not [20.0]",
        ),
        (("--accuracy", "1.9", "--classes", "20", "--repeats", "5"), "accuracy must be a number in [0, 1], not 1.9"),
        (
            ("--accuracy", "high", "--classes", "20", "--repeats", "5"),
            "--accuracy: must be a number such as .9 or 90%, not 'high'",
        ),
        (("--accuracy", ".9", "--classes", "2.5", "--repeats", "5"), "--classes must be an integer of at least 2"),
        (("--accuracy", ".9", "--classes", "nan", "--repeats", "5"), "--classes must be an integer of at least 2"),
        (("--accuracy", ".9", "--classes", "20"), "missing: --repeats"),
        (("scores.npz", "--classes", "20"), "a score file determines --classes"),
        (("none.npz",), "No such file or directory"),
        (
            ("--accuracy", ".9", "--classes", "20", "--repeats", "5", "--confidence-level", "1"),
            "--confidence-level must be",
        ),
        (
            ("--accuracy", ".9", "--classes", "20", "--repeats", "5", "--method", "x"),
            "--method: invalid choice: 'x'",
        ),
    ],
)
def test_bad_input_gets_one_line(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("classex bound: ")
    assert message in err
    assert err.count("\n") == 1
