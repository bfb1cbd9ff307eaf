"""Figures that the reader moves, over static ones: ``book/_static/moving/frame.js`` says how pages name them.

The scripts of a figure are loaded on its page alone. Paper and notebooks have the static figure, without the question.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

_FRAME = ("explorer/normal.js", "explorer/chart.js", "moving/frame.js")


class Moving(nodes.General, nodes.Element):
    """The question, and its answer, about a figure of this name."""


class MovingDirective(SphinxDirective):
    """The first paragraph asks, the others answer."""

    has_content = True
    required_arguments = 1
    option_spec: ClassVar[Any] = {"over": directives.unchanged_required, "uses": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """A box with its question, and a fold with the answer."""
        self.assert_has_content()
        if "over" not in self.options:
            raise self.error("a moving figure needs `over`, the id of the figure that it covers")
        text = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, text)
        question, *answer = text.children
        if not answer:
            raise self.error("a moving figure needs a question, an empty line and its answer")
        name = self.arguments[0]
        uses = (*_FRAME, *self.options.get("uses", "").split(), f"moving/{name}_numbers.js", f"moving/{name}.js")
        lost = [script for script in uses if not Path(self.env.srcdir, "book", "_static", script).is_file()]
        if lost:
            raise self.error(f"a moving figure needs book/_static/{lost[0]}")
        fold = nodes.raw("", "<details><summary>Answer</summary>", format="html")
        end = nodes.raw("", "</details>", format="html")
        return [Moving("", question, fold, *answer, end, name=name, over=self.options["over"], scripts=uses)]


def open_box(self: Any, node: Moving) -> None:
    """Open a box that the script shows."""
    box = {"class": "classex-moving", "data-moving": node["name"], "data-over": node["over"], "hidden": "hidden"}
    self.body.append(self.starttag(node, "div", **box))


def close_box(self: Any, _node: Moving) -> None:
    """Close the box."""
    self.body.append("</div>\n")


def leave_out(_self: Any, _node: Moving) -> None:
    """No moving figures on paper."""
    raise nodes.SkipNode


def load(app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Name the scripts of the figures of a page, in order and once, to the script that loads them."""
    figures = list(doctree.findall(Moving)) if doctree is not None else []
    for figure in figures:
        if f'id="{figure["over"]}"' not in context["body"]:
            raise ExtensionError(f"{page}: nothing for a moving figure to cover has the id {figure['over']!r}")
    if figures:
        scripts = " ".join(dict.fromkeys(script for figure in figures for script in figure["scripts"]))
        app.add_css_file("moving/moving.css")
        app.add_js_file("moving/load.js", loading_method="defer", **{"data-scripts": scripts})


def setup(app: Sphinx) -> None:
    """Register the directive, what each format makes of it, and its scripts."""
    app.add_node(Moving, html=(open_box, close_box), latex=(leave_out, None))
    app.add_directive("moving", MovingDirective)
    app.connect("html-page-context", load)
