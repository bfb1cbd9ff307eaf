"""Files and calls from public reports of other projects, rebuilt small: each was misread or refused once."""

from __future__ import annotations

import json

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.fields.retrieval import relevant_ranks
from classex.io import load_attempts, load_pairs, load_ranks, load_scores, load_searches, load_trec
from tests.io.writers import save

# --- ids -------------------------------------------------------------------------------------------------------------


def test_ids_that_never_match():
    run, qrels = {1: {10: 0.9, 11: 0.5}}, {"1": {"10": 1}}
    with pytest.raises(ValueError, match=r"no name is in both: '1' \(str\) and 1 \(int\)"):
        relevant_ranks(run, qrels, n_items=5)
    with pytest.raises(ValueError, match=r"documents of scores, but no name is in both: '10' \(str\) and 10 \(int\)"):
        relevant_ranks({"1": {10: 0.9}}, qrels, n_items=5)
    for n in (4, 5):
        lists, judged = ({str(q): {name: 1} for q in range(n)} for name in "ab")
        if n == 4:
            assert not relevant_ranks(lists, judged, n_items=5).found.any()
        else:
            with pytest.warns(
                UserWarning, match=r"documents of scores, but no name is in both: 'b' \(str\) and 'a' \(str\)"
            ):
                relevant_ranks(lists, judged, n_items=5)
    with pytest.raises(ValueError, match="documents of scores, but no name is in both"):
        relevant_ranks({"1": {"D 1": 0.9}}, {"1": {"d 1": 1}}, n_items=5)
    with pytest.warns(UserWarning, match=r"no list, and count as finding nothing, 1 of 2: '2'"):
        ranks = relevant_ranks({"1": {"10": 0.9}}, {"1": {"10": 1}, "2": {"10": 1}, "3": {"10": 0}}, n_items=5)
    assert ranks.found.tolist() == [True, False]


def test_swapped_files(tmp_path, capsys):
    run = save(tmp_path, "run.txt", "q Q0 a 1 .9 x\nq Q0 b 2 .5 x\n")
    qrels = save(tmp_path, "qrels.txt", "q 0 a 1\n")
    call = ["extrapolate", str(qrels), "--qrels", str(run), "--corpus", "10", "--to", "10", "--metric", "recall@2"]
    assert main(call) == 2
    assert "run.txt looks like trec-run (run), not like qrels: were two files swapped?" in capsys.readouterr().err
    lists = save(tmp_path, "run.json", '{"q": {"a": 0.9, "b": 0.5}}')
    with pytest.raises(ValueError, match="must hold whole numbers as judgements: is it a run"):
        load_trec(lists, holds="qrels")


def test_labels_in_another_spelling(tmp_path):
    path = save(tmp_path, "s.csv", "label,ant,bee\nAnt,1,2\nbee,3,4\ncow,1,1\n")
    with pytest.raises(ValueError, match=r"these are not, 2 of 3: 'Ant', 'cow' \('Ant' resembles 'ant'\)"):
        load_scores(path)
    with pytest.raises(ValueError, match=r"or of others, but 2 of 3: 'Ant', 'cow' \('Ant' resembles 'ant'\)"):
        load_searches(path)
    numbered = save(tmp_path, "n.csv", "label,7,9\n7.0,1,2\n9.0,3,4\n12.0,1,1\n")
    found = load_searches(numbered)
    assert (found.labels.tolist(), found.nonmated_labels.tolist()) == (["7", "9"], ["12.0"])


