"""What a row is: columns of no class, empty outcomes, scales, headers, names on frames, files as they lie."""

from __future__ import annotations

import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest

import classex as cx
from classex.cli import main
from classex.io import load_attempts, load_cells, load_curve, load_scores, load_searches, look
from tests.io.writers import save

RNG = np.random.default_rng(64)
NAMES = [f"class {i}" for i in range(30)]
# 8 people see 30 pictures twice
WHO, WHAT = np.repeat(np.arange(8), 60), np.tile(np.arange(30), 16)
SCORES = -(((RNG.normal(size=(480, 4)) * 0.8 + (CENTRES := RNG.normal(size=(30, 4)))[WHAT])[:, None] - CENTRES) ** 2)
SCORES = SCORES.sum(axis=2)
PROBABILITIES = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)

IDENTIFIERS = """
    participant_id subject_id sub subj ses session trial_id trial epoch speaker user_id user id index run block fold row
    sample_id image_id stimulus_order repetition item no. nr person patient worker site cohort
""".split()  # noqa: SIM905
MEASUREMENTS = {
    "age": lambda: np.repeat(RNG.integers(18, 80, 8), 60),
    "entropy": lambda: -(PROBABILITIES * np.log(PROBABILITIES)).sum(axis=1),
    "confidence": lambda: PROBABILITIES.max(axis=1),
    "loss": lambda: -np.log(PROBABILITIES[np.arange(480), WHAT]),
    "timestamp": lambda: 1.7e9 + np.cumsum(RNG.exponential(3, 480)),
    "rt": lambda: RNG.lognormal(6, 0.3, 480),
    "temperature": lambda: RNG.choice([0.2, 0.7, 1.0], 480),
    "luminance": lambda: RNG.uniform(80, 120, 480),
    "margin": lambda: np.diff(np.sort(PROBABILITIES, axis=1)[:, -2:], axis=1)[:, 0],
    "predicted": lambda: SCORES.argmax(axis=1),
}


def written(folder, scores, name, column):
    frame = pd.DataFrame(scores.round(6), columns=NAMES)
    frame.insert(0, "label", [NAMES[i] for i in WHAT])
    frame[name] = column
    path = folder / "scores.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_no_identifier_competes_as_a_class(tmp_path, name):
    path = written(tmp_path, SCORES, name, WHO + 1)
    with pytest.raises(ValueError, match=f"column '{name}' holds whole numbers, and no label names it: drop='{name}'"):
        load_scores(path)
    assert load_scores(path, drop=name).scores.shape == (480, 30)
    found = load_scores(path, units=name)
    assert (found.scores.shape, len(set(found.units.tolist()))) == ((480, 30), 8)
    assert load_scores(path, classes="all").scores.shape == (480, 31)
    assert load_scores(path, classes=NAMES).classes == NAMES


@pytest.mark.parametrize("kind", ["distances", "probabilities"])
@pytest.mark.parametrize("name", MEASUREMENTS)
def test_no_measurement_competes_as_a_class(tmp_path, capsys, name, kind):
    path = written(tmp_path, SCORES if kind == "distances" else PROBABILITIES, name, MEASUREMENTS[name]())
    for command in (["extrapolate", "--to", "300"], ["bound"]):
        assert main([command[0], str(path), *command[1:]]) == 2
        assert f"column '{name}'" in capsys.readouterr().err
    frame = pd.read_csv(path)
    with pytest.raises(ValueError, match=f"column '{name}' .* leave it out, or give all as classes="):
        cx.correct_ranks(frame.drop(columns="label"), frame["label"])
    strangers = frame.assign(label=[f"stranger {i}" if i % 5 == 0 else one for i, one in enumerate(frame["label"])])
    strangers.to_csv(path, index=False)
    with pytest.raises(ValueError, match=f"column '{name}'"):
        load_searches(path)
    assert load_searches(path, drop=name).scores.shape == (384, 30)
    np.savez(
        tmp_path / "a.npz",
        scores=frame[[*NAMES, name]].to_numpy(),
        labels=np.array(frame["label"].tolist()),
        classes=[*NAMES, name],
    )
    with pytest.raises(ValueError, match=f"column '{name}'"):
        load_scores(tmp_path / "a.npz")


