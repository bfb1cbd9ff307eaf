"""What makes a page readable: its reading time, folded code that says what it holds, words in both spellings.

The reading time is measured from the page, not guessed: words at the pace of a textbook, a pause for each formula,
figure and line of code. Exercises count apart, with the minutes that they state.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

from .exercises import minutes

WORDS = 180.0  # a minute, of a text with mathematics
SECONDS = {nodes.math: 2.0, nodes.math_block: 15.0, nodes.image: 20.0, nodes.row: 2.0}
CODE_LINE = 3.0  # seconds
_NOT_READ = (nodes.comment, nodes.raw, nodes.substitution_definition, addnodes.index, addnodes.toctree, solution_node)
_STATED = re.compile(r"^\s*\d+ minutes?")
_PARTS = {"input": slice(1), "output": slice(1, None), "all": slice(None)}  # what is folded of a code cell
_SPELLINGS = ((r"is(?=e|ation|ing|able)", "iz"), (r"ys(?=e|ing)", "yz"), (r"our(?=s?$|a|i|e|l|h)", "or"),
              (r"ll(?=ed|ing)", "l"), (r"tr(?=es?$|ed$)", "ter"))  # fmt: skip


def effort(page: nodes.document) -> tuple[int, int, int]:
    """Minutes to read a page, minutes for its exercises, and their number."""
    page = page.deepcopy()
    exercises = [node for node in page.findall() if isinstance(node, exercise_node | exercise_enumerable_node)]
    skipped = [node for node in page.findall() if isinstance(node, _NOT_READ)]
    for cell in page.findall(nodes.container):
        skipped += cell.children[_PARTS[cell["hide_mode"]]] if cell.get("hide_mode") else []
    for node in skipped:
        node.parent.remove(node)
    seconds = sum(pause * len(list(page.findall(kind))) for kind, pause in SECONDS.items())
    for node in [
        node for node in page.findall() if isinstance(node, nodes.literal_block | nodes.math | nodes.math_block)
    ]:
        if isinstance(node, nodes.literal_block):
            seconds += CODE_LINE * (1 + node.astext().strip().count("\n"))
        node.parent.remove(node)
    words = sum(len(re.findall(r"\w+", text)) for text in page.findall(nodes.Text))
    reading = words / WORDS + seconds / 60
    reading = max(1, 5 * round(reading / 5) if reading > 10 else round(reading))
    return reading, sum(map(minutes, exercises)), len(exercises)


def _clock(minutes: int) -> str:
    return f"{minutes} minute{'s' * (minutes > 1)}" if minutes < 90 else f"{round(minutes / 30) / 2:g} hours"


def say_effort(app: Sphinx, doctree: nodes.document) -> None:
    """Say under the title how long the page takes, and say the same in the box at its head."""
    reading, working, count = effort(doctree)
    said = f"{_clock(reading)} to read"
    if count:
        said += f", about {_clock(working)} for the {count} exercise{'s' * (count > 1)}"
    for strong in doctree.findall(nodes.strong):
        rest = strong.next_node(nodes.Text, descend=False, siblings=True)
        if strong.astext() == "Time." and rest and _STATED.match(rest):
            rest.parent.replace(rest, nodes.Text(_STATED.sub(f" {said}", rest, count=1)))
    title = next(doctree.findall(nodes.title), None)
    looked_up = app.env.docname == app.config.root_doc or app.env.docname.startswith("book/api")
    if title is None or looked_up or (reading < 3 and not count):
        return
    note = nodes.paragraph("", "", nodes.Text(said), classes=["classex-note"])
    title.parent.insert(title.parent.index(title) + 1, addnodes.only("", note, expr="html"))


def word_prompts(_app: Sphinx, doctree: nodes.document) -> None:
    """Say what folded cells hold: the code of a plot, other code, a table of numbers."""
    for cell in doctree.findall(nodes.container):
        if "{type}" in cell.get("prompt_show", ""):
            draws, tabulates = (next(cell.findall(kind), None) for kind in (nodes.image, nodes.table))
            what = {
                "input": "the plotting code" if draws else "the code",
                "output": "the numbers",
                "all": "the code and the numbers" if tabulates else "the code and what it prints",
            }[cell["hide_mode"]]
            cell["prompt_show"], cell["prompt_hide"] = f"Show {what}", f"Hide {what}"


def let_search_know_both_spellings(_app: Sphinx, doctree: nodes.document) -> None:
    """Give the page its words in their American spelling as keywords: "favorability" finds favourability."""
    words = set(re.findall(r"[a-z]{5,}", doctree.astext().lower()))
    others = set()
    for word in words:
        other = word
        for british, american in _SPELLINGS:
            other = re.sub(british, american, other)
        others.add(other)
    doctree.insert(0, nodes.meta("", name="keywords", content=", ".join(sorted(others - words))))


def setup(app: Sphinx) -> None:
    """Connect to the build: before the page is stored."""
    app.connect("doctree-read", word_prompts)
    app.connect("doctree-read", say_effort, priority=600)
    app.connect("doctree-read", let_search_know_both_spellings, priority=600)