@pytest.mark.filterwarnings("default")
def test_names_of_classes_in_other_files(tmp_path, capsys):
    """Groups of classes, and predictions in another spelling than the truth."""
    rng = np.random.default_rng(0)
    rows = "".join(f"{i % 6},{','.join(map(str, row))}\n" for i, row in enumerate(rng.normal(size=(24, 6)).tolist()))
    scores = save(tmp_path, "s.csv", f"label,{','.join(map(str, range(6)))}\n{rows}")
    groups = save(tmp_path, "g.csv", "class,group\n" + "".join(f"{c}.0,{c % 2}\n" for c in range(6)))
    call = ["extrapolate", str(scores), "--groups", str(groups), "--to", "12"]
    assert main(call) == 0
    save(tmp_path, "g.csv", groups.read_text() + "7,1\n")
    assert main(call) == 0
    assert "1 of 7 classes have no scores" in capsys.readouterr().err
    save(tmp_path, "g.csv", groups.read_text() + "3,1\n")
    assert main(call) == 2
    assert "class '3' comes more than once" in capsys.readouterr().err
    labels = save(tmp_path, "p.csv", "y_true,y_pred\ncat,cat\ndog,Dog\ncat,dog\ndog,dog\n")
    assert main(["advantage", str(labels)]) == 0
    assert "not in y_true, 1 of 3: 'Dog' ('Dog' resembles 'dog')" in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"row 0 is 'Ant'; not among them are 1 of 2: 'Ant' \('Ant' resembles 'ant'\)"):
        cx.correct_ranks([[1, 2], [3, 4]], ["Ant", "bee"], classes=["ant", "bee"])


# --- formats of the field --------------------------------------------------------------------------------------------


@pytest.fixture
def retrieval(tmp_path):
    rng = np.random.default_rng(1)
    run = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.normal(size=200))} for q in range(30)}
    for q, one in enumerate(run.values()):
        one[f"d{q}"] += 3
    judged = {q: {f"d{i}": 1, f"d{i + 50}": 0} for i, q in enumerate(run)}
    trec = "".join(f"{q} Q0 {d} 0 {s} x\n" for q, one in run.items() for d, s in one.items())
    beir = "query-id\tcorpus-id\tscore\n" + "".join(
        f"{q}\t{d}\t{s}\n" for q, one in judged.items() for d, s in one.items()
    )
    return save(tmp_path, "run.txt", trec), save(tmp_path, "qrels.tsv", beir), run, judged