def test_a_distractor_competes_and_is_named_aloud(tmp_path, caplog):
    path = written(tmp_path, SCORES, "class 30", -((RNG.normal(size=(480, 4)) * 1.3) ** 2).sum(axis=1))
    with caplog.at_level("INFO"):
        assert load_scores(path).scores.shape == (480, 31)
    assert (
        "480 test points; 31 classes, 1 of 31 columns compete although no label names them ('class 30')" in caplog.text
    )


def test_a_class_that_is_hardly_ever_likely_is_a_class(tmp_path):
    rare = np.column_stack([PROBABILITIES, RNG.uniform(0, 1e-3, 480)])
    path = written(
        tmp_path, (rare / rare.sum(axis=1, keepdims=True))[:, :30], "class 30", rare[:, 30] / rare.sum(axis=1)
    )
    assert load_scores(path).scores.shape == (480, 31)


def test_most_classes_without_test_points_are_classes(tmp_path):
    """Three labels of 30: nothing is refused but whole numbers."""
    frame = pd.DataFrame(SCORES[:30], columns=NAMES)
    frame.insert(0, "label", [NAMES[i % 3] for i in range(30)])
    frame.to_csv(tmp_path / "s.csv", index=False)
    assert load_scores(tmp_path / "s.csv").scores.shape == (30, 30)
    frame["run"] = np.arange(30) % 4
    frame.to_csv(tmp_path / "s.csv", index=False)
    with pytest.raises(ValueError, match="'run' holds whole numbers"):
        load_scores(tmp_path / "s.csv")


def test_texts_are_left_out_aloud_unless_they_repeat(tmp_path, caplog):
    path = written(tmp_path, SCORES, "file", [f"{i}.png" for i in range(480)])
    with caplog.at_level("INFO"):
        assert load_scores(path).scores.shape == (480, 30)
    assert "column 'file' names no class and holds no numbers: left out" in caplog.text
    path = written(tmp_path, SCORES, "sub", [f"sub-{i:02}" for i in WHO])
    with pytest.raises(ValueError, match=r"its names repeat: .* units='sub' \(--units sub\), or drop="):
        load_scores(path)
    caplog.clear()
    with caplog.at_level("INFO"):
        load_scores(path, units="sub")
    assert "480 test points of 8 units (sub); 30 classes" in caplog.text


def test_accuracy_below_chance_warns():
    ranks = np.zeros((480, 30))
    ranks[:, -1] = 1
    with pytest.warns(UserWarning, match="the accuracy with 30 classes is 0, less than the 0.0333 of guessing"):
        cx.correct_ranks(np.where(np.arange(30) == 29, 9.0, SCORES), WHAT % 29)


# --- outcomes ---------------------------------------------------------------------------------------------------------


def log(folder, outcomes, trials=4):
    rows = [f"{i // trials},{one}" for i, one in enumerate(outcomes)]
    return save(folder, "log.csv", "task_id,passed\n" + "\n".join(rows) + "\n")


def test_empty_outcomes_are_counted_and_both_rates_printed(tmp_path, caplog):
    outcomes = ["1", "", "0", "1"] * 10
    with caplog.at_level("INFO"):
        found = load_attempts(log(tmp_path, outcomes))
    said = (
        "10 of 40 outcomes are empty, left out (empty='fail', --empty fail, counts them as failures): 0.5 of all, 0.667"
    )
    assert said in caplog.text
    assert (found.successes.sum(), found.trials.sum()) == (20, 30)
    found = load_attempts(log(tmp_path, outcomes), empty="fail")
    assert (found.successes.sum(), found.trials.sum()) == (20, 40)
    with pytest.raises(ValueError, match="empty must be one of 'drop', 'fail'"):
        load_attempts(log(tmp_path, outcomes), empty="x")
    matrix = save(tmp_path, "m.csv", "a,b\n1,\n0,1\n")
    assert load_attempts(matrix).trials.tolist() == [1, 2]
    assert load_attempts(matrix, empty="fail").trials.tolist() == [2, 2]


