"""Files and calls from public reports of other projects, rebuilt small: each was misread, refused or pooled once."""

from __future__ import annotations

import json
import warnings
import zipfile

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from classex.io import load_attempts, load_pairs, load_ranks, load_scores, load_searches, load_trec
from classex.retrieval import relevant_ranks, retrieval_curve


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(rows):
    return "\n".join(map(json.dumps, rows))


# --- layouts by name -------------------------------------------------------------------------------------------------


def test_one_greedy_attempt_each_is_no_matrix(tmp_path):
    """Counts of 50 solved among 164 problems, all with one trial: .305, once read as .65."""
    rows = "".join(f"{int(i < 50)},1\n" for i in range(164))
    for header in ("successes,trials\n", "Successes,Trials\n"):
        found = load_attempts(write(tmp_path, "c.csv", header + rows))
        assert (found.successes.sum(), found.trials.tolist()) == (50, [1] * 164)
    swapped = write(tmp_path, "d.csv", "trials,successes\n" + "".join(f"1,{int(i < 50)}\n" for i in range(164)))
    assert load_attempts(swapped).successes.sum() == 50


def test_trial_numbers_are_no_outcomes(tmp_path):
    text = "task_id,trial,reward\n0,0,1\n0,1,0\n1,0,0\n1,1,0\n2,0,0\n2,1,0\n"
    found = load_attempts(write(tmp_path, "t.csv", text))
    assert (found.successes.tolist(), found.trials.tolist()) == ([1, 0, 0], [2, 2, 2])
    with pytest.raises(ValueError, match=r"none of the formats of attempts; its columns are task_id, trial, rewards"):
        load_attempts(write(tmp_path, "t.csv", text.replace("reward", "rewards")))
    with pytest.raises(ValueError, match=r"problem '0' comes twice, in line 2 and line 3"):
        load_attempts(write(tmp_path, "m.csv", "problem,a\n0,1\n0,0\n1,1\n"))


def test_what_was_read_is_said_in_one_line(tmp_path, capsys):
    path = write(tmp_path, "c.csv", "successes,trials\n" + "1,1\n0,1\n" * 82)
    assert main(["pass-at-k", str(path), "--k", "1"]) == 0
    said = f"classex: {path}: 164 problems, 1 attempt each, from successes and trials (format counts)\n"
    assert capsys.readouterr().err == said
    path = write(tmp_path, "t.csv", "task_id,passed,reward\na,1,0\na,0,0\nb,1,1\nb,1,0\n")
    assert main(["pass-at-k", str(path), "--k", "1"]) == 2
    said = f"classex pass-at-k: {path} may be human-eval, tau-bench: choose by format= (--format NAME)\n"
    assert capsys.readouterr().err == said
    assert main(["pass-at-k", str(path), "--k", "1", "--format", "tau-bench"]) == 0
    assert "(format tau-bench)" in capsys.readouterr().err
    with pytest.raises(ValueError, match="format must be one of 'counts', 'matrix'"):
        load_attempts(path, format="ranks")


# --- rows that are not attempts --------------------------------------------------------------------------------------


def test_a_stale_duplicate_is_refused(tmp_path):
    rows = [{"task_id": t, "trial": n, "reward": 0.0} for t in range(4) for n in range(2)]
    path = write(tmp_path, "log.jsonl", lines([*rows, rows[3]]))
    with pytest.raises(ValueError, match="1 of 9 rows repeat a problem and its trial, such as problem '1'"):
        load_attempts(path)


SAMPLES = [
    {"eval_id": e, "id": i, "epoch": n, "score_match": "CI"[(i + n + (e == "b")) % 2 or (e == "b" and i < 3)]}
    for e in "ab"
    for i in range(6)
    for n in range(4)
]


@pytest.mark.parametrize("column", ["eval_id", "model", "task", "filter", "agent"])
def test_two_models_or_tasks_are_refused_by_name(column, tmp_path):
    rows = [{column: row["eval_id"], **{k: v for k, v in row.items() if k != "eval_id"}} for row in SAMPLES]
    path = write(tmp_path, "log.jsonl", lines(rows))
    with pytest.raises(
        ValueError, match=rf"problem '0' has {column} 'a' and 'b', in line 1 and line 25: .*--by {column}"
    ):
        load_attempts(path)
    found = load_attempts(path, by=column)
    solved = {e: sum(row["score_match"] == "C" for row in SAMPLES if row["eval_id"] == e) for e in "ab"}
    assert {name: one.successes.sum() for name, one in found.items()} == solved
    assert {name: one.trials.tolist() for name, one in found.items()} == {"a": [4] * 6, "b": [4] * 6}


