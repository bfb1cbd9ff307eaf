"""How an exercise is headed: its kind, its difficulty and its minutes; in the guide for teachers, its title."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_subtitle

from classex_book.course.exercises import exercise as exercise_of

GUIDE = "book/teaching"
# wording of a kind, and minutes of an exercise that has no checker and states none
KINDS = {"by-hand": ("by hand", 10), "by-code": ("by code", 20), "open": ("open", 45), "proof": ("proof", 20)}


def stated_minutes(label: str, classes: list[str]) -> int:
    """Minutes for an exercise: those that its checker asks for, or that it states, or what is usual for its kind."""
    try:
        return exercise_of(label).minutes
    except ValueError:  # an exercise without a checker
        stated = [int(name.removeprefix("min-")) for name in classes if name.startswith("min-")]
        return [*stated, *(KINDS[name][1] for name in classes if name in KINDS), 10][0]


def minutes(exercise: nodes.Element) -> int:
    """Minutes for an exercise of a page that was read."""
    return stated_minutes(exercise.get("label", ""), exercise["classes"])


def show_kind(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Say in the title of an exercise of which kind it is, how hard, and how long it takes."""
    for exercise in doctree.findall(exercise_enumerable_node):
        kind = next((KINDS[name][0] for name in exercise["classes"] if name in KINDS), None)
        title = next((child for child in exercise.children if isinstance(child, nodes.title)), None)
        if kind and title is not None:
            words = f" · {kind}{_points(exercise['label'])} · {minutes(exercise)} minutes"
            title += nodes.inline("", words, classes=["classex-kind"])


def _points(label: str) -> str:
    try:
        points = exercise_of(label).points
    except ValueError:  # an exercise without a checker
        return ""
    return f" · {points} point{'s' if points > 1 else ''}"


def name_exercises(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """In the guide for teachers, give every exercise that is referred to its title beside its number."""
    registry: dict[str, Any] = getattr(app.env, "sphinx_exercise_registry", {})
    for reference in doctree.findall(nodes.reference) if docname == GUIDE else ():
        label = reference.get("refid") or str(reference.get("refuri", "")).partition("#")[2]
        title = next(registry[label]["node"].findall(exercise_subtitle), None) if label in registry else None
        if title is not None:
            reference += nodes.inline("", f" ({title.astext()})", classes=["classex-title"])


def setup(app: Sphinx) -> None:
    """Connect to the build, when the titles are made."""
    app.connect("doctree-resolved", show_kind, priority=800)
    app.connect("doctree-resolved", name_exercises, priority=800)
