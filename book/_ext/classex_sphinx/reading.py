"""What makes a page readable: its measured reading time, folded code that says what it holds, plain identifiers.

The reading time is measured from the page, not guessed: words at the pace of a textbook, a pause for each formula,
figure and line of code. Exercises count apart, with the minutes that they state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

from classex_book.course.exercises import exercise

WORDS = 180.0  # a minute, of a text with mathematics
SECONDS = {nodes.math: 2.0, nodes.math_block: 15.0, nodes.image: 20.0, nodes.row: 2.0}
CODE_LINE = 3.0  # seconds
MINUTES = {"by-hand": 10, "by-code": 20, "open": 45, "proof": 20}  # for an exercise without a checker
_STATED = re.compile(r"^\s*\d+ minutes?")
_NO_TEXT = (nodes.comment, nodes.raw, nodes.substitution_definition, addnodes.index, addnodes.toctree, nodes.target)
# formulas need neither a menu nor a place in the tab order: only what sets them is loaded
MATHJAX = {"loader": {"load": ["input/tex", "output/chtml", "a11y/assistive-mml"]}}


@dataclass(frozen=True)
class Effort:
    """What a page asks of its reader, in minutes."""

    reading: int
    exercises: int
    n_exercises: int

    def __str__(self) -> str:
        text = f"{_clock(self.reading)} to read"
        if self.n_exercises:
            plural = "s" if self.n_exercises > 1 else ""
            text += f", about {_clock(self.exercises)} for the {self.n_exercises} exercise{plural}"
        return text


def _clock(minutes: int) -> str:
    if minutes < 90:
        return f"{minutes} minute{'s' if minutes > 1 else ''}"
    return f"{round(minutes / 30) / 2:g} hours"


def effort(doctree: nodes.document) -> Effort:
    """Measure a page."""
    words, seconds, minutes, count = 0, 0.0, 0, 0
    for node in _read(doctree):
        if isinstance(node, nodes.Text):
            words += len(re.findall(r"\w+", str(node)))
        elif isinstance(node, nodes.literal_block):
            seconds += CODE_LINE * (1 + node.astext().strip().count("\n"))
        elif isinstance(node, exercise_node | exercise_enumerable_node):
            count += 1
            minutes += exercise_minutes(node.get("label", ""), node["classes"])
        else:
            seconds += next((pause for kind, pause in SECONDS.items() if isinstance(node, kind)), 0.0)
    reading = words / WORDS + seconds / 60
    return Effort(max(1, 5 * round(reading / 5) if reading > 10 else round(reading)), minutes, count)


def exercise_minutes(label: str, classes: list[str]) -> int:
    """Minutes for an exercise: those that its checker asks for, or what is usual for its kind."""
    try:
        return exercise(label).minutes
    except ValueError:  # an exercise without a checker
        stated = next((name.removeprefix("min-") for name in classes if name.startswith("min-")), "")
        if stated:
            return int(stated)
        return next((MINUTES[name] for name in classes if name in MINUTES), MINUTES["by-hand"])


def _read(node: nodes.Node) -> Iterator[nodes.Node]:
    """What a reader goes through: solutions, folded code and folded outputs are not on the way."""
    for child in node.children:
        if isinstance(child, (*_NO_TEXT, solution_node)) or _repeats(child):
            continue
        if isinstance(child, nodes.container) and child.get("nb_element") == "cell_code" and child.get("hide_mode"):
            code, outputs = child.children[:1], child.children[1:]
            open_parts = {"input": outputs, "output": code}.get(child["hide_mode"], [])
            yield from (part for shown in open_parts for part in _read(shown))
            continue
        yield child
        if not isinstance(child, nodes.literal_block | nodes.math | nodes.math_block):
            yield from _read(child)


def _repeats(node: nodes.Node) -> bool:
    """Whether this is a figure once more, for another theme, layout or medium."""
    if isinstance(node, nodes.image):
        return not {"only-dark", "classex-narrow"}.isdisjoint(node["classes"])
    return isinstance(node, nodes.container) and node.get("mime_type") == "application/pdf"


def say_effort(app: Sphinx, doctree: nodes.document) -> None:
    """Say under the title how long the page takes, and say the same in the box at its head."""
    title = next(doctree.findall(nodes.title), None)
    measured = effort(doctree)
    app.env.metadata[app.env.docname]["effort"] = str(measured)
    for paragraph in doctree.findall(nodes.paragraph):
        parts = [part for part in paragraph.children if part.astext()]
        if len(parts) > 1 and isinstance(parts[0], nodes.strong) and parts[0].astext() == "Time.":
            rest = parts[1]
            if isinstance(rest, nodes.Text) and _STATED.match(str(rest)):
                paragraph.replace(rest, nodes.Text(_STATED.sub(f" {measured}", str(rest), count=1)))
    looked_up = app.env.docname == app.config.root_doc or app.env.docname.startswith("book/api")
    if title is None or looked_up or (measured.reading < 3 and not measured.n_exercises):
        return
    note = nodes.paragraph("", "", nodes.Text(str(measured)), classes=["classex-note"])
    only = addnodes.only("", note, expr="html")
    title.parent.insert(title.parent.index(title) + 1, only)


def word_prompts(_app: Sphinx, doctree: nodes.document) -> None:
    """Say what folded cells hold: the code of a plot, other code, a table of numbers."""
    for cell in doctree.findall(nodes.container):
        mode = cell.get("hide_mode")
        if cell.get("nb_element") != "cell_code" or not mode:
            continue
        if "{type}" not in cell["prompt_show"]:
            continue  # the cell words it itself
        draws = next(cell.findall(nodes.image), None) is not None
        what = "the numbers" if mode == "output" else "the plotting code" if draws else "the code"
        if mode == "all":
            table = next(cell.findall(nodes.table), None)
            what = "the code and what it prints" if table is None else "the code and the numbers"
        cell["prompt_show"], cell["prompt_hide"] = f"Show {what}", f"Hide {what}"


def name_boxes(_app: Sphinx, doctree: nodes.document) -> None:
    """Give no two theorems or proofs of a page one identifier."""
    docname = doctree.settings.env.docname.rsplit("/", 1)[-1]
    proofs = 0
    for node in doctree.findall(nodes.Element):
        if node.get("ids") == ["proof"] and not isinstance(node, nodes.section):
            proofs += 1
            node["ids"] = [f"proof-{docname}-{proofs}"]
        elif node.get("ids") == ["proof-content"]:
            label = node.parent.get("label") or (node.parent["ids"] or [f"{docname}-{proofs}"])[0]
            node["ids"] = [f"{label}-content"]


def set_mathjax(_app: Sphinx, config: Config) -> None:
    """Load the parts of MathJax that set formulas, and not its menu."""
    config["mathjax_path"] = "mathjax/startup.js"
    config["mathjax3_config"] = {**(config["mathjax3_config"] or {}), **MATHJAX}


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("config-inited", set_mathjax)
    app.connect("doctree-read", name_boxes)
    app.connect("doctree-read", word_prompts)
    app.connect("doctree-read", say_effort, priority=600)