@pytest.mark.filterwarnings("default")
def test_tables_kept_apart_and_their_differences(tmp_path, capsys):
    path = write(tmp_path, "log.jsonl", lines(SAMPLES))
    found = load_attempts(path, by="eval_id")
    tables = [cx.pass_at_k(found[name].successes, found[name].trials, [1, 2, 9]) for name in "ab"]
    difference = cx.attempts.pass_at_k_difference(*((found[n].successes, found[n].trials) for n in "ab"), [1, 2])
    call = ["pass-at-k", str(path), "--k", "1", "2", "9", "--by", "eval_id"]
    assert main(call) == 0
    assert capsys.readouterr().out == f"eval_id a\n{tables[0]}\n\neval_id b\n{tables[1]}\n\n{difference}\n"
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["eval_id"]["b"]["value"] == tables[1].value.tolist()
    assert found["differences"][0]["value"] == difference.value.tolist()
    less = write(tmp_path, "less.jsonl", lines(SAMPLES[4:]))
    assert main(["pass-at-k", str(less), "--k", "1", "--by", "eval_id"]) == 0
    captured = capsys.readouterr()
    assert "a and b have 5 and 6 problems, of which 5 are the same" in captured.err
    assert "on the same 5 problems" in captured.out


TWO = [
    {"model": m, "task": t, "id": i, "epoch": n, "score": "CI"[(i + n + (m == "b") + 2 * (t == "aime")) % 3 > 0]}
    for m in "ab"
    for t in ("aime", "gsm8k")
    for i in range(4 + (t == "aime"))
    for n in range(4)
]


