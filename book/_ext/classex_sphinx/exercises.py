"""Exercises: what students get of a solution, and how an exercise looks on the page.

A solution is one code cell in which the lines from ``### BEGIN SOLUTION`` to ``### END SOLUTION`` are replaced by a
stub for students. The page shows the solution without these markers.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_subtitle

from classex_book.course.exercises import exercise as exercise_of

GUIDE = "book/teaching"
KINDS = {"by-hand": "by hand", "by-code": "by code", "open": "open", "proof": "proof"}
_SOLUTION = re.compile(r"^([ \t]*)### BEGIN SOLUTION[ \t]*\n(?:.*\n)*?\1### END SOLUTION[ \t]*$", re.MULTILINE)
_CHECKED = re.compile(r"""^check\(\s*["'](exr-ch[0-9]+-[a-z0-9-]+)["']""", re.MULTILINE)
_MARKER = re.compile(r"^[ \t]*### (?:BEGIN|END) SOLUTION[ \t]*(?:\n|\Z)", re.MULTILINE)


def stub(code: str) -> str:
    """The code of a cell with every solution replaced by the form of the answer and ``raise NotImplementedError``."""
    name = _CHECKED.search(code)
    wanted = f"your solution here: {exercise_of(name[1]).expects}" if name else "your solution here"

    def blank(solution: re.Match[str]) -> str:
        lines = textwrap.wrap(wanted, 100, initial_indent=f"{solution[1]}# ", subsequent_indent=f"{solution[1]}# ")
        return "\n".join([*lines, f"{solution[1]}raise NotImplementedError"])

    stubbed = _SOLUTION.sub(blank, code)
    if _MARKER.search(stubbed):
        raise ValueError(f"### BEGIN SOLUTION and ### END SOLUTION do not pair up in:\n{code}")
    return stubbed


def without_markers(code: str) -> str:
    """The code of a cell with its solution, without the lines that mark it."""
    return _MARKER.sub("", code).rstrip("\n")


def hide_markers(_app: Sphinx, doctree: nodes.document) -> None:
    """Show solutions without their markers, and give no two elements of a page one id."""
    for block in doctree.findall(nodes.literal_block):
        if _MARKER.search(block.astext()):
            text = without_markers(block.astext())
            block.children = []
            block.rawsource = text
            block += nodes.Text(text)
    for section in doctree.findall(nodes.section):
        if section["ids"] in (["exercise-content"], ["solution-content"]):
            section["ids"] = [f"{section.parent['label']}-content".replace("/", "-")]


def show_kind(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Say in the title of an exercise of which kind it is, how hard, and how long it takes."""
    for exercise in doctree.findall(exercise_enumerable_node):
        kind = next((KINDS[name] for name in exercise["classes"] if name in KINDS), None)
        title = next((child for child in exercise.children if isinstance(child, nodes.title)), None)
        if kind and title is not None:
            title += nodes.inline("", f" · {kind}{_workload(exercise)}", classes=["classex-kind"])


def _workload(exercise: nodes.Element) -> str:
    try:
        found = exercise_of(exercise["label"])
    except ValueError:  # an exercise without a checker, which may state its minutes
        stated = next((name.removeprefix("min-") for name in exercise["classes"] if name.startswith("min-")), "")
        return f" · {stated} minutes" if stated else ""
    return f" · {found.points} point{'s' if found.points > 1 else ''} · {found.minutes} minutes"


def name_exercises(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """In the guide for teachers, give every exercise that is referred to its title beside its number."""
    if docname != GUIDE:
        return
    registry: dict[str, Any] = getattr(app.env, "sphinx_exercise_registry", {})
    for reference in doctree.findall(nodes.reference):
        label = reference.get("refid") or str(reference.get("refuri", "")).partition("#")[2]
        title = next(registry[label]["node"].findall(exercise_subtitle), None) if label in registry else None
        if title is not None:
            reference += nodes.inline("", f" ({title.astext()})", classes=["classex-title"])


def setup(app: Sphinx) -> None:
    """Connect to the build: before the page is stored, and before its notebooks are written."""
    app.connect("doctree-read", hide_markers)
    app.connect("doctree-resolved", show_kind, priority=800)
    app.connect("doctree-resolved", name_exercises, priority=800)
