"""Markdown tables: formats, alignment, and cells that would break a row."""

from fractions import Fraction

import numpy as np
import pandas as pd
from markdown_it import MarkdownIt

from classex_book.tables import frame_table, markdown_table


def read_back(text):
    """Cells of a table as a Markdown parser sees them, row by row."""
    rows, row = [], None
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        if token.type == "tr_open":
            row = []
            rows.append(row)
        elif token.type == "inline":
            row.append(token.content)
    return rows


def test_numbers_are_rounded_and_integers_kept():
    text = markdown_table(["k", "accuracy"], [[2, 0.5], [np.int64(1000), np.float64(2 / 3)], [10, Fraction(1, 3)]])
    assert read_back(text) == [["k", "accuracy"], ["2", "0.500"], ["1000", "0.667"], ["10", "0.333"]]


def test_numeric_columns_are_aligned_to_the_right_and_others_to_the_left():
    text = markdown_table(["name", "k", "mixed", "flag"], [["a", 1, 2.0, True], ["b", None, "n/a", False]])
    assert text.splitlines()[1] == "| :-- | --: | :-- | :-- |"


def test_missing_values_make_empty_cells():
    text = markdown_table(["x", "y", "z"], [[None, float("nan"), np.nan]])
    assert read_back(text)[1] == ["", "", ""]


def test_no_cell_can_break_its_row():
    text = markdown_table(["a|b", "c\nd"], [["P(A|B)", "two\nlines"], ["x", "y"]])
    assert read_back(text) == [["a|b", "c d"], ["P(A|B)", "two lines"], ["x", "y"]]


def test_a_data_frame_shows_the_digits_of_pandas():
    frame = pd.DataFrame({"$k$": [2, 10], "x": [0.5, np.nan], "SE": [0.25, 1 / 3], "name": ["a", None]}).round(3)
    assert read_back(frame_table(frame)) == [
        ["$k$", "x", "SE", "name"], ["2", "0.5", "0.250", "a"], ["10", "", "0.333", ""],
    ]  # fmt: skip
    shown = [line.split()[1:] for line in frame.to_string(na_rep="", index=True).splitlines()[1:]]
    assert shown[0] == ["2", "0.5", "0.250", "a"]
    assert read_back(frame_table(pd.DataFrame({"x": [1 / 3, 0.1 + 0.2]})))[1:] == [["0.333333"], ["0.300000"]]


def test_an_index_with_a_meaning_is_a_column():
    frame = pd.DataFrame({"method": ["a", "b"], "bias": [0.0, -0.1]})
    assert read_back(frame_table(frame)) == [["method", "bias"], ["a", "0.0"], ["b", "-0.1"]]
    assert frame_table(frame.set_index("method")) == frame_table(frame)
    assert read_back(frame_table(frame.iloc[1:]))[0] == ["index", "method", "bias"]