def as_counts(rows):
    """The same attempts as a table of counts."""
    keys = dict.fromkeys((row["model"], row["task"], row["id"]) for row in rows)
    of = {k: [row["score"] == "C" for row in rows if (row["model"], row["task"], row["id"]) == k] for k in keys}
    return "model,task,id,successes,trials\n" + "".join(
        f"{','.join(map(str, key))},{sum(won)},{len(won)}\n" for key, won in of.items()
    )


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_differences_are_within_a_task_alone(ending, tmp_path, capsys):
    """Problem 0 of two tasks is not the same problem, whether tasks are kept apart or models with a task each."""

    def saved(rows):
        return str(write(tmp_path, f"log.{ending}", lines(rows) if ending == "jsonl" else as_counts(rows)))

    call = ["pass-at-k", saved(TWO), "--k", "1"]
    assert main([*call, "--by", "model"]) == 2
    assert "problem '0'" in capsys.readouterr().err
    assert main([*call, "--by", "model", "--by", "task", "--json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    wins = {
        (m, t): [
            sum(row["score"] == "C" for row in TWO if (row["model"], row["task"], row["id"]) == (m, t, i))
            for i in range(4 + (t == "aime"))
        ]
        for m in "ab"
        for t in ("aime", "gsm8k")
    }
    assert {name: one["value"] for name, one in found["model, task"].items()} == {
        f"{m}, {t}": [pytest.approx(np.mean(won) / 4)] for (m, t), won in wins.items()
    }
    assert [(one["first"], one["second"], one["n_problems"], one["value"]) for one in found["differences"]] == [
        (f"a, {t}", f"b, {t}", n, [pytest.approx((np.mean(wins["a", t]) - np.mean(wins["b", t])) / 4)])
        for t, n in (("aime", 5), ("gsm8k", 4))
    ]
    assert "4 of 6 pairs have no problem in common, and no difference" in captured.err
    for by in ("model", "task"):
        alone = [row for row in TWO if (row["model"], row["task"]) in (("a", "aime"), ("b", "gsm8k"))]
        assert main(["pass-at-k", saved(alone), "--k", "1", "--by", by]) == 0
        captured = capsys.readouterr()
        assert "less that of" not in captured.out
        assert "1 of 1 pairs have no problem in common" in captured.err


def test_documents_that_differ_are_no_problem_of_one_name(tmp_path):
    """lm-evaluation-harness writes a hash of each document: two tasks in one log, both numbered from 0."""
    rows = [{"doc_id": i, "doc_hash": f"{task}{i}", "exact_match": 1.0} for task in "ab" for i in range(3)]
    with pytest.raises(ValueError, match=r"problem '0' has doc_hash 'a0' and 'b0', in line 1 and line 4"):
        load_attempts(write(tmp_path, "log.jsonl", lines(rows)))
    found = load_attempts(
        write(tmp_path, "log.jsonl", lines([{**row, "m": row["doc_hash"][0]} for row in rows])), by="m"
    )
    assert found["a"].problems.tolist() == ["a0 0", "a1 1", "a2 2"]


def test_two_parsers_of_one_answer_are_refused(tmp_path):
    rows = [{"doc_id": i, "filter": f, "exact_match": float(i % 2)} for i in range(6) for f in ("strict", "flexible")]
    with pytest.raises(ValueError, match=r"problem '0' has filter 'strict' and 'flexible'.*--by filter"):
        load_attempts(write(tmp_path, "a.jsonl", lines(rows)))
    rows = [{k: v for k, v in row.items() if k != "filter"} for row in rows]
    with pytest.raises(ValueError, match="problem '0' comes twice, in line 1 and line 2"):
        load_attempts(write(tmp_path, "a.jsonl", lines(rows)))
    late = [{"task_id": 1, "passed": True}, {"task_id": 1, "passed": True, "model": "b"}]
    with pytest.raises(ValueError, match="line 2 has 'model', which the first record lacks"):
        load_attempts(write(tmp_path, "a.jsonl", lines(late)))


def test_an_extra_key_refuses_no_log(tmp_path):
    rows = [{"task_id": 1, "passed": True}, {"task_id": 1, "passed": False, "note": "slow"}]
    assert load_attempts(write(tmp_path, "a.jsonl", lines(rows))).trials.tolist() == [2]
    with pytest.raises(ValueError, match="line 2 must have 'task_id' and 'passed', but has task_id, pass"):
        load_attempts(write(tmp_path, "a.jsonl", lines([rows[0], {"task_id": 1, "pass": 1}])))


def test_a_few_problems_with_more_attempts_draw_a_warning(tmp_path):
    rows = [{"task_id": t, "passed": False} for t in range(8) for _ in range(5)]
    with pytest.warns(UserWarning, match="7 of 8 problems have 5 attempts, but '3' has 6"):
        load_attempts(write(tmp_path, "a.jsonl", lines([*rows, rows[15]])))


def test_reports_of_swe_bench_are_attempts(tmp_path):
    one = {"total_instances": 4, "submitted_ids": ["a", "b", "c"], "resolved_ids": ["a"]}
    two = {"total_instances": 4, "submitted_ids": ["a", "b", "d"], "resolved_ids": ["a", "d"]}
    paths = [write(tmp_path, f"{n}.json", json.dumps(report)) for n, report in enumerate((one, two))]
    found = load_attempts(paths)
    assert found.problems.tolist() == ["a", "b", "c", "d"]
    assert (found.successes.tolist(), found.trials.tolist()) == ([2, 0, 0, 1], [2, 2, 2, 2])
    unknown = write(tmp_path, "2.json", json.dumps({"resolved": ["a"], "no_generation": ["b"]}))
    with pytest.raises(ValueError, match=r"not how many there were: give n_problems= \(--problems N\)"):
        load_attempts(unknown)
    assert load_attempts(unknown, n_problems=300).trials.size == 300
    with pytest.raises(ValueError, match="reports must be of the same instances, but 4 instances are named, of 3 or 4"):
        load_attempts([paths[0], write(tmp_path, "3.json", json.dumps({**two, "total_instances": 3}))])
    log = write(tmp_path, "log.jsonl", '{"task_id": 1, "passed": true}\n')
    with pytest.raises(ValueError, match="give one file of attempts, not 2"):
        load_attempts([log, log])


def test_letters_of_inspect(tmp_path):
    text = "id,epoch,score\n" + "".join(f"{i},{n},{'CPNI'[n]}\n" for i in range(3) for n in range(4))
    found = load_attempts(write(tmp_path, "a.csv", text))
    assert (found.successes.tolist(), found.trials.tolist()) == ([1] * 3, [4] * 3)
    assert load_attempts(tmp_path / "a.csv", threshold=0.5).successes.tolist() == [2] * 3


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
    run = write(tmp_path, "run.txt", "q Q0 a 1 .9 x\nq Q0 b 2 .5 x\n")
    qrels = write(tmp_path, "qrels.txt", "q 0 a 1\n")
    call = ["extrapolate", str(qrels), "--qrels", str(run), "--corpus", "10", "--to", "10", "--metric", "recall@2"]
    assert main(call) == 2
    assert "run.txt looks like trec-run (run), not like qrels: were two files swapped?" in capsys.readouterr().err
    lists = write(tmp_path, "run.json", '{"q": {"a": 0.9, "b": 0.5}}')
    with pytest.raises(ValueError, match="must hold whole numbers as judgements: is it a run"):
        load_trec(lists, holds="qrels")


def test_labels_in_another_spelling(tmp_path):
    path = write(tmp_path, "s.csv", "label,ant,bee\nAnt,1,2\nbee,3,4\ncow,1,1\n")
    with pytest.raises(ValueError, match=r"these are not, 2 of 3: 'Ant', 'cow' \('Ant' resembles 'ant'\)"):
        load_scores(path)
    with pytest.raises(ValueError, match=r"or of others, but 2 of 3: 'Ant', 'cow' \('Ant' resembles 'ant'\)"):
        load_searches(path)
    numbered = write(tmp_path, "n.csv", "label,7,9\n7.0,1,2\n9.0,3,4\n12.0,1,1\n")
    found = load_searches(numbered)
    assert (found.labels.tolist(), found.nonmated_labels.tolist()) == (["7", "9"], ["12.0"])


@pytest.mark.filterwarnings("default")
def test_names_of_classes_in_other_files(tmp_path, capsys):
    """Groups of classes, and predictions in another spelling than the truth."""
    rng = np.random.default_rng(0)
    rows = "".join(f"{i % 6},{','.join(map(str, row))}\n" for i, row in enumerate(rng.normal(size=(24, 6)).tolist()))
    scores = write(tmp_path, "s.csv", f"label,{','.join(map(str, range(6)))}\n{rows}")
    groups = write(tmp_path, "g.csv", "class,group\n" + "".join(f"{c}.0,{c % 2}\n" for c in range(6)))
    call = ["extrapolate", str(scores), "--groups", str(groups), "--to", "12"]
    assert main(call) == 0
    write(tmp_path, "g.csv", groups.read_text() + "7,1\n")
    assert main(call) == 0
    assert "1 of 7 classes have no scores" in capsys.readouterr().err
    write(tmp_path, "g.csv", groups.read_text() + "3,1\n")
    assert main(call) == 2
    assert "class '3' comes more than once" in capsys.readouterr().err
    labels = write(tmp_path, "p.csv", "y_true,y_pred\ncat,cat\ndog,Dog\ncat,dog\ndog,dog\n")
    assert main(["advantage", str(labels)]) == 0
    assert "not in y_true, 1 of 3: 'Dog' ('Dog' resembles 'dog')" in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"row 0 is 'Ant'; not among them are 1 of 2: 'Ant' \('Ant' resembles 'ant'\)"):
        cx.correct_ranks([[1, 2], [3, 4]], ["Ant", "bee"], classes=["ant", "bee"])


