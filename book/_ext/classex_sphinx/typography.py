"""What may not come apart at the end of a line, and signs as they are printed.

A browser may break a line before and after a formula, even between a formula and the full stop behind it. Here the
formula and what touches it become one piece. A per cent sign stays with its number, and a negative number has a minus
sign, not a hyphen: also where a page computed the number.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

_VERBATIM = (nodes.literal, nodes.math, nodes.FixedTextElement)  # blocks of code, examples, formulas, comments
_PER_CENT = re.compile(r"(?<=\d)[ \u00a0]?%(?![\w/])")
_MINUS = re.compile(r"(?<![\w.\-–/])-(?=\.?\d)")
_OPENING = re.compile(r"[(\[“‘]+$")
_LONGEST = 12
HELD = "classex-held"
NO_BREAK = "\u00a0"


def printed(text: str, before: str = "") -> str:
    """The text with printed signs; `before` is what stands in front of it."""
    text = _MINUS.sub("\N{MINUS SIGN}", _PER_CENT.sub(f"{NO_BREAK}%", text))
    text = text.replace("\N{PLUS-MINUS SIGN} ", f"\N{PLUS-MINUS SIGN}{NO_BREAK}")
    if text[:2] == " %" and before[-1:].isdigit():
        text = NO_BREAK + text[1:]
    return text


def set_signs(doctree: nodes.document) -> None:
    """Replace hyphens and blanks in everything that is neither code nor formula."""
    for text in list(doctree.findall(nodes.Text)):
        place, verbatim = text.parent, False
        while place is not None and not verbatim:
            verbatim, place = isinstance(place, _VERBATIM), place.parent
        if not verbatim:
            index = text.parent.index(text)
            before = text.parent[index - 1].astext() if index else ""
            new = printed(str(text), before)
            if new != str(text):
                text.parent[index] = nodes.Text(new)


def hold_formulas(doctree: nodes.document) -> None:
    """Make one piece of a formula in a line and the marks that touch it."""
    for formula in list(doctree.findall(nodes.math)):
        parent = formula.parent
        place = parent.index(formula)
        piece = nodes.inline("", "", classes=[HELD])
        before = parent[place - 1] if place else None
        after = parent[place + 1] if place + 1 < len(parent) else None
        opening = _OPENING.search(str(before)) if isinstance(before, nodes.Text) else None
        closing = re.match(r"\S+", str(after)) if isinstance(after, nodes.Text) else None
        if closing and len(closing[0]) > _LONGEST:
            closing = None
        if not opening and not closing:
            continue
        parent[place] = piece
        piece += formula
        if closing:
            piece += nodes.Text(closing[0])
            parent[place + 1] = nodes.Text(str(after)[closing.end() :])
        if opening:
            piece.insert(0, nodes.Text(opening[0]))
            parent[place - 1] = nodes.Text(str(before)[: opening.start()])


def set_type(app: Sphinx, doctree: nodes.document, _name: str) -> None:
    """Mend a page of the web before it is written."""
    if app.builder.format == "html":
        set_signs(doctree)
        hold_formulas(doctree)


def setup(app: Sphinx) -> None:
    """Connect to the build, when all outputs are in their places."""
    app.connect("doctree-resolved", set_type, priority=900)
