"""Formulas and the marks that touch them stay together; printed signs; repairs for screen readers."""

from __future__ import annotations

import pytest
from classex_sphinx.pages import finish

FORMULA = r'<span class="math notranslate nohighlight">\(k-1\)</span>'
HELD = '<span class="classex-held">'


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("in 95 % of 71% cases", "in 95\u00a0% of 71\u00a0% cases"),
        ("from -0.32 to (-1), at -.5", "from \u22120.32 to (\u22121), at \u2212.5"),
        ("pages 10-12, UTF-8, x1e-08, 3e, well-known, k-1", "pages 10-12, UTF-8, x1e-08, 3e, well-known, k-1"),
        ("4.1e-09, 1e-08 and 3.73e+03.", "4.1·10⁻⁹, 10⁻⁸ and 3.73·10³."),
        ("see Theorem 3.1, Fig. 2 and lemma 4", "see Theorem\u00a03.1, Fig.\u00a02 and lemma\u00a04"),
        ("0.05 ± 0.01", "0.05 ±\u00a00.01"),
        ("<strong>22</strong> % of it, less than - 3", "<strong>22</strong>\u00a0% of it, less than - 3"),
        ('<p id="a-1">-1</p><summary aria-label="-3">', '<p id="a-1">\u22121</p><summary aria-label="\u22123">'),
    ],
)
def test_signs_are_printed(text, mended):
    assert finish(text) == mended


@pytest.mark.parametrize(
    "text",
    [
        "<code>-1 %</code>",
        "<pre>\n<span>&gt;&gt;&gt;</span> -1 2e-06\n</pre>",
        '<dt class="sig">f(axis=-1)</dt>',
        r'<div class="math notranslate">\[x^{-1}\]</div>',
        r"\(-3\)",
        "<script>a = -1;</script>",
        '<a href="x%2F-1" title="-3">a</a> 100%2F',
    ],
)
def test_code_and_formulas_keep_their_signs(text):
    assert finish(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"equals {FORMULA}, and", f"equals {HELD}{FORMULA},</span> and"),
        (f"see ({FORMULA}-class) tasks", f"see {HELD}({FORMULA}-class)</span> tasks"),
        (f"equals {FORMULA} and", f"equals {FORMULA} and"),
        (f"{FORMULA}-{'x' * 20}", f"{FORMULA}-{'x' * 20}"),
        (f"{FORMULA}, {FORMULA}.", f"{HELD}{FORMULA},</span> {HELD}{FORMULA}.</span>"),
    ],
)
def test_a_formula_holds_what_touches_it(before, after):
    assert finish(before) == after