def test_enrolled_people_are_not_among_the_others():
    scores = [[0.9, 0.1], [0.2, 0.8]]
    with pytest.raises(
        ValueError, match=r"nonmated_labels must be .* 1 of 2 are among the enrolled_labels, such as ann"
    ):
        cx.open_set.open_set_curve(
            scores, ["ann", "bob"], scores, 0.5, nonmated_labels=["ann", "zoe"], enrolled_labels=["ann", "bob"]
        )


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
    return write(tmp_path, "run.txt", trec), write(tmp_path, "qrels.tsv", beir), run, judged


def test_runs_with_judgements_of_beir_and_names_of_metrics(retrieval, tmp_path, capsys):
    run, qrels, lists, judged = retrieval
    expected = cx.extrapolate_retrieval(relevant_ranks(lists, judged, n_items=200), 1000, metric="ndcg@10")
    options = ["--qrels", str(qrels), "--corpus", "200", "--to", "1000", "--metric"]
    for name in ("ndcg@10", "nDCG@10", "ndcg_cut_10", "NDCG_at_10"):
        assert main(["extrapolate", str(run), *options, name]) == 0
        assert capsys.readouterr().out == f"{expected}\n"
    again = write(tmp_path, "run.json", json.dumps(lists))
    assert main(["extrapolate", str(run), str(again), *options, "ndcg@10"]) == 0
    assert capsys.readouterr().out == f"{run}\n{expected}\n\n{again}\n{expected}\n"
    assert main(["extrapolate", str(run), str(again), *options, "ndcg@10", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 2
    assert main(["extrapolate", str(run), str(again), "--to", "1000"]) == 2
    assert "give one file: only runs of a search engine" in capsys.readouterr().err


def test_a_run_with_judgements_beside_its_scores(tmp_path):
    """Each reader takes its own column: once the judgements were taken for the scores of the run."""
    path = write(tmp_path, "both.csv", "qid,docno,score,label\nq,a,.9,0\nq,b,.5,1\n")
    assert load_trec(path, holds="run") == {"q": {"a": 0.9, "b": 0.5}}
    assert load_trec(path, holds="qrels") == {"q": {"a": 0, "b": 1}}
    with pytest.raises(ValueError, match=r"both\.csv may be run-table, qrels-table: choose by format="):
        load_trec(path)
    with pytest.raises(ValueError, match=r"must have one column 'relevance' \(or rel, label, gain\), but its header"):
        load_trec(write(tmp_path, "c.csv", "qid,docno,rel,label\nq,a,2,0\n"), holds="qrels")


def test_ranks_in_a_column(tmp_path, capsys):
    rank = 1 + np.random.default_rng(0).binomial(100, 0.05, 80)
    path = write(tmp_path, "r.csv", "user,rank\n" + "".join(f"u{i},{r}\n" for i, r in enumerate(rank)))
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
    zero = write(tmp_path, "z.csv", "user,rank\na,0\nb,4\n")
    with pytest.raises(ValueError, match="line 2 holds 0, and ranks begin at 1: add 1 to all"):
        load_ranks(zero)
    ties = write(tmp_path, "t.csv", "rank,ties\n1,2\n4,0\n")
    assert load_ranks(ties).ties.tolist() == [2, 0]


def test_a_mate_that_no_list_names_is_below_all_listed(tmp_path, capsys):
    """Ten people, lists of three: rates are those of the whole matrix at thresholds that all lists reach."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(16, 10)) + 2 * np.eye(16, 10)
    rows = ["search,candidate,score,label"]
    for i, row in enumerate(scores):
        rows += [f"s{i},p{c},{row[c]!r},{f'p{i}' if i < 10 else ''}" for c in np.argsort(-row)[:3].tolist()]
    path = write(tmp_path, "c.csv", "\n".join(rows).replace("np.float64(", "").replace(")", ""))
    found = load_searches(path)
    cut = max(np.sort(row)[-3] for row in scores)
    cuts = [cut, cut + 0.5]
    whole = cx.open_set.open_set_curve(scores[:10], range(10), scores[10:], cuts)
    listed = cx.open_set.open_set_curve(*found[:3], cuts, enrolled_labels=found.enrolled_labels)
    np.testing.assert_allclose(listed.fpir, whole.fpir)
    np.testing.assert_allclose(listed.fnir, whole.fnir)
    assert main(["open-set", str(path), "--threshold", str(cuts[1])]) == 0
    assert f"exact at thresholds from {cut:g} on" in capsys.readouterr().err


def test_lists_of_trials(tmp_path, capsys):
    rng = np.random.default_rng(5)
    genuine, impostor = rng.normal(1.5, 1, 200), rng.normal(0, 1, 1000)
    text = "genuine,score\n" + "".join(f"{k},{s}\n" for k, each in ((1, genuine), (0, impostor)) for s in each.tolist())
    path = write(tmp_path, "trials.csv", text)
    found = load_pairs(path)
    np.testing.assert_array_equal(found.genuine, genuine)
    curve = cx.open_set.verification_curve(genuine, impostor)
    assert main(["open-set", str(path), "--eer"]) == 0
    assert capsys.readouterr().out == f"{curve.equal_error_rate()}\n"
    assert main(["open-set", str(path), "--fpir", ".1"]) == 0
    assert capsys.readouterr().out == f"{curve.fnir_at_fpir(0.1)}\n"
    assert main(["open-set", str(path), "--rank", "2"]) == 2
    assert "--enrolled and --rank go with searches" in capsys.readouterr().err


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
        load_attempts(write(tmp_path, "c.csv", "problem,successes,trials\na,1,5\nb,2,5\nc,0,5\nall,3,15\n"))
    solved = [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0]]
    text = "a,b,c,any\n" + "".join(",".join(map(str, [*row, sum(row)])) + "\n" for row in solved)
    with pytest.warns(UserWarning, match="totals: the last column holds the sums"):
        load_attempts(write(tmp_path, "m.csv", text))
    with pytest.raises(ValueError, match="column 'total' holds the sums of the other columns: leave it out"):
        load_scores(write(tmp_path, "s.csv", "label,a,b,total\na,.5,.2,.7\nb,.1,.3,.4\na,.9,.3,1.2\n"))


@pytest.mark.parametrize("name", ["subject", "Trial", "run"])
def test_a_column_that_says_which_row_it_is_is_no_class(tmp_path, name):
    """Unless a label has its name: 8 subjects in one table were taken for scores of a class."""
    rows = [f"{'ant' if i % 2 else 'bee'},{i % 8},{i % 3},{i % 5}" for i in range(16)]
    file = tmp_path / "scores.csv"
    file.write_text(f"label,{name},ant,bee\n" + "\n".join(rows) + "\n", "utf-8")
    with pytest.raises(ValueError, match=f"'{name}' names no label: leave it out"):
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
    found = load_searches(write(tmp_path, "c.csv", "\n".join([header, *rows]) + "\n"))
    assert (found.scores.tolist(), found.labels.tolist()) == ([[0.9, 0.3]], ["a"])
    assert found.nonmated_scores[0, 0] == 0.4
    assert found.nonmated_scores[0, 1] < 0.3
    mate = header.split(",")[-1]
    with pytest.raises(ValueError, match=r"must have one column 'label' \(or mate, mateid\), but its header is "):
        load_searches(write(tmp_path, "d.csv", "\n".join([header.replace(mate, "x"), *rows]) + "\n"))
    with pytest.raises(ValueError, match=r"must have one column 'search' \(or searchid, probe, probeid\), but its"):
        load_searches(write(tmp_path, "e.csv", "\n".join([f"{header},search", *(f"{row},s" for row in rows)]) + "\n"))


def test_columns_between_blanks(tmp_path, recwarn):
    """As NIST's programs write them; names of pairs are not there, so that equal rows are no copies."""
    text = 'searchId candidateRank templateId score mate\n1 1 a 0.9  a\n1 2 b  0.3 a\n2 1 a 0.4 ""\n'
    found = load_searches(write(tmp_path, "c.txt", text))
    assert (found.scores.tolist(), found.labels.tolist(), found.nonmated_labels.tolist()) == (
        [[0.9, 0.3]],
        ["a"],
        ["2"],
    )
    found = load_pairs(write(tmp_path, "p.txt", "genuine score\n1 .9\n1 .9\n0 .2\n1 .8\n0 .4\n"))
    assert found.genuine.tolist() == [0.9, 0.9, 0.8]
    assert not recwarn.list


def test_trials_under_other_names(tmp_path):
    found = load_pairs(write(tmp_path, "p.csv", "is_mated,similarity\n1,.9\n0,.2\n"))
    assert (found.genuine.tolist(), found.impostor.tolist()) == ([0.9], [0.2])


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
            "for more options, tabulate the label and each log-likelihood",
        ),
        (
            "q Q0 a 1 .9 x\n",
            "extrapolate FILE --to 10",
            "classex extrapolate reads it with --qrels FILE and --corpus N",
        ),
        (
            "label,score\n1,.9\n0,.2\n",
            "open-set FILE",
            "each sample enrolled; or it must have columns 'genuine' and 'sc",
        ),
        ("rank\tuser\n3\ta\n", "extrapolate FILE --to 9", "it with --among K, or see ranks_from_wins(n_classes - rank"),
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
            "n_test (--points N) or standard_error (a column) must be",
        ),
        ("", "extrapolate --curve --to 1000", "argument --curve: expected at least one argument"),
    ],
)
def test_a_file_of_another_kind_or_an_option_that_lacks(text, call, message, tmp_path, capsys):
    path = write(tmp_path, "file.txt", text)
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
        load_searches(write(tmp_path, "s.csv", text))
    assert [f"has {14 * listed} of 140 scores" in str(one.message) for one in caught] == [True] * warned