def test_failures_without_outcome_are_refused_where_trials_depend_on_success():
    chance = RNG.beta(0.6, 0.9, 164)
    won = RNG.random((164, 20)) < chance[:, np.newaxis]
    missing = ~won & (RNG.random((164, 20)) < 0.3)
    with pytest.raises(ValueError, match="trials depend on the successes"):
        cx.pass_at_k(won.sum(axis=1), 20 - missing.sum(axis=1), 1)
    cx.pass_at_k(won.sum(axis=1), 20 - missing.sum(axis=1), 1, stopped=False)
    anywhere = RNG.random((164, 20)) < 0.2
    cx.pass_at_k((won & ~anywhere).sum(axis=1), 20 - anywhere.sum(axis=1), 1)


@pytest.mark.parametrize(("most", "scale"), [(8, "0 to 10"), (75, "0 to 100"), (450, "beyond 100")])
def test_outcomes_on_another_scale_need_a_threshold(tmp_path, most, scale):
    path = save(tmp_path, "s.csv", f"task_id,score\na,{most}\na,3\nb,5\nb,7\n")
    with pytest.raises(ValueError, match=rf"go up to {most}, a scale .*{scale}.*\(--threshold SCORE"):
        load_attempts(path)
    assert load_attempts(path, threshold=5).successes.tolist() == [1, 2]
    matrix = save(tmp_path, "m.csv", f"a,b\n{most},3\n5,7\n")
    with pytest.raises(ValueError, match="outcomes go up to"):
        load_attempts(matrix)
    assert load_attempts(matrix, threshold=5).successes.tolist() == [1, 2]


def test_words_of_success_can_be_named(tmp_path):
    path = save(tmp_path, "w.csv", "task_id,verdict\na,AC\na,WA\nb,TLE\nb,AC\n")
    assert load_attempts(path, outcome="verdict", success="AC").successes.tolist() == [1, 1]
    with pytest.raises(ValueError, match="must be true or false"):
        load_attempts(path, outcome="verdict")


def test_a_mean_over_attempts_is_no_outcome(tmp_path):
    path = save(tmp_path, "l.json", json.dumps([{"question_id": "q", "graded_list": [True, False], "pass@1": 0.5}]))
    assert load_attempts(path).trials.tolist() == [2]
    with pytest.raises(ValueError, match="a mean over attempts"):
        load_attempts(path, outcome="pass@1")


def test_instances_never_submitted_are_counted_aloud(tmp_path, caplog):
    names = [f"i{n}" for n in range(50)]
    path = save(
        tmp_path, "r.json", json.dumps({"total_instances": 500, "submitted_ids": names, "resolved_ids": names[:20]})
    )
    with caplog.at_level("INFO"):
        assert load_attempts(path).trials.size == 500
    said = "450 of 500 instances were never submitted and count as failures"
    assert said in caplog.text
    assert "0.04 of all, 0.4 of those submitted are resolved" in caplog.text
    found = load_attempts(path, empty="drop")
    assert (found.successes.sum(), found.trials.size) == (20, 50)


def test_one_file_an_attempt(tmp_path):
    files = []
    for seed in range(3):
        rows = [f'{{"task_id": {i}, "passed": {str((i + seed) % 3 == 0).lower()}}}' for i in range(6)]
        files.append(save(tmp_path, f"output-rs{seed}.jsonl", "\n".join(rows) + "\n"))
    found = load_attempts(files)
    assert (found.successes.tolist(), found.trials.tolist()) == ([1] * 6, [3] * 6)
    other = save(tmp_path, "counts.csv", "problem,successes,trials\na,1,2\n")
    with pytest.raises(ValueError, match="files of attempts must have one format"):
        load_attempts([files[0], other])


