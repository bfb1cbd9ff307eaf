"""Files of other kinds and calls from public reports: what to do is said, or the number is right."""

from __future__ import annotations

import json
import warnings
import zipfile

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.fields.retrieval import relevant_ranks, retrieval_curve
from classex.io import load_attempts, load_scores, load_searches, load_trec
from tests.io.writers import as_lines, save

# --- files of other kinds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("PROBE,RANK,CANDIDATE,SIMILARITY,MATE", ["p1,1,a,.9,a", "p1,2,b,.3,a", "p2,1,a,.4,"]),
        ("search_id,candidate_id,score,mate_id", ["p1,a,.9,a", "p1,b,.3,a", "p2,a,.4,"]),
        ("Probe ID,Gallery ID,similarity-score,label", ["p1,a,.9,a", "p1,b,.3,a", "p2,a,.4,"]),
    ],
)
def test_lists_of_candidates_under_other_names(header, rows, tmp_path):
    found = load_searches(save(tmp_path, "c.csv", "\n".join([header, *rows]) + "\n"))
    assert (found.scores.tolist(), found.labels.tolist()) == ([[0.9, 0.3]], ["a"])
    assert found.nonmated_scores[0, 0] == 0.4
    assert found.nonmated_scores[0, 1] < 0.3
    mate = header.split(",")[-1]
    with pytest.raises(ValueError, match=r"must have one column 'label' \(or mate, mateid\), but its header is "):
        load_searches(save(tmp_path, "d.csv", "\n".join([header.replace(mate, "x"), *rows]) + "\n"))
    with pytest.raises(ValueError, match=r"must have one column 'search' \(or searchid, probe, probeid\), but its"):
        load_searches(save(tmp_path, "e.csv", "\n".join([f"{header},search", *(f"{row},s" for row in rows)]) + "\n"))