# --- other calls of public reports -----------------------------------------------------------------------------------


def test_attempts_fewer_than_k_and_rates_of_zero():
    """0 of 99 is no certain failure in 100 attempts; 0 of 25 and 0 of 5,000 leave a rate above 0."""
    low, high = cx.pass_at_k([0, 5], [99, 99], 100).interval[0]
    assert low < 0.5 < high < 1
    for n, most in ((25, 0.0955), (5000, 0.0005)):
        assert cx.pass_at_k([0] * n, 1, 1).interval[0].tolist() == [0, pytest.approx(most, abs=5e-5)]


def test_words_of_evalplus_and_nested_entries_of_tau_bench(tmp_path):
    rows = [("a", "pass"), ("a", "timeout"), ("b", "fail")]
    found = load_attempts(write(tmp_path, "e.jsonl", lines([{"task_id": t, "status": s} for t, s in rows])))
    assert (found.successes.tolist(), found.trials.tolist()) == ([1, 0], [2, 1])
    rows = [
        {"task_id": 0, "reward": r, "info": {"task": {"user": "u"}}, "traj": [], "trial": n}
        for n, r in enumerate((1.0, 0.5))
    ]
    assert load_attempts(write(tmp_path, "t.json", json.dumps(rows))).successes.tolist() == [1]


