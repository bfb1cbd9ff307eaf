"""``classex advantage`` from the command line's point of view."""

import json

import numpy as np
import pytest

from classex.advantage import prediction_advantage, prediction_advantage_interval
from classex.cli import main


def write(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def labelled(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    f = np.where(rng.random(120) < 0.8, y, rng.integers(0, 3, 120))
    return y, f, write(tmp_path / "labels.csv", "y_true,y_pred", zip(y, f, strict=True))


def as_json(capsys, *arguments):
    assert main(["advantage", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_zero_one(labelled, capsys):
    y, f, path = labelled
    result = as_json(capsys, path)
    interval = prediction_advantage_interval(y, f)
    assert result["prediction_advantage"] == pytest.approx(interval.value)
    assert (result["low"], result["high"]) == pytest.approx((interval.low, interval.high))
    assert result["risk"] == pytest.approx((y != f).mean())
    assert result["marginal_risk"] == pytest.approx(1 - np.bincount(y).max() / 120)
    assert result["n_rows"] == 120
    assert main(["advantage", path]) == 0
    text = capsys.readouterr().out
    assert text.startswith(
        f"prediction advantage {interval.value:.4f} ({interval.low:.4f} to {interval.high:.4f}; 95 %"
    )
    assert "best constant" in text


def test_bootstrap_with_seed_and_level(labelled, capsys):
    y, f, path = labelled
    options = ["--method", "bootstrap", "--resamples", "300", "--seed", "4", "--confidence-level", "0.9"]
    result = as_json(capsys, path, *options)
    expected = prediction_advantage_interval(y, f, method="bootstrap", n_resamples=300, rng=4, confidence_level=0.9)
    assert result["low"] == pytest.approx(expected.low)
    assert result["method"] == "bootstrap"


def test_words_and_weights(tmp_path, capsys):
    path = write(
        tmp_path / "w.csv",
        "weight,y_true,y_pred",
        [(2, "cat", "cat"), (1, "dog", "cat"), (1, "dog", "dog"), (1, "cat", "cat")],
    )
    result = as_json(capsys, path)
    expected = prediction_advantage(
        ["cat", "dog", "dog", "cat"], ["cat", "cat", "dog", "cat"], sample_weight=[2, 1, 1, 1]
    )
    assert result["prediction_advantage"] == pytest.approx(expected)
    assert result["marginal_prediction"] == "cat"


def test_cross_entropy_columns_are_named_after_labels(tmp_path, capsys):
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 3, 50), rng.dirichlet(np.ones(3), 50)
    order = [2, 0, 1]
    names = np.array(["ka", "kha", "ga"])
    rows = [(names[label], *row) for label, row in zip(y, p[:, order], strict=True)]
    path = write(tmp_path / "p.csv", "y_true," + ",".join(names[order]), rows)
    result = as_json(capsys, path, "--loss", "cross_entropy")
    expected = prediction_advantage(y, p, loss="cross_entropy")
    assert result["prediction_advantage"] == pytest.approx(expected)
    np.testing.assert_allclose(result["marginal_prediction"], (np.bincount(y) / 50)[order])
    assert main(["advantage", path, "--loss", "cross_entropy"]) == 0
    assert "best constant: 0." in capsys.readouterr().out


@pytest.mark.parametrize("loss", ["squared", "absolute", "pinball"])
def test_numbers(loss, tmp_path, capsys):
    rng = np.random.default_rng(1)
    y = rng.normal(size=60)
    f = y + rng.normal(size=60) / 2
    path = write(tmp_path / "r.csv", "y_true,y_pred", zip(y, f, strict=True))
    quantile = ["--quantile", "0.3"] if loss == "pinball" else []
    options = {"quantile": 0.3} if loss == "pinball" else {}
    result = as_json(capsys, path, "--loss", loss, *quantile)
    assert result["prediction_advantage"] == pytest.approx(prediction_advantage(y, f, loss=loss, **options))


def test_cost_matrix_from_a_file(tmp_path, capsys):
    path = write(
        tmp_path / "c.csv", "y_true,y_pred", [("ill", "well"), ("well", "well"), ("well", "ill"), ("ill", "ill")]
    )
    cost = write(tmp_path / "cost.csv", "true,well,ill", [("ill", 10, 0), ("well", 0, 1)])
    result = as_json(capsys, path, "--cost", cost)
    assert result["prediction_advantage"] == pytest.approx(1 - 11 / 2)
    assert result["loss"] == "cost matrix"
    assert result["marginal_prediction"] == "ill"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("y_true,y_pred\n1,1\n1,0\n", [], "the marginal risk is 0"),
        ("y_true\n1\n", [], "must have one column 'y_pred'"),
        ("", [], "is empty; it must have a header with a column 'y_true'"),
        ("y_true,y_pred\n", [], "has a header but no rows"),
        ("y_true,y_pred\n1\n", [], "entries in each row, as in its header"),
        ("y_true,y_pred\n1,x\n2,3\n", ["--loss", "squared"], "line 2, column 'y_pred': 'x' is not a number"),
        ("y_true,y_pred\n1,2\n2,3\n", ["--loss", "hinge"], "argument --loss: invalid choice: 'hinge'"),
        (
            "y_true,y_pred\n1,2\n2,3\n",
            ["--confidence-level", "high"],
            "argument --confidence-level: must be a number such as .9 or 90%, not 'high'",
        ),
        ("y_true,y_pred\n1,2\n2,3\n", ["--confidence-level", "2"], "--confidence-level must be"),
        ("y_true,y_pred\n1,2\n2,3\n", ["--seed", "1.5"], "argument --seed: must be numbers"),
        ("y_true,y_pred\n1,2\n2,3\n", ["--quantile", "0.2"], "quantile goes with --loss pinball"),
        ("y_true,y_pred\n1,2\n2,3\n", ["--loss", "zero_one", "--cost", "c.csv"], "give --loss or --cost, not both"),
        ("y_true,p\n1,2\n", ["--loss", "cross_entropy"], "must have a column of probabilities for each class"),
        ("y_true,1,2\n1,0.5,0.4\n2,0.5,0.5\n", ["--loss", "cross_entropy"], "row 0 sums to 0.9"),
        ("y_true,y_pred,weight\n1,2,-1\n2,3,1\n", [], "sample_weight must not be negative"),
    ],
)
def test_bad_input_is_one_line_and_exit_two(text, options, message, tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    assert main(["advantage", str(path), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("classex advantage: ")
    assert error.count("\n") == 1


def test_missing_file_and_bad_cost_file(tmp_path, capsys, labelled):
    assert main(["advantage", str(tmp_path / "none.csv")]) == 2
    assert "No such file" in capsys.readouterr().err
    cost = write(tmp_path / "cost.csv", "true,0,1", [(0, 0, 1)])
    assert main(["advantage", labelled[2], "--cost", cost]) == 2
    assert "must have one line for each of the labels 0, 1" in capsys.readouterr().err
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    assert main(["advantage", labelled[2], "--cost", str(tmp_path / "empty.csv")]) == 2
    assert "is empty; it must have a header" in capsys.readouterr().err


def test_pickles_are_not_read(tmp_path, capsys):
    path = tmp_path / "evil.csv"
    np.array([{"y_true": 1}], dtype=object).dump(path)
    assert main(["advantage", str(path)]) == 2
    assert "not a text file" in capsys.readouterr().err