def test_a_condition_within_every_problem_is_named(tmp_path):
    rows = [f"{p},{t},{int((p + r) % 2)}" for p in range(5) for t in (0.2, 0.8) for r in range(3)]
    path = save(tmp_path, "t.csv", "task_id,temperature,passed\n" + "\n".join(rows) + "\n")
    with pytest.warns(UserWarning, match=r"'temperature' has 2 values within every problem.*--by temperature"):
        load_attempts(path)
    assert sorted(load_attempts(path, by="temperature")) == ["0.2", "0.8"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_attempts(save(tmp_path, "s.csv", path.read_text("utf-8").replace("temperature", "seed")), by="seed")


# --- tables -----------------------------------------------------------------------------------------------------------


def test_a_file_without_a_header_is_refused(tmp_path):
    np.savetxt(tmp_path / "m.csv", RNG.random((20, 5)) < 0.44, fmt="%d", delimiter=",")
    with pytest.raises(ValueError, match="the first line must name the columns"):
        load_attempts(tmp_path / "m.csv")
    people = save(tmp_path, "p.csv", "34,f,10115\n35,m,10115\n34,f,10115\n")
    with pytest.raises(ValueError, match="the first line must name the columns, but names one '34'"):
        load_cells(people)
    numbered = save(tmp_path, "n.csv", "0,1,2\n1,0,1\n0,0,1\n")
    assert load_attempts(numbered).trials.tolist() == [3, 3]


def test_cells_are_counted_and_people_are_people(tmp_path, caplog):
    people = pd.DataFrame({"zip": RNG.integers(0, 40, 300), "sex": RNG.choice(["f", "m"], 300)})
    people.to_csv(tmp_path / "people.csv", index=False)
    sizes = load_cells(tmp_path / "people.csv")
    assert sizes.tolist() == sorted(people.groupby(["zip", "sex"]).size())
    cells = people.groupby(["zip", "sex"]).size()
    cells.reset_index(name="n").to_csv(tmp_path / "cells.csv", index=False)
    with caplog.at_level("INFO"):
        assert load_cells(tmp_path / "cells.csv").tolist() == sizes.tolist()
    assert f"300 people in {len(cells)} rows, whose numbers are in column 'n', in {len(cells)} cells" in caplog.text
    cells.reset_index(name="how many").to_csv(tmp_path / "cells.csv", index=False)
    with pytest.raises(ValueError, match=r"differ in zip, sex: if a row is a cell, .*\(--count NAME\); if"):
        load_cells(tmp_path / "cells.csv", ["zip", "sex"])
    assert load_cells(tmp_path / "cells.csv", ["zip", "sex"], count="how many").tolist() == sizes.tolist()
    assert load_cells(tmp_path / "cells.csv", ["zip", "sex"], count=1).tolist() == [1] * len(cells)


def test_people_of_households(tmp_path, capsys):
    home = np.repeat(np.arange(200), 3)
    people = pd.DataFrame({"town": (home % 40), "age": RNG.integers(0, 9, 600), "home": home})
    people.to_csv(tmp_path / "people.csv", index=False)
    cell, cluster = load_cells(tmp_path / "people.csv", ["town", "age"], clusters="home")
    assert len({*zip(cluster.tolist(), home.tolist(), strict=True)}) == 200
    pairs = people.groupby(["town", "age"]).ngroup().to_numpy()
    assert len({*zip(cell.tolist(), pairs.tolist(), strict=True)}) == len(set(pairs.tolist()))
    call = ["unique", str(tmp_path / "people.csv"), "--columns", "town", "age", "--clusters", "home", "--to", "5000"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(call) == 0
        found = cx.reidentification.population_risk(cell, n_people=5000, clusters=cluster)
    assert capsys.readouterr().out == f"{found}\n"


@pytest.mark.parametrize("header", ["k,acc", "classes,accuracy", "N,top1", "n_classes,Accuracy", "num_classes,top-1"])
@pytest.mark.parametrize("values", [("0.9", "0.7"), ("90%", "70%")])
def test_published_curves_as_they_are_written(tmp_path, header, values):
    found = load_curve(save(tmp_path, "c.csv", f"{header}\n10,{values[0]}\n100,{values[1]}\n"))
    assert found["n_classes"].tolist() == [10, 100]
    assert found["accuracy"] == pytest.approx([0.9, 0.7], abs=1e-15)


def test_what_a_published_curve_lacks_is_said_at_once(tmp_path):
    with pytest.raises(ValueError, match=r"one column 'n_classes' .* and one column 'accuracy'"):
        load_curve(save(tmp_path, "c.csv", "a,b\n1,2\n"))
    with pytest.raises(ValueError, match=r"accuracies go up to 90: write shares, or 91% for \.91"):
        load_curve(save(tmp_path, "c.csv", "k,acc\n10,90\n100,70\n"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x80\x04\x95", "it is a pickle, which could run code"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "it is a PDF; export the table as text"),
        (b"\x28\xb5\x2f\xfd\x04\xff", "packed by zstandard; unpack it"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old workbook of Excel; save it as"),
        (b"SQLite format 3\x00\xff\xfe", "a database of SQLite"),
        (b"\xff\x00\x01\x02", "begins with"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_first_bytes(tmp_path, data, message):
    path = tmp_path / "file"
    path.write_bytes(data)
    for read in (load_scores, load_attempts, load_cells, load_curve):
        with pytest.raises(ValueError, match=message):
            read(path)


def test_labels_as_rows_with_a_one(tmp_path):
    scores = RNG.normal(size=(6, 3))
    np.savez(tmp_path / "a.npz", scores=scores, labels=np.eye(3)[[0, 1, 2, 0, 1, 2]])
    assert load_scores(tmp_path / "a.npz").labels.tolist() == [0, 1, 2, 0, 1, 2]
    np.save(tmp_path / "b.npy", scores)
    with pytest.raises(ValueError, match=r"but holds array: a \.npy file holds one array"):
        load_scores(tmp_path / "b.npy")


def test_the_label_may_have_another_name(tmp_path):
    path = save(tmp_path, "s.csv", "truth,a,b\na,.7,.3\nb,.4,.6\n")
    assert load_scores(path, label="truth").labels.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="must have a column 'x'"):
        load_scores(path, label="truth", drop="x")


# --- frames -----------------------------------------------------------------------------------------------------------


def test_names_on_frames_are_used():
    y, p = list("bbbbcccc"), list("aabbbbbb")
    found = cx.advantage.confusion_measures(pd.crosstab(pd.Series(y), pd.Series(p)))
    assert (found.accuracy, found.kappa) == (pytest.approx(0.25), pytest.approx(-0.2))
    frame = pd.DataFrame([[0.8, 0.2], [0.4, 0.6], [0.3, 0.7]], columns=["a", "b"])
    y = ["a", "b", "b"]
    right = cx.prediction_advantage(y, frame.to_numpy(), loss="cross_entropy")
    assert cx.prediction_advantage(y, frame, loss="cross_entropy") == right
    assert cx.prediction_advantage(y, frame[["b", "a"]], loss="cross_entropy") == right
    with pytest.raises(ValueError, match="y_pred has columns b, c, which are not a, b"):
        cx.prediction_advantage(y, frame.set_axis(["b", "c"], axis=1), loss="cross_entropy")
    cost = pd.DataFrame([[0, 1.0], [5, 0]], index=["b", "a"], columns=["b", "a"])
    given = cx.prediction_advantage(y, ["a", "b", "a"], loss=[[0, 5], [1, 0]])
    assert cx.prediction_advantage(y, ["a", "b", "a"], loss=cost) == given


def test_names_on_frames_of_relevance_and_of_features():
    scores = pd.DataFrame(RNG.normal(size=(5, 8)), index=list("vwxyz"), columns=list("abcdefgh"))
    relevant = (pd.DataFrame(RNG.random((5, 8)), index=scores.index, columns=scores.columns) < 0.3).astype(int)
    right = cx.retrieval.relevant_ranks(scores.to_numpy(), relevant.to_numpy())
    mixed = cx.retrieval.relevant_ranks(scores, relevant.loc[list("zyxwv"), list("hgfedcba")])
    assert mixed.losses.tolist() == right.losses.tolist()
    test = pd.DataFrame(RNG.normal(size=(6, 3)), columns=["x", "y", "z"])
    references = pd.DataFrame(RNG.normal(size=(6, 3)), columns=["x", "y", "z"])
    wins = cx.correct_ranks_from_embeddings(test, references, np.arange(6)).wins
    other = cx.correct_ranks_from_embeddings(test, references[["z", "x", "y"]], np.arange(6)).wins
    assert other.tolist() == wins.tolist()
    with pytest.raises(ValueError, match="references has columns x, y, w, which are not x, y, z"):
        cx.correct_ranks_from_embeddings(test, references.set_axis(["x", "y", "w"], axis=1), np.arange(6))


def test_a_level_of_relevance(tmp_path, capsys):
    run = {"q": {"a": 0.9, "b": 0.8, "c": 0.7}}
    judged = {"q": {"a": 1, "b": 2, "c": 3}}
    found = cx.retrieval.relevant_ranks(run, judged, n_items=100, relevant_from=2)
    assert (found.losses.tolist(), found.gain.tolist()) == ([1, 1], [2, 3])
    arrays = cx.retrieval.relevant_ranks([[0.9, 0.8, 0.7]], [[1, 2, 3]], relevant_from=2)
    assert arrays.gain.tolist() == [2, 3]
    queries = range(30)
    lists = save(tmp_path, "run.txt", "".join(f"q{i} Q0 {d} 1 {s} x\n" for i in queries for d, s in run["q"].items()))
    qrels = save(tmp_path, "qrels.txt", "".join(f"q{i} 0 {d} {g}\n" for i in queries for d, g in judged["q"].items()))
    call = ["extrapolate", str(lists), "--qrels", str(qrels), "--corpus", "50", "--to", "50", "--csv", "--metric"]
    values = []
    for metric in ("recall(rel=2)@2", "R@2(rel=3)", "recall@2"):
        assert main([*call, metric]) == 0
        values.append(float(capsys.readouterr().out.splitlines()[1].split(",")[1]))
    assert values == pytest.approx([1 / 2, 0, 2 / 3])


def test_results_say_what_their_file_holds(tmp_path, capsys):
    path = written(tmp_path, SCORES, "file", [f"{i}.png" for i in range(480)])
    found = cx.extrapolate(path, n_classes=[100])
    said = f"{path}: 480 test points; column 'file' names no class and holds no numbers: left out; 30 classes"
    assert found.to_dict()["data"] == said
    assert f"Data: {said}. Computed with" in found.report()
    assert main(["extrapolate", str(path), "--to", "100", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["data"] == said
    assert printed.err == f"classex: {said}\n"
    assert main(["extrapolate", str(path), "--to", "100", "--report"]) == 0
    assert f"Data: {said}." in capsys.readouterr().out
    assert "data" not in cx.extrapolate(SCORES, WHAT, n_classes=[100]).to_dict()


# --- look -------------------------------------------------------------------------------------------------------------


def test_look_says_what_a_row_is_and_which_commands_fit(tmp_path):
    path = written(tmp_path, SCORES, "participant_id", WHO)
    found, *_ = look(path)
    assert "column 'participant_id' holds whole numbers" in found.ledger
    assert found.commands == []
    path = save(tmp_path, "s.csv", "label,a,b\na,.7,.3\nb,.4,.6\na,.6,.1\n")
    found = look(path)[0]
    assert found.ledger == "3 test points; 2 classes"
    assert found.commands == [f"classex extrapolate {path} --to 20 200", f"classex bound {path}"]
    assert "columns: label, a, b" in str(found)
    frame = pd.DataFrame({"age": [3, 4, 3], "sex": list("fmf")})
    text = io.StringIO()
    frame.to_csv(text, index=False)
    (people,) = look(save(tmp_path, "p.csv", text.getvalue()))
    assert (people.kind, people.ledger) == ("people", "3 people, in 2 cells by age, sex")