def test_ties_unequal_lists_and_judgements_given_twice(tmp_path):
    tied = relevant_ranks({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, n_items=2)
    assert retrieval_curve(tied, metric="ndcg").accuracy[0] == pytest.approx((1 + 1 / np.log2(3)) / 2, rel=1e-12)
    lists = {"q": {"a": 0.9, "b": 0.5, "c": 0.1}, "r": {"x": 0.9}}
    ranks = relevant_ranks(lists, {"q": {"b": 1}, "r": {"y": 1}}, n_items=9)
    assert [retrieval_curve(ranks, metric=one).accuracy[0] for one in ("recall@2", "ndcg@1")] == [0.5, 0]
    with pytest.raises(ValueError, match="line 2: query 'q' has document 'a' twice"):
        load_trec(write(tmp_path, "q.txt", "q 0 a 1\nq 0 a 1\n"))
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cx.advantage.related_measures([0, 0], [0, 0]), "y_true must hold at least two classes, not one"),
        (
            lambda: cx.correct_ranks([[1, 2, np.nan], [3, 2, 1]], [0, 1]),
            r"row 0, column 2: .* left_out=np\.isnan\(scores\)",
        ),
        (
            lambda: cx.correct_ranks_from_embeddings(np.eye(4), np.eye(4), [7, 9, 7, 9], [7, 9, 7, 9]),
            r"at least one reference, but class 0 has none \(8 of 10 classes are empty\): .* as classes=",
        ),
        (
            lambda: cx.correct_ranks_from_embeddings(np.eye(3), np.eye(3), [0, 1, -1], [0, 1, -1]),
            r"reference_labels must lie in 0\.\.1, but row 2 is -1",
        ),
    ],
)
def test_calls_that_are_refused_say_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_padding_is_left_out():
    scores = np.array([[1, 2, np.nan], [3, 2, 1]])
    ranks = cx.correct_ranks(scores, [0, 1], left_out=np.isnan(scores))
    assert (ranks.wins.tolist(), ranks.n_wrong.tolist()) == ([0, 1], [1, 2])
    with pytest.warns(UserWarning, match="1 of 6 scores are -inf, and these comparisons are left out"):
        assert cx.correct_ranks(np.nan_to_num(scores, nan=-np.inf), [0, 1]).wins.tolist() == [0, 1]


def test_half_precision_and_untested_classes():
    p = np.array([[0.3, 0.3, 0.4], [0.25, 0.5, 0.25], [0.1, 0.2, 0.7]])
    halves = cx.prediction_advantage([0, 1, 2], p.astype(np.float16), loss="cross_entropy")
    assert halves == pytest.approx(cx.prediction_advantage([0, 1, 2], p, loss="cross_entropy"), abs=1e-3)
    assert cx.accuracy_curve(cx.correct_ranks(np.eye(4)[:2], [0, 1]), [4]).accuracy[0] == 1
    least = np.finfo(float).min  # what scikit-learn's cross-validation gives classes that a fold lacks
    assert cx.correct_ranks([[1, least], [least, 0]], [0, 1]).wins.tolist() == [1, 1]
    assert 500 < cx.accuracy_curve(cx.ranks_from_wins(range(500), 100_000)).n_classes.size < 1000