def test_neighbours_without_labels(tmp_path, capsys):
    """A file of ann-benchmarks: nothing in it says which answer is right."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "ann.hdf5", "w") as file:
        for name, array in (("train", np.eye(4)), ("test", np.eye(2, 4)), ("neighbors", [[0, 1], [1, 0]])):
            file[name] = array
        file["distances"] = np.ones((2, 2))
    message = r"have no labels; with your own, embeddings\.ranks_from_neighbours takes them"
    for read in (load_scores, cx.io.load_embeddings):
        with pytest.raises(ValueError, match=message):
            read(tmp_path / "ann.hdf5")
    assert main(["extrapolate", str(tmp_path / "ann.hdf5"), "--to", "100"]) == 2
    assert "lists of neighbours have no labels" in capsys.readouterr().err


def test_a_damaged_name_of_an_array(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file[b"scores\xe9"], file["labels"] = np.eye(2), [0, 1]
    with pytest.raises(ValueError, match=r"a\.h5 must hold an array 'scores', but holds "):
        load_scores(tmp_path / "a.h5")


def test_an_archive_of_inspect(tmp_path):
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as file:
        for name in ("header.json", "samples/1_epoch_1.json", "samples/2_epoch_1.json"):
            file.writestr(name, "{}")
    with pytest.raises(ValueError, match=r"a log of inspect_ai becomes JSON by 'inspect log dump FILE > log\.json'"):
        load_attempts(tmp_path / "log.eval")


@pytest.mark.parametrize(
    ("text", "call", "message"),
    [
        (
            '{"doc_id": 0, "acc": 1.0}\n',
            "extrapolate FILE --to 10",
            "looks like lm-eval (attempts), not like scores: clas",
        ),
        (
            '{"doc_id": 0, "acc": 1.0}\n',
            "extrapolate FILE --to 10",
            "for more options, --negatives M gives the number of wrong ones",
        ),
        (
            "q Q0 a 1 .9 x\n",
            "extrapolate FILE --to 10",
            "classex extrapolate reads it with --qrels FILE and --corpus N",
        ),
        (
            "name,score\n1,.9\n0,.2\n",
            "open-set FILE",
            "search, candidate, score and label, or label and one for each sample enrolled; or it must have",
        ),
        ("rank\tuser\n3\ta\n", "extrapolate FILE --to 9", "classex extrapolate reads it with --among K"),
        ("successes,trials\n1,2\n", "open-set FILE", "not like searches or pairs: classex pass-at-k reads it"),
        (
            "search_id,candidate_id,rank,score\nq,a,1,.9\n",
            "extrapolate FILE --among 9 --to 20",
            "classex open-set reads it",
        ),
        ("q Q0 a 1 .9 x\n", "extrapolate FILE --qrels FILE --to 10", "--qrels goes with --corpus"),
        (
            "",
            "extrapolate --curve 10:.9 100:.7 --to 1000",
            "--points N or a column standard_error must be",
        ),
        ("", "extrapolate --curve --to 1000", "argument --curve: expected at least one argument"),
    ],
)
def test_a_file_of_another_kind_or_an_option_that_lacks(text, call, message, tmp_path, capsys):
    path = save(tmp_path, "file.txt", text)
    assert main([str(path) if word == "FILE" else word for word in call.split()]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(("listed", "warned"), [(4, True), (5, False), (6, False)])
def test_a_wide_table_with_less_than_half_of_its_scores_draws_a_warning(listed, warned, tmp_path):
    names = [f"p{i}" for i in range(10)]
    rows = [[names[i % 10] if i < 10 else f"z{i}", *(str((i + j) % 10) for j in range(10))] for i in range(14)]
    rows = [[row[0], *(one if int(one) < listed else "-inf" for one in row[1:])] for row in rows]
    text = "\n".join([",".join(["label", *names]), *(",".join(row) for row in rows)]) + "\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load_searches(save(tmp_path, "s.csv", text))
    assert [f"has {14 * listed} of 140 scores" in str(one.message) for one in caught] == [True] * warned


# --- other calls of public reports -----------------------------------------------------------------------------------


def test_words_of_evalplus_and_nested_entries_of_tau_bench(tmp_path):
    rows = [("a", "pass"), ("a", "timeout"), ("b", "fail")]
    found = load_attempts(save(tmp_path, "e.jsonl", as_lines([{"task_id": t, "status": s} for t, s in rows])))
    assert (found.successes.tolist(), found.trials.tolist()) == ([1, 0], [2, 1])
    rows = [
        {"task_id": 0, "reward": r, "info": {"task": {"user": "u"}}, "traj": [], "trial": n}
        for n, r in enumerate((1.0, 0.5))
    ]
    assert load_attempts(save(tmp_path, "t.json", json.dumps(rows))).successes.tolist() == [1]


def test_ties_unequal_lists_and_judgements_given_twice(tmp_path):
    tied = relevant_ranks({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, n_items=2)
    assert retrieval_curve(tied, metric="ndcg").accuracy[0] == pytest.approx((1 + 1 / np.log2(3)) / 2, rel=1e-12)
    lists = {"q": {"a": 0.9, "b": 0.5, "c": 0.1}, "r": {"x": 0.9}}
    ranks = relevant_ranks(lists, {"q": {"b": 1}, "r": {"y": 1}}, n_items=9)
    assert [retrieval_curve(ranks, metric=one).accuracy[0] for one in ("recall@2", "ndcg@1")] == [0.5, 0]
    with pytest.raises(ValueError, match="line 2: query 'q' has document 'a' twice"):
        load_trec(save(tmp_path, "q.txt", "q 0 a 1\nq 0 a 1\n"))
    with pytest.raises(ValueError, match="n_items must be at least 3, the items of one list, not 2"):
        relevant_ranks({"1": {"1": 0.1, "2": 0.5}}, {"1": {"2": 1, "9": 1}}, n_items=2)
    everywhere = cx.accuracy_curve(cx.correct_ranks(np.zeros((10, 10)), range(10)), 10, metric="mrr")
    assert everywhere.accuracy[0] == pytest.approx(np.mean(1 / np.arange(1, 11)), rel=1e-12)


def test_a_query_that_finds_itself(recwarn):
    lists = {"1": {"1": 0.9, "2": 0.5}, "2": {"2": 0.9, "3": 0.8}, "3": {"2": 0.9, "3": 0.8}, "4": {}}
    judged = {"1": {"2": 1}, "2": {"3": 1}, "3": {"2": 1}}
    with pytest.warns(
        UserWarning, match="2 of 4 queries find themselves first, as irrelevant documents: if the corpus"
    ):
        assert relevant_ranks(lists, judged, n_items=9).losses.tolist() == [1, 1, 0]
    relevant_ranks(lists, {query: {query: 1, **one} for query, one in judged.items()}, n_items=9)
    assert not recwarn.list


def test_half_precision_and_untested_classes():
    p = np.array([[0.3, 0.3, 0.4], [0.25, 0.5, 0.25], [0.1, 0.2, 0.7]])
    halves = cx.prediction_advantage([0, 1, 2], p.astype(np.float16), loss="cross_entropy")
    assert halves == pytest.approx(cx.prediction_advantage([0, 1, 2], p, loss="cross_entropy"), abs=1e-3)
    assert cx.accuracy_curve(cx.correct_ranks(np.eye(4)[:2], [0, 1]), [4]).accuracy[0] == 1
    least = np.finfo(float).min  # what scikit-learn's cross-validation gives classes that a fold lacks
    assert cx.correct_ranks([[1, least], [least, 0]], [0, 1]).wins.tolist() == [1, 1]
    assert 500 < cx.accuracy_curve(cx.ranks_from_wins(range(500), 100_000)).n_classes.size < 1000