def test_runs_with_judgements_of_beir_and_names_of_metrics(retrieval, tmp_path, capsys):
    run, qrels, lists, judged = retrieval
    expected = cx.extrapolate_retrieval(relevant_ranks(lists, judged, n_items=200), 1000, metric="ndcg@10")
    options = ["--qrels", str(qrels), "--corpus", "200", "--to", "1000", "--metric"]
    for name in ("ndcg@10", "nDCG@10", "ndcg_cut_10", "NDCG_at_10"):
        assert main(["extrapolate", str(run), *options, name]) == 0
        assert capsys.readouterr().out == f"{expected}\n"
    again = save(tmp_path, "run.json", json.dumps(lists))
    assert main(["extrapolate", str(run), str(again), *options, "ndcg@10"]) == 0
    assert capsys.readouterr().out == f"{run}\n{expected}\n\n{again}\n{expected}\n"
    assert main(["extrapolate", str(run), str(again), *options, "ndcg@10", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 2
    assert main(["extrapolate", str(run), str(again), "--to", "1000"]) == 2
    assert "give one file: only runs of a search engine" in capsys.readouterr().err


def test_a_run_with_judgements_beside_its_scores(tmp_path):
    """Each reader takes its own column: once the judgements were taken for the scores of the run."""
    path = save(tmp_path, "both.csv", "qid,docno,score,label\nq,a,.9,0\nq,b,.5,1\n")
    assert load_trec(path, holds="run") == {"q": {"a": 0.9, "b": 0.5}}
    assert load_trec(path, holds="qrels") == {"q": {"a": 0, "b": 1}}
    with pytest.raises(ValueError, match=r"both\.csv may be run-table, qrels-table: choose by format="):
        load_trec(path)
    with pytest.raises(ValueError, match=r"must have one column 'relevance' \(or rel, label, gain\), but its header"):
        load_trec(save(tmp_path, "c.csv", "qid,docno,rel,label\nq,a,2,0\n"), holds="qrels")


def test_ranks_in_a_column(tmp_path, capsys):
    rank = 1 + np.random.default_rng(0).binomial(100, 0.05, 80)
    path = save(tmp_path, "r.csv", "user,rank\n" + "".join(f"u{i},{r}\n" for i, r in enumerate(rank)))
    assert load_ranks(path).ranks.tolist() == rank.tolist()
    for options, ranks in (
        (["--among", "101"], cx.ranks_from_wins(101 - rank, 101)),
        (["--negatives", "100"], cx.ranks_from_wins(101 - rank, 3000, n_wrong=100)),
    ):
        assert main(["extrapolate", str(path), *options, "--to", "500", "3000", "--metric", "HR@10"]) == 0
        expected = cx.extrapolate(ranks, n_classes=[500, 3000], metric="hit@10")
        assert capsys.readouterr().out == f"{expected}\n"
    for options, message in (
        (["--among", "5"], "but there are 5 candidates"),
        (["--among", "101", "--negatives", "100"], "give --among or --negatives, not both"),
        (["--among", "101", "--compare", "cosine"], "--compare does not go with ranks"),
    ):
        assert main(["extrapolate", str(path), *options, "--to", "500"]) == 2
        assert message in capsys.readouterr().err
    zero = save(tmp_path, "z.csv", "user,rank\na,0\nb,4\n")
    with pytest.raises(ValueError, match="line 2 holds 0, and ranks begin at 1: add 1 to all"):
        load_ranks(zero)
    ties = save(tmp_path, "t.csv", "rank,ties\n1,2\n4,0\n")
    assert load_ranks(ties).ties.tolist() == [2, 0]


def test_a_mate_that_no_list_names_is_below_all_listed(tmp_path, capsys):
    """Ten people, lists of three: rates are those of the whole matrix at thresholds that all lists reach."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(16, 10)) + 2 * np.eye(16, 10)
    rows = ["search,candidate,score,label"]
    for i, row in enumerate(scores):
        rows += [f"s{i},p{c},{row[c]!r},{f'p{i}' if i < 10 else ''}" for c in np.argsort(-row)[:3].tolist()]
    path = save(tmp_path, "c.csv", "\n".join(rows).replace("np.float64(", "").replace(")", ""))
    mated, labels, strangers, _, enrolled, complete = load_searches(path)
    cut = max(np.sort(row)[-3] for row in scores)
    assert complete == cut
    cuts = [cut, cut + 0.5]
    whole = cx.open_set.open_set_curve(scores[:10], range(10), scores[10:], cuts)
    listed = cx.open_set.open_set_curve(mated, labels, strangers, cuts, enrolled_labels=enrolled)
    np.testing.assert_allclose(listed.fpir, whole.fpir)
    np.testing.assert_allclose(listed.fnir, whole.fnir)
    assert main(["open-set", str(path), "--threshold", str(cuts[1])]) == 0
    assert f"exact at thresholds from {cut:g} on" in capsys.readouterr().err


def test_lists_of_trials(tmp_path, capsys):
    rng = np.random.default_rng(5)
    genuine, impostor = rng.normal(1.5, 1, 200), rng.normal(0, 1, 1000)
    text = "genuine,score\n" + "".join(f"{k},{s}\n" for k, each in ((1, genuine), (0, impostor)) for s in each.tolist())
    path = save(tmp_path, "trials.csv", text)
    found = load_pairs(path)
    np.testing.assert_array_equal(found.genuine, genuine)
    curve = cx.open_set.verification_curve(genuine, impostor)
    assert main(["open-set", str(path), "--eer"]) == 0
    assert capsys.readouterr().out == f"{curve.equal_error_rate()}\n"
    assert main(["open-set", str(path), "--fmr", ".1"]) == 0
    assert capsys.readouterr().out == f"{curve.fnmr_at_fmr(0.1)}\n"
    assert main(["open-set", str(path), "--min-dcf", ".01"]) == 0
    assert capsys.readouterr().out == f"{curve.detection_cost(0.01)}\n"
    assert main(["open-set", str(path), "--fpir", ".1"]) == 2
    assert "--to, --gallery, --rank and --fpir go with searches" in capsys.readouterr().err


@pytest.mark.parametrize("names", ["enrol,test", "Speaker 1,speaker_2", "subject", "file1,file2"])
def test_columns_of_people_in_lists_of_trials(tmp_path, capsys, names):
    """They give intervals over people; in genuine pairs two columns of people agree."""
    rng, sides = np.random.default_rng(5), names.count(",") + 1
    rows = [("ab"[i % 2] + "xyz"[i % 3], i) for i in range(300)]
    people = [(one, one if i < 60 else one[::-1]) for one, i in rows]
    text = f"{names},genuine,score\n"
    for i, pair in enumerate(people):
        text += f"{','.join(pair[:sides])},{int(i < 60)},{rng.normal(2 * (i < 60))}\n"
    found = load_pairs(save(tmp_path, "trials.csv", text))
    if names == "file1,file2":
        assert found.units is None
        return
    np.testing.assert_array_equal(found.units[0], [one for one, _ in people[:60]])
    np.testing.assert_array_equal(found.units[1], [pair[:sides] for pair in people[60:]])
    assert main(["open-set", str(tmp_path / "trials.csv"), "--eer"]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{cx.open_set.verification_curve(*found).equal_error_rate()}\n"
    assert f"people are named by {names.replace(',', ' and ')}".lower() in captured.err.lower()
    if sides == 2:
        samples = load_pairs(save(tmp_path, "s.csv", text.replace("ax,ax,1", "ax.1,ax.2,1")))
        assert samples.units is None
        with pytest.raises(ValueError, match="line 62 is an impostor pair of one person"):
            load_pairs(save(tmp_path, "w.csv", text.replace("ax,xa,0", "ax,ax,0", 1)))


# --- totals ----------------------------------------------------------------------------------------------------------


def test_totals_among_counts(tmp_path):
    counts = np.array([[40, 5, 5], [4, 30, 6], [1, 9, 50]])
    rows = np.vstack([counts, counts.sum(axis=0)])
    both = np.hstack([rows, rows.sum(axis=1, keepdims=True)])
    for table in (both, both[::-1, ::-1]):
        for function in (cx.information.confusion_information, cx.advantage.confusion_measures):
            with pytest.raises(
                ValueError, match=r"confusion seems to contain totals: the .* row and the .* column hold"
            ):
                function(table)
    with pytest.warns(UserWarning, match="totals: the last row holds the sums of the others"):
        cx.information.confusion_information(rows)
    with pytest.raises(ValueError, match="totals: the last row holds"):
        load_attempts(save(tmp_path, "c.csv", "problem,successes,trials\na,1,5\nb,2,5\nc,0,5\nall,3,15\n"))
    solved = [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0]]
    text = "a,b,c,any\n" + "".join(",".join(map(str, [*row, sum(row)])) + "\n" for row in solved)
    with pytest.warns(UserWarning, match="totals: the last column holds the sums"):
        load_attempts(save(tmp_path, "m.csv", text))
    with pytest.raises(ValueError, match="column 'total' holds the sums of the other columns, and no label names it"):
        load_scores(save(tmp_path, "s.csv", "label,a,b,total\na,.5,.2,.7\nb,.1,.3,.4\na,.9,.3,1.2\n"))


@pytest.mark.parametrize("name", ["subject", "Trial", "run"])
def test_a_column_that_says_which_row_it_is_is_no_class(tmp_path, name):
    """Unless a label has its name: 8 subjects in one table were taken for scores of a class."""
    rows = [f"{'ant' if i % 2 else 'bee'},{i % 8},{i % 3},{i % 5}" for i in range(16)]
    file = tmp_path / "scores.csv"
    file.write_text(f"label,{name},ant,bee\n" + "\n".join(rows) + "\n", "utf-8")
    with pytest.raises(ValueError, match=f"'{name}' holds whole numbers, and no label names it: drop='{name}'"):
        cx.load_scores(file)
    file.write_text(f"label,{name},ant,bee\n" + "\n".join([*rows, f"{name},1,2,3"]) + "\n", "utf-8")
    assert cx.load_scores(file).classes == [name, "ant", "bee"]


def test_candidate_lists_as_a_wide_table_draw_a_warning(tmp_path):
    names = [f"p{i}" for i in range(10)]
    rows = [
        [names[i % 10] if i < 10 else f"z{i}", *("-inf" if (i + j) % 10 > 2 else "0.5" for j in range(10))]
        for i in range(14)
    ]
    file = tmp_path / "searches.csv"
    file.write_text("\n".join([",".join(["label", *names]), *(",".join(row) for row in rows)]) + "\n", "utf-8")
    with pytest.warns(UserWarning, match=r"has 42 of 140 scores, and leaves the other comparisons out"):
        cx.io.load_searches(file)
