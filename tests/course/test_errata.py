"""Every correction on the errata page: the right formula agrees with an independent truth, the printed one does not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from classex_book.errata import TOPICS, Comparison, comparisons, numbers_table, source_of

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


def test_values_are_numbers_with_an_honest_error(rows):
    for row in rows:
        assert np.isfinite([row.printed, row.right, row.truth]).all()
        assert 0 <= row.error < 0.05


def test_results_do_not_depend_on_the_run():
    assert comparisons("favourability") == comparisons("favourability")


def test_the_page_and_the_calculations_hold_the_same_corrections():
    listed = re.findall(r"^\| ([A-Z]\d+) \|", PAGE, re.MULTILINE)
    # N5 has two calculations, for a Bayes rule and for another
    calculated = list(dict.fromkeys(row.number for topic in TOPICS for row in comparisons(topic)))
    assert len(listed) == len(set(listed))
    assert [number for number in listed if number not in WITHOUT_NUMBER] == calculated
    assert set(listed) >= WITHOUT_NUMBER


def test_every_topic_has_its_cells():
    assert re.findall(r'numbers_table\("(\w+)"\)', PAGE) == list(TOPICS)
    assert re.findall(r'source_of\("(\w+)"\)', PAGE) == list(TOPICS)


def test_the_corrected_quantities_of_the_november_draft():
    # the printed regression converges to (1/36, 1/3, 5/12) for D-bar = u^2 and eight classes
    (row,) = [row for row in comparisons("estimation") if row.number == "N1"]
    assert row.printed == pytest.approx(99 * (1 / 36 / 99 + 1 / 3 / 100 + 5 / 12 / 101))


def test_the_table_shows_kind_and_error():
    table = numbers_table("bayes")
    assert "(upper bound)" in table
    assert r"$4.1 \cdot 10^{-9}$" in table
    assert "exact" in table


def test_the_code_shown_is_that_of_the_rows():
    code = source_of("bayes")
    assert code.startswith("```python\n@erratum(")
    assert code.count("@erratum(") == len(comparisons("bayes"))
    assert "import" not in code


@pytest.mark.parametrize("function", [comparisons])
def test_an_unknown_topic_is_refused(function):
    with pytest.raises(ValueError, match=r"topic must be one of ranks, .*, not 'prior'"):
        function("prior")
