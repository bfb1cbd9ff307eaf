"""One list of checks, walked over all readers: whichever format a fault comes in, it is named."""

from __future__ import annotations

import logging
import re
import warnings

import numpy as np
import pytest

import classex as cx
from classex.fields.open_set import open_set_curve, verification_curve
from tests.io.corpus import CASES, READ
from tests.io.test_corpus import saved

TABLES = [name for name, case in CASES.items() if case.ending == "csv" and case.write(case.rows)[:1] not in b"\xff\xfe"]


def said(name, data, folder, caplog):
    """What a reader says of a file: its error, or its warnings and its ledger."""
    case = CASES[name]
    path = saved(case, folder, data)
    caplog.clear()
    with warnings.catch_warnings(record=True) as caught, caplog.at_level(logging.INFO):
        warnings.simplefilter("always")
        try:
            READ[case.kind](path, **case.options)
        except (ValueError, TypeError) as error:
            return str(error)
    return " ".join([*(str(one.message) for one in caught), caplog.text])


def lines_of(name):
    return CASES[name].write(CASES[name].rows).splitlines(keepends=True)


@pytest.mark.parametrize("name", TABLES)
def test_a_missing_header(name, tmp_path, caplog):
    head, *rows = lines_of(name)
    if head.startswith(b"#"):
        rows = rows[1:]
    text = said(name, b"".join(rows), tmp_path, caplog)
    assert re.search(r"column|header|must name|formats|looks like", text), text


@pytest.mark.parametrize("name", [name for name in TABLES if not CASES[name].unnamed])
def test_a_row_that_is_repeated(name, tmp_path, caplog):
    lines = lines_of(name)
    text = said(name, b"".join([*lines, lines[-1]]), tmp_path, caplog)
    assert re.search(r"twice|more than once|are copies|repeat|one score for each|problems have \d+ attempts?", text), (
        text
    )


@pytest.mark.parametrize("name", [name for name in TABLES if CASES[name].kind in ("attempts", "once", "filters")])
def test_an_outcome_that_is_empty(name, tmp_path, caplog):
    case = CASES[name]
    column = [key for key in case.rows[0] if key not in (*case.ids, "trial", "epoch", "note", "completion", "filter")][
        -1
    ]
    rows = [{**row, column: ""} if i == 1 else row for i, row in enumerate(case.rows)]
    text = said(name, case.write(rows), tmp_path, caplog)
    assert re.search(r"1 of \d+ outcomes are empty|is not a number|must hold whole", text), text


@pytest.mark.parametrize("name", TABLES)
def test_a_score_that_is_empty_or_a_word(name, tmp_path, caplog):
    case = CASES[name]
    if case.kind in ("attempts", "once", "filters"):
        return
    column = [key for key in case.rows[0] if key not in (*case.ids, "user", "pair", "RANK")][-1]
    for entry in ("", "high"):
        rows = [{**row, column: entry} if i == 1 else row for i, row in enumerate(case.rows)]
        text = said(name, case.write(rows), tmp_path, caplog)
        assert re.search(r"number|several labels|is empty|must be|whole|are not|nan", text), (entry, text)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        *((name, "label") for name in ("wide.csv", "long.csv", "searches.csv", "candidates.csv")),
        *((name, column) for name in ("run-table.csv",) for column in ("docno", "qid")),
        *((name, column) for name in ("qrels-table.csv",) for column in ("doc_id", "query_id")),
    ],
)
@pytest.mark.parametrize("change", ["case", "other"])
def test_names_that_differ_by_case_or_never_match(name, column, change, tmp_path, caplog):
    case = CASES[name]
    other = str.upper if change == "case" else "no {}".format
    rows = [{**row, column: other(str(row[column])) if row[column] != "" else ""} for row in case.rows]
    text = said(name, case.write(rows), tmp_path, caplog)
    assert re.search(r"resembles|are not|no name is in both|must have at least one mated|have no list", text), text


@pytest.mark.parametrize(("name", "times"), [("matrix.csv", 10), ("matrix.csv", 100), ("records.csv", 10)])
def test_a_scale_that_is_not_0_to_1(name, times, tmp_path, caplog):
    case = CASES[name]
    rows = [{key: one if key in case.ids else times * int(one) for key, one in row.items()} for row in case.rows]
    assert f"outcomes go up to {times}" in said(name, case.write(rows), tmp_path, caplog)


def test_scores_that_are_distances():
    """The same check, whatever compares the scores."""
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(200, 20)), np.arange(200) % 20
    scores[np.arange(200), labels] -= 3
    with pytest.warns(UserWarning, match="are the scores distances"):
        cx.correct_ranks(scores, labels)
    with pytest.warns(UserWarning, match="are the scores distances"):
        open_set_curve(scores, labels, rng.normal(size=(50, 20)), 0.5)
    with pytest.warns(UserWarning, match="are the scores distances"):
        verification_curve(rng.normal(0.3, 0.1, 200), rng.normal(0.8, 0.1, 2000), thresholds=0.5)
