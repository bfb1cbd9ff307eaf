"""Chapters open with a question, a figure and the answer: the figure is shown twice, numbered where it is explained.

The directive ``opening`` names a figure of its page and holds the answer.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective


class Opening(SphinxDirective):
    """The pictures of the figure that the argument names, above the answer."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Leave a place for the pictures, which the page's code has yet to draw."""
        box = nodes.container(classes=["classex-opening"], opening=nodes.make_id(self.arguments[0]))
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


def show(app: Sphinx, doctree: nodes.document) -> None:
    """Put the pictures of the named figure, without its number and caption, into each opening."""
    figures = {name: figure for figure in doctree.findall(nodes.figure) for name in figure["ids"]}
    for box in doctree.findall(nodes.container):
        if name := box.get("opening"):
            if name not in figures:
                raise ExtensionError(f"{app.env.docname} opens with a figure {name!r} that it does not have")
            pictures = [part for part in figures[name].children if not isinstance(part, nodes.caption)]
            box[:0] = [part.deepcopy() for part in pictures]


def setup(app: Sphinx) -> None:
    """Connect to the build: when the pictures are files."""
    app.add_directive("opening", Opening)
    app.connect("doctree-read", show)
