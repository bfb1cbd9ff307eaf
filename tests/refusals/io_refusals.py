# ruff: noqa: B023 - each call is made before the loop goes on
import bz2
import json
import lzma
import zipfile
from pathlib import Path

import numpy as np

import classex as cx
from classex.io import (
    load_attempts,
    load_embeddings,
    load_ranks,
    load_scores,
    load_searches,
)
from tests.io.test_frames import LABELS, SCORES, Frame, NAType, Series
from tests.io.test_options import log
from tests.io.writers import as_lines, save

HERE = Path()
TEXT = "label;ant;bee\nbee;0,1;0,7\nant;0,5;0,2\n"


def zipped(file, *names):
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, TEXT)


def refused_attempts():
    for text, message in [
        ("task_id,passed\n1,maybe\n", "passed must be true or false, pass or fail, C, I, P or N, or a number, not"),
        ("question,tries\nq,7\n", "name its columns successes and trials, or for single attempts task_id and passed"),
        (
            "problem,successes,trials\na,1.5,5\n",
            "successes must hold whole numbers of at least 0, but line 2 holds 1.5",
        ),
        ("task_id,solved\na,7\n", "name its columns successes and trials"),
    ]:
        Path("bad.csv").write_text(text, encoding="utf-8")
        yield lambda: load_attempts("bad.csv"), message


def refused_candidates():
    path = save(HERE, "c.csv", "search,candidate,score,label\na,p1,.9,p1\na,p2,.8,p1\nb,p3,.2,\n")
    yield lambda: load_searches(path, gallery=2), r"gallery \(--gallery\) must be at least 3, .* but is 2"
    for wrong in (0, 2.5):
        yield lambda: load_searches(path, gallery=wrong), f"gallery must be an integer of at least 1, not {wrong}"
    wide = save(HERE, "w.csv", "label,a,b\na,.9,.1\nz,.2,.3\n")
    yield lambda: load_searches(wide, gallery=2), "goes with lists of candidates: searches has all people enrolled"
    for rows, message in [
        (["a,p1,.9,p1", "a,,,p1", "b,p1,.2,"], "search 'a' has candidates and a row without one"),
        (["a,p1,.9,p1", "b,,.2,"], "line 3 has a score, but no candidate"),
        (["a,p1,-inf,p1", "b,p1,.2,"], "scores must be finite, but line 2"),
        (["a,,,p1", "b,,,"], "must have candidates, but no search returned anyone"),
        (["a,,,p1", "a,,,p2", "b,p1,.2,"], "search 'a' has several labels"),
        (["a,p1,.9,p1", "b,p1,.8,p1"], "must have non-mated searches, with an empty label"),
        (["a,p1,.9,", "b,,,"], "must have mated searches, with a label"),
    ]:
        yield (
            lambda: load_searches(save(HERE, "c.csv", "\n".join(["search,candidate,score,label", *rows]) + "\n")),
            message,
        )


def refused_embeddings():
    for embeddings, labels, message in [
        (np.eye(2), np.arange(3), r"labels in .* must have shape \(2,\), one per embedding, not \(3,\)"),
        (np.eye(2), np.eye(2), r"must have shape \(2,\), one per embedding, not \(2, 2\)"),
        (np.eye(2), np.array([0.0, 1.0]), "must be integers or strings, not values of dtype float64"),
        (np.eye(2), np.array(["a", ""]), "must not be empty, but that of row 1 is"),
        (np.eye(2), np.array([5, 5]), "must hold at least two classes, but hold 1"),
        (np.array([[1.0, np.nan], [0, 1]]), np.arange(2), r"embeddings in .* must be finite.* row 0, column 1"),
        (np.arange(2.0), np.arange(2), "embeddings in .* must have 2 axes"),
        (np.empty((2, 0)), np.arange(2), "must have at least one feature"),
    ]:
        np.savez("a.npz", embeddings=embeddings, labels=labels)
        yield lambda: load_embeddings("a.npz"), message
    for text, message in [
        ("a,b\n1,2\n", "must have one column 'label', but its header is a, b"),
        ("label,a\n0,1\n0,high\n", "line 3, column 'a': 'high' is not a number"),
        ("label,a\n0,1\n0,inf\n", "must be finite"),
        ("label,a\n,1\n0,2\n", "must not be empty, but that of row 0 is"),
        ("label\n0\n1\n", "must have at least one feature"),
    ]:
        yield lambda: load_embeddings(save(HERE, "a.csv", text)), message
    yield lambda: load_embeddings("none.csv"), "none.csv", FileNotFoundError
    np.savez("a.npz", embeddings=np.eye(2))
    yield lambda: load_embeddings("a.npz"), "must hold an array 'labels', but holds embeddings"
    np.savez("b.npz", embeddings=np.array([["x", "y"]] * 2), labels=np.arange(2))
    yield lambda: load_embeddings("b.npz"), "must hold numbers", TypeError


