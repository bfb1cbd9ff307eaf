"""What people paste into the explorer: forty texts are read as they are meant, and what cannot be read is named."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from tests.book.scripts import with_scripts


@pytest.fixture(scope="module", params=["node", pytest.param("chromium", marks=pytest.mark.browser)])
def page(request):
    """An empty page with the scripts that compute, in Node.js and in a browser."""
    if request.param == "node":
        yield request.getfixturevalue("node")
        return
    blank = with_scripts(request.getfixturevalue("browser"))
    yield blank
    blank.close()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("parseRanks('3 4', 'wins', 4)", "Line 1, column 2: wins must be a whole number from 0 to 3, not 4."),
        ("parseRanks('1 0', 'rank', 4)", "Line 1, column 2: rank must be a whole number from 1 to 4, not 0."),
        ("parseRanks('1 2,5', 'wins', 4)", "Line 1, column 2: wins must be a whole number from 0 to 3, not 2,5."),
        ("parseRanks('3 x 4', 'wins', 40)", "Line 1, column 2: “x” is not a number."),
        ("parseRanks('3 4\\n5 x', 'wins', 40)", "Line 2, column 2: “x” is not a number."),
        ("parseRanks('', 'wins', 4)", "nothing to read"),
        ("parseRanks('1', 'wins', 1)", "number of classes, at least 2"),
        ("parseRanks('place label\\n1 0', 'wins', 2)", "must name a column “wins”"),
        ("parseRanks('wins ties\\n1 1', 'wins', 2)", "wins 1 with 1 ties is too much for 2 classes"),
        ("parseScores('0 1 2\\n1 3')", "Line 2: 2 entries, but the first line has 3."),
        ("parseRanks('10.000 9.000', 'wins', 40000)", "“10.000” may be 10 or 10000"),
        ("parseRanks('39,1\\n41,5\\n38,0', 'wins', 50)", "“39,1” may be one number or two"),
        ("parseRanks('39,0\\n41,5\\n38,0', 'wins', 50)", "Line 2, column 1: wins must be a whole number"),
        ("parseRanks('wins\\n39,0\\n41,5\\n38,0', 'wins', 50)", "Line 3, column 1: wins must be a whole number"),
        ("parseRanks('39,0 41,5 38,0', 'wins', 50)", "Line 1, column 2: wins must be a whole number"),
        ("parseRanks('39 38', 'wins', 1e30)", "at most 1,000,000 classes"),
        ("parseScores('0,1,2\\n0,3,4')", "if these are names of columns, the column “label” is missing"),
        ("parseScores('0 1 x\\n')", "must name one column “label”"),
        ("parseScores('0 1 2\\n1 3 nan')", "Line 2, column 3: “nan” is not a number."),
        ("parseScores('0 1 2\\n2 3 4')", "Line 2, column 1: label must be a whole number from 0 to 1, not 2."),
        ("parseSizes('10, 2.5')", "Numbers of classes must be whole numbers"),
    ],
)
def test_what_cannot_be_read_is_named(page, call, message):
    found = page.evaluate(f"() => {{ try {{ classexExplorer.{call}; }} catch (error) {{ return error.message; }} }}")
    assert message in found


SCORES = [[0.5, 0.25, -1.5], [0.125, 0.75, 0.5], [1000.5, 2.0, 10.25]]
TABLE = "label,a,b,c\n0,0.5,0.25,-1.5\n1,0.125,0.75,0.5\n2,1000.5,2.0,10.25"
ENGLISH = [
    TABLE,
    TABLE.replace("label,a,b,c\n", ""),
    TABLE.replace("\n", "\r\n") + "\r\n\r\n",
    TABLE.replace(",", "\t"),
    TABLE.replace(",", ";"),
    TABLE.replace(",", " "),
    TABLE.replace(",", ", "),
    TABLE.replace("1000.5", "1000.50"),
    TABLE.replace("1000.5", "1.0005e3"),
    TABLE.replace(",", "\t").replace("1000.5", "1,000.5"),
    "# from a program\n" + TABLE,
    "\ufeff" + TABLE,
    TABLE.replace("-1.5", "\u22121.5"),
    TABLE.replace("label", '"label"').replace("a,b", '"a","b"'),
    TABLE.replace("\n0,", "\na,").replace("\n1,", "\nb,").replace("\n2,", "\nc,"),
    TABLE.replace("label", "Label"),
    "\n".join(",".join([*line.split(",")[1:], line.split(",")[0]]) for line in TABLE.split("\n")),
]
EUROPEAN = [
    TABLE.replace(",", ";").replace(".", ","),
    TABLE.replace(",", "\t").replace(".", ","),
    TABLE.replace(",", "\t").replace("1000.5", "1000.50").replace(".", ","),
    TABLE.replace(",", ";").replace(".", ",").replace("1000,5", "1.000,5"),
    TABLE.replace(",", " ").replace(".", ","),
    TABLE.replace("label,a,b,c\n", "").replace(",", ";").replace(".", ","),
    TABLE.replace(",", " ; ").replace(".", ","),
]
WINS = [39, 38, 39, 31, 0, 39]
LISTS = [
    "39 38 39 31 0 39",
    "39,38,39,31,0,39",
    "39, 38, 39, 31, 0, 39",
    "39\n38\n39\n31\n0\n39\n",
    "39;38;39;31;0;39",
    "39\t38\t39\t31\t0\t39",
    "39,0 38,0 39,0 31,0 0,0 39,0",
    "39.0 38.0 39.0 31.0 0.0 39.0",
    "39,0\n38,0\n39,0\n31,0\n0,0\n39,0",
    "39.000 38.000 39.000 31.000 0 39.000",
    "39,0;38,0;39,0;31,0;0,0;39,0",
    "wins\n39\n38\n39\n31\n0\n39",
    "Wins of my system\n39\n38\n39\n31\n0\n39".replace("Wins of my system", "wins_of_mine"),
    "39 38 39\n31 0 39",
    "3.9e1 38 39 31 0 39",
    "+39 38 39 31 0 39",
    "39 38 39 31 0 39 \n\n",
    "wins;ties\n39;0\n38;0\n39;0\n31;0\n0;0\n39;0",
]


@pytest.mark.parametrize("text", [*ENGLISH, *EUROPEAN], ids=range(len(ENGLISH) + len(EUROPEAN)))
def test_pasted_scores_are_read_as_they_are_meant(page, text):
    found = page.evaluate("(text) => { const r = classexExplorer.parseScores(text); return [r.wins, r.labels]; }", text)
    ranks = cx.correct_ranks(np.array(SCORES), [0, 1, 2])
    assert found == [ranks.wins.tolist(), [0, 1, 2]]
    table = "(text) => classexExplorer.parseScores(text).distractors.beaten.map((row) => [...row])"
    assert page.evaluate(table, text) == page.evaluate(table, TABLE)


@pytest.mark.parametrize("text", LISTS, ids=range(len(LISTS)))
def test_pasted_lists_are_read_as_they_are_meant(page, text):
    found = page.evaluate("(text) => classexExplorer.parseRanks(text, 'wins', 40).wins", text)
    assert found == WINS


def test_thousands_are_read_where_so_many_are_possible(page):
    read = "([text, k]) => classexExplorer.parseRanks(text, 'wins', k).wins"
    assert page.evaluate(read, ["wins\n9.999\n10.000\n500", 20_000]) == [9999, 10_000, 500]
    assert page.evaluate(read, ["wins\n9,999\n10,000\n500", 20_000]) == [9999, 10_000, 500]
    assert page.evaluate(read, ["wins\n10,000\n500", 20_000]) == [10_000, 500]
    assert page.evaluate(read, ["10.000 500 9.000", 20_000]) == [10_000, 500, 9000]
    assert page.evaluate(read, ["10.000 9.000", 40]) == [10, 9]
    assert page.evaluate("() => classexExplorer.parseSizes('2, 1.000 10.000; 1e6')") == [2, 1000, 10_000, 10**6]


def test_ranks_that_look_like_wins_are_noticed(page):
    read = "([text, kind]) => classexExplorer.parseRanks(text, kind, 100).warning ?? ''"
    ranks = " ".join(["1"] * 20 + ["2", "5", "3"])
    wins = " ".join(["99"] * 20 + ["98", "95", "97"])
    assert "Are these ranks" in page.evaluate(read, [ranks, "wins"])
    assert "Are these wins" in page.evaluate(read, [wins, "rank"])
    assert page.evaluate(read, [ranks, "rank"]) == ""
    assert page.evaluate(read, [wins, "wins"]) == ""
    minus = "classexExplorer.parseScores(text).warning ?? ''"
    rows = "\n".join(",".join([str(i), *("0" if c == i else "1" for c in range(30))]) for i in range(30))
    assert "Are they distances" in page.evaluate(f"(text) => {minus}", rows)
