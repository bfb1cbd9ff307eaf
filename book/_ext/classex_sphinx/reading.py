"""Folded code says what it holds."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx


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


def setup(app: Sphinx) -> None:
    """Connect to the build: before the page is stored."""
    app.connect("doctree-read", word_prompts)