def refused_field_attempts():
    rows = [{"task_id": t, "trial": n, "reward": 0.0} for t in range(4) for n in range(2)]
    path = save(HERE, "log.jsonl", as_lines([*rows, rows[3]]))
    yield lambda: load_attempts(path), "1 of 9 rows repeat a problem and its trial, such as problem '1'"
    rows = [{"doc_id": i, "filter": f, "exact_match": float(i % 2)} for i in range(6) for f in ("strict", "flexible")]
    yield lambda: load_attempts(save(HERE, "a.jsonl", as_lines(rows))), r"problem '0' has filter 'strict' and"
    rows = [{k: v for k, v in row.items() if k != "filter"} for row in rows]
    yield lambda: load_attempts(save(HERE, "a.jsonl", as_lines(rows))), "problem '0' comes twice, in line 1 and"
    late = [{"task_id": 1, "passed": True}, {"task_id": 1, "passed": True, "model": "b"}]
    yield lambda: load_attempts(save(HERE, "a.jsonl", as_lines(late))), "line 2 has 'model', which the first"


def refused_field_cases():
    scores = [[0.9, 0.1], [0.2, 0.8]]
    yield (
        (
            lambda: cx.open_set.open_set_curve(
                scores, ["ann", "bob"], scores, 0.5, nonmated_labels=["ann", "zoe"], enrolled_labels=["ann", "bob"]
            )
        ),
        r"nonmated_labels must be .* 1 of 2 are among the enrolled_labels, such as ann",
    )


def refused_field_refusals():
    for header, message in [
        ("who,cand,sim,truth", "its columns are who, cand, sim, truth: it must have columns search, candidate, score"),
        ("search,candidate,sim,mate", "it must have columns search, candidate, score and label"),
        ("subject,cand,sim,label", "whose label names one; lists have columns search, candidate, score and label"),
    ]:
        yield lambda: load_searches(save(HERE, "c.csv", f"{header}\np1,a,.9,a\np2,a,.4,\n")), message
    for call, message in [
        (lambda: cx.advantage.related_measures([0, 0], [0, 0]), "y_true must hold at least two classes, not one"),
        (lambda: cx.correct_ranks([[1, 2, np.nan], [3, 2, 1]], [0, 1]), r"row 0, column 2: .*"),
        (
            lambda: cx.correct_ranks_from_embeddings(np.eye(4), np.eye(4), [7, 9, 7, 9], [7, 9, 7, 9]),
            r"at least one reference, but class 0 has none \(8 of 10 classes are empty\): .* as classes=",
        ),
        (
            lambda: cx.correct_ranks_from_embeddings(np.eye(3), np.eye(3), [0, 1, -1], [0, 1, -1]),
            r"reference_labels must lie in 0\.\.1, but row 2 is -1",
        ),
    ]:
        yield call, message


def refused_files():
    for text, message in [
        ("", "is empty"),
        ("a,b\n1,2\n", "must have one column 'label', but its header is a, b"),
        ("label,label\n1,2\n", "must have one column 'label'"),
        ("-2,5;1\n0;3,25\n", "the first line must name the columns"),
        ("7,0\n1,6\n", "a confusion matrix goes to information.confusion_information"),
        ("label,a\n", "has a header but no rows"),
        ("label,a\n0,1,2\n", "2 entries in each row, as in its header, but line 2 has 3"),
        ("label,a\n0,1\n0,high\n", "line 3, column 'a': 'high' is not a number"),
    ]:
        yield lambda: load_scores(save(HERE, "a.csv", text)), message
    for text, message in [
        ("label,ant,bee\ncow,1,2\n", r"labels among the names of its columns .ant, bee., but these are not, 1 of 1:"),
        ("label,1,2\n0,1,2\n", "but these are not, 1 of 1: '0'"),
        ("label,ant,ant\nant,1,2\n", "one column for each class, but has 'ant' more than once"),
        ("label,ant,bee\nant,1,x\nbee,1,2\n", "line 2, column 'bee': 'x' is not a number"),
    ]:
        yield lambda: load_scores(save(HERE, "a.csv", text)), message
    file = Path("ranks.npz")
    cx.ranks_from_wins([1, 2, 3, 0], 4).save(file)
    data = file.read_bytes()
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        parts = data.split(signature)
        rest = (part[: offset - 4] + b"\x0c" + part[offset - 3 :] for part in parts[1:])
        data = signature.join([parts[0], *rest])
    file.write_bytes(data)
    yield lambda: cx.CorrectRanks.load(file), r"ranks\.npz is damaged"


