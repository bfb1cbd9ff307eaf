"""What may not come apart at the end of a line, and signs as they are printed.

A browser may break a line before and after a formula, even between a formula and the full stop behind it. Here the
formula and what touches it become one piece. A per cent sign stays with its number, a negative number has a minus
sign, not a hyphen, and a power of ten is written as one: also where a page computed the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

_VERBATIM = (nodes.literal, nodes.math, nodes.FixedTextElement)  # blocks of code, examples, formulas, comments
_PER_CENT = re.compile(r"(?<=\d)[ \u00a0]?%(?![\w/])")
_MINUS = re.compile(r"(?<![\w.\-–/])-(?=\.?\d)")
_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?)0*(\d+)(?![\w.]*\w)")
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]+ [A-Z]?[\d.]+")
_QUIZ = '<div class="classex-quiz'
_IN_QUIZ = re.compile(r"<code>.*?</code>|<[^>]*>|\\\(.*?\\\)|([^<\\]+)", re.DOTALL)
_NAME = re.compile(r'(aria-label=")([^"]*)')
_OPENING = re.compile(r"[(\[“‘]+$")
_LONGEST = 12
HELD = "classex-held"
NO_BREAK = "\u00a0"


def printed(text: str, before: str = "") -> str:
    """The text with printed signs; `before` is what stands in front of it."""
    text = _POWER.sub(_power_of_ten, text)
    text = _MINUS.sub("\N{MINUS SIGN}", _PER_CENT.sub(f"{NO_BREAK}%", text))
    text = text.replace("\N{PLUS-MINUS SIGN} ", f"\N{PLUS-MINUS SIGN}{NO_BREAK}")
    if text[:2] == " %" and before[-1:].isdigit():
        text = NO_BREAK + text[1:]
    return text


def _power_of_ten(number: re.Match[str]) -> str:
    """Such as 4.1·10⁻⁹ for 4.1e-09."""
    power = "10" + (number[2].removeprefix("+") + number[3]).translate(_RAISED)
    return power if number[1] == "1" else f"{number[1]}·{power}"


def _around(node: nodes.Node) -> Iterator[nodes.Element]:
    """What a node stands in, from the inside out."""
    while node.parent is not None:
        node = node.parent
        yield node


def set_signs(doctree: nodes.document) -> None:
    """Replace hyphens and blanks in everything that is neither code nor formula."""
    for text in list(doctree.findall(nodes.Text)):
        around = list(_around(text))
        if not any(isinstance(node, _VERBATIM) for node in around):
            index = text.parent.index(text)
            before = text.parent[index - 1].astext() if index else ""
            new = printed(str(text), before)
            # what fills a cell of a table, such as Theorem 3.1, stays on one line
            if _WORD_AND_NUMBER.fullmatch(new) and any(isinstance(node, nodes.tbody) for node in around):
                new = new.replace(" ", NO_BREAK)
            if new != str(text):
                text.parent[index] = nodes.Text(new)


def set_signs_of_quizzes(doctree: nodes.document) -> None:
    """The same in quizzes, which come as HTML."""
    for quiz in doctree.findall(nodes.raw):
        if _QUIZ in quiz.astext():
            quiz[0] = nodes.Text(_IN_QUIZ.sub(_printed_in_quiz, quiz.astext()))


def _printed_in_quiz(part: re.Match[str]) -> str:
    # the name of an option is what stands on it
    return printed(part[0]) if part[1] else _NAME.sub(lambda name: name[1] + printed(name[2]), part[0])


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
        set_signs_of_quizzes(doctree)
        hold_formulas(doctree)


def setup(app: Sphinx) -> None:
    """Connect to the build, when all outputs are in their places."""
    app.connect("doctree-resolved", set_type, priority=900)
