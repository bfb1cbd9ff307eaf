"""Every correction on the errata page: the right formula agrees with an independent truth, the printed one does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classex_book.errata import TOPICS, Comparison, comparisons

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "errata.md").read_text(encoding="utf-8")
# an index, a word, a sign, a dimension or a report, and two numbers of which a draft does not say which is meant
WITHOUT_NUMBER = {"R10", "R11", "F11", "F13", "E8", "E9", "N9", "N10", "I8", "D5", "D6", "D7", "D8", "D12"}
Z = 4.5


@pytest.fixture(scope="module", params=TOPICS)
def rows(request: pytest.FixtureRequest) -> list[Comparison]:
    return comparisons(request.param)


def test_the_right_formula_gives_the_truth(rows):
    for row in rows:
        slack = Z * row.error + 1e-9
        if row.kind == "value":
            assert abs(row.right - row.truth) <= slack, row
        elif row.kind == "upper bound":
            assert row.truth <= row.right + slack, row
        else:
            assert row.truth >= row.right - slack, row


def test_the_printed_formula_does_not(rows):
    for row in rows:
        # beyond any doubt, and by at least one part in a hundred of the larger of the two
        margin = max(2 * Z * row.error, 0.01 * max(abs(row.printed), abs(row.truth)))
        if row.kind == "value":
            assert abs(row.printed - row.truth) > margin, row
        elif row.kind == "upper bound":
            assert row.truth > row.printed + margin, row
        else:
            assert row.truth < row.printed - margin, row


def test_the_page_and_the_calculations_hold_the_same_corrections():
    listed = re.findall(r"^\| ([A-Z]\d+) \|", PAGE, re.MULTILINE)
    # N5 has two calculations, for a Bayes rule and for another
    calculated = list(dict.fromkeys(row.number for topic in TOPICS for row in comparisons(topic)))
    assert len(listed) == len(set(listed))
    assert [number for number in listed if number not in WITHOUT_NUMBER] == calculated
    assert set(listed) >= WITHOUT_NUMBER


def test_the_corrected_quantities_of_the_november_draft():
    # the printed regression converges to (1/36, 1/3, 5/12) for D-bar = u^2 and eight classes
    (row,) = [row for row in comparisons("estimation") if row.number == "N1"]
    assert row.printed == pytest.approx(99 * (1 / 36 / 99 + 1 / 3 / 100 + 5 / 12 / 101))