def refused_formats():
    for data, message in [
        (bz2.compress(TEXT.encode())[:-9], "is damaged: bzip2 cannot unpack it"),
        (lzma.compress(TEXT.encode())[:-9], "is damaged: xz cannot unpack it"),
        (b"PK\x03\x04 and no archive", "is damaged: zip cannot unpack it"),
        (b'{"label": 1\n', "must hold records of JSON, one a line: "),
        (b"[" + b'{"a":' * 100_000, "must hold records of JSON, one a line: "),
        (b'{"label": 1, "a": 2}\n\n{"label": 1,}\n', "(double quotes|trailing comma).*: line 3 column 1[23]"),
        (b'{"label": 1, "a": 2}\n{"label": 1, "a": 2, "a": 3}\n', "the name 'a' comes more than once in a record:"),
        (b'[{"label": 1, "a": 2, "a": 3}]', "the name 'a' comes more than once in a record"),
        (b"[{}]", "record 1 must hold a name and a value, but is empty"),
        (b"{}\n", "line 1 must hold a name and a value, but is empty"),
        (b'{"label": 0, "a": 1, "b": ' + b"9" * 400 + b"}\n", "line 1, column 'b': 999"),
        (b'{"label": 0, "a": 1}\n{"label": 1}\n', "line 2 must have the names of the first .label, a"),
        (b'{"label": 0, "a": 1}\n7\n', "must hold records of JSON, one a line: line 2 is 7"),
        (b'{"label": 0, "a": [1, 2], "b": 1}\n', r"line 1, column 'a': \[1, 2\] is not a number"),
    ]:
        Path("scores").write_bytes(data)
        yield lambda: load_scores("scores"), message
    zipped("a.zip", "a.csv", "b.csv")
    yield lambda: load_scores("a.zip"), r"must hold one table or numpy's arrays, but holds a\.csv, b\.csv"
    np.savez("a.npz", scores=np.eye(2), labels=["ant", "bee"])
    yield lambda: load_scores("a.npz"), "must hold an array 'classes' too, since its labels are names of"


def refused_frames():
    for index in [range(1, 5), "abcd", [0, 0, 1, 2], range(3)]:
        labels = Series(LABELS[: len(index)], index)
        yield lambda: cx.correct_ranks(Frame(SCORES), labels), r"labels must have the index of scores.*"
    wide = SCORES.astype(object)
    wide[:, 1] = [1, 2, np.int64(3), True]
    wide[0, 1] = np.int64(2**53 + 1)
    yield lambda: cx.correct_ranks(Frame(wide), LABELS), "exact as 64-bit floating-point numbers, but column"
    wide[0, 1] = 2**53 + 2
    wide[2, 1] = NAType()
    yield lambda: cx.correct_ranks(Frame(wide), LABELS), "scores must be finite, but holds nan at row 2, column"
    for entry in ["x.png", "1.5", b"raw", [1]]:
        wide = SCORES.astype(object)
        wide[1, 1] = entry
        yield lambda: cx.correct_ranks(Frame(wide), LABELS), r"scores must hold numbers, but column", TypeError


def refused_options():
    for change, message in [
        ({"target": "4"}, "line 2: filtered_resps must hold a log-likelihood for each option"),
        ({"target": "-1"}, "line 2: filtered_resps must hold"),
        ({"target": "A"}, "line 2: filtered_resps must hold"),
        ({"filtered_resps": ["The answer is B"]}, "line 2: filtered_resps must hold"),
        ({"filtered_resps": [["nan", "False"], ["-1", "False"]]}, "line 2: filtered_resps must hold"),
    ]:
        file = log(HERE, [" one", " two", " three", " four"])
        lines = file.read_text(encoding="utf-8").splitlines()
        lines[1] = json.dumps(json.loads(lines[1]) | change)
        file.write_text("\n".join(lines), encoding="utf-8")
        yield lambda: load_ranks(file), message
