"""Formulas and the marks that touch them stay together; printed signs on the pages of the web."""

from __future__ import annotations

import pytest
from classex_sphinx.typography import HELD, hold_formulas, printed, set_signs, set_signs_of_quizzes
from docutils import nodes
from docutils.utils import new_document


def page(*parts: nodes.Node) -> nodes.document:
    document = new_document("page")
    document += nodes.paragraph("", "", *parts)
    return document


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("in 95 % of 71% cases", "in 95\u00a0% of 71\u00a0% cases"),
        ("from -0.32 to (-1), at -.5", "from \u22120.32 to (\u22121), at \u2212.5"),
        ("pages 10-12, UTF-8, x1e-08, 3e, well-known, k-1", "pages 10-12, UTF-8, x1e-08, 3e, well-known, k-1"),
        ("4.1e-09, 1e-08 and 3.73e+03.", "4.1·10⁻⁹, 10⁻⁸ and 3.73·10³."),
        ("0.05 ± 0.01", "0.05 ±\u00a00.01"),
        ("100%2F", "100%2F"),
    ],
)
def test_signs_are_printed(text, mended):
    assert printed(text) == mended


def test_a_per_cent_sign_stays_with_a_number_that_was_computed():
    document = page(nodes.strong("", "", nodes.Text("22")), nodes.Text(" % of the variance, less than - 3"))
    set_signs(document)
    assert document.astext() == "22\u00a0% of the variance, less than - 3"


def test_code_and_formulas_keep_their_signs():
    document = page(nodes.literal("", "", nodes.Text("-1 %")), nodes.math("", "-1"))
    examples = [kind("", ">>> -1 % 2") for kind in (nodes.literal_block, nodes.doctest_block)]
    document += examples
    set_signs(document)
    assert document[0].astext() == "-1 %-1"
    assert [example.astext() for example in examples] == [">>> -1 % 2"] * 2


def test_examples_of_code_keep_their_signs():
    document = new_document("page")
    document += nodes.doctest_block("", ">>> x\n-0.5 1e-06")
    set_signs(document)
    assert document.astext() == ">>> x\n-0.5 1e-06"


def test_a_word_and_its_number_fill_a_cell_on_one_line():
    document = new_document("page")
    texts = ("equation 2.3", "Theorem 3.1 and more")
    for text in texts:
        for part in (nodes.tbody, nodes.thead):
            document += part("", nodes.entry("", nodes.paragraph("", "", nodes.reference("", text))))
    set_signs(document)
    found = [part.astext() for part in document.children]
    assert found[::2] == ["equation\u00a02.3", "Theorem 3.1 and more"]
    assert found[1::2] == list(texts)


def test_quizzes_have_printed_signs_outside_code_and_formulas():
    plain = r'<div class="classex-quiz x"><p>-3, 95 % {}</p><code>-3 %</code> \(-3\) <a title="-3 %">'
    plain += '<summary aria-label="-3">'
    document = new_document("page")
    document += nodes.raw("", plain.format("of 15%"), format="html")
    document += nodes.raw("", "<p>-3</p>", format="html")
    set_signs_of_quizzes(document)
    mended = plain.format("of 15\u00a0%").replace(">-3, 95 %", ">\u22123, 95\u00a0%").replace('l="-3', 'l="\u22123')
    assert [node.astext() for node in document.children] == [mended, "<p>-3</p>"]


@pytest.mark.parametrize(
    ("before", "after", "held", "rest"),
    [
        ("equals ", ", and", "$k$,", "equals  and"),
        ("see (", "-class) tasks", "($k$-class)", "see  tasks"),
        ("equals ", " and", None, "equals  and"),
        ("equals ", "".join(["-", "x" * 20]), None, "equals -" + "x" * 20),
    ],
)
def test_a_formula_holds_what_touches_it(before, after, held, rest):
    document = page(nodes.Text(before), nodes.math("$k$", "$k$"), nodes.Text(after))
    hold_formulas(document)
    pieces = [node for node in document.findall(nodes.inline) if HELD in node["classes"]]
    assert [piece.astext() for piece in pieces] == ([held] if held else [])
    assert document.astext() == before + "$k$" + after
    outside = [str(node) for node in document[0].children if isinstance(node, nodes.Text)]
    assert "".join(outside) == rest


def test_two_formulas_in_a_row_are_each_held_once():
    document = page(nodes.math("", "a"), nodes.Text(", "), nodes.math("", "b"), nodes.Text("."))
    hold_formulas(document)
    assert [node.astext() for node in document.findall(nodes.inline)] == ["a,", "b."]
    assert document.astext() == "a, b."
