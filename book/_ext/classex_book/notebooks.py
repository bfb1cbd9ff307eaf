"""A plain Jupyter notebook, without outputs, for every page that holds code, offered for download on the page.

The chapters are written in MyST, whose directives and roles JupyterLab would show as raw fences. So the text of
the notebook is written from the page as Sphinx understood it: numbers, citations and references are resolved.
The code is that of the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.application import Sphinx

from .markdown import Code, MarkdownWriter, Text

FOLDER = "_notebooks"
_KEPT_METADATA = ("tags",)


def is_notebook(doctree: nodes.document) -> bool:
    """Whether the page holds code cells."""
    return any(node.get("nb_element") == "cell_code" for node in doctree.findall(nodes.container))


def merge_cells(stream: list[Code | Text], source: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    """Cells of the notebook: the text in `stream`, and every code cell of `source`, those kept off the page too."""
    code = {index: cell for index, cell in enumerate(source.cells) if cell.cell_type == "code"}
    waiting = sorted(code)
    text: list[str] = []
    for item in [*stream, Code(max(code, default=-1))]:
        if isinstance(item, Text):
            text.append(item.markdown)
            continue
        while waiting and waiting[0] <= item.index:
            if text:
                yield nbformat.v4.new_markdown_cell("\n\n".join(text))
                text = []
            cell = code[waiting.pop(0)]
            metadata = {key: cell.metadata[key] for key in _KEPT_METADATA if key in cell.metadata}
            yield nbformat.v4.new_code_cell(cell.source, metadata=metadata)
    if text:
        yield nbformat.v4.new_markdown_cell("\n\n".join(text))


def plain_notebook(stream: list[Code | Text], source: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook itself, its cells numbered so that two builds write the same file."""
    cells = list(merge_cells(stream, source))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(notebook)
    return notebook


def write_notebook(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write the notebook of a page into the built book."""
    if app.builder.format != "html" or not is_notebook(doctree):
        return
    source = read_myst_markdown_notebook(Path(app.env.doc2path(docname)).read_text(encoding="utf-8"))
    writer = MarkdownWriter(app.config, app.env.toc_fignumbers.get(docname, {}))
    path = Path(app.outdir) / FOLDER / f"{docname.rsplit('/', 1)[-1]}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(plain_notebook(writer.stream(doctree), source)) + "\n", encoding="utf-8")


def offer_notebook(
    _app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the notebook first in the page's download menu, before the MyST source."""
    if doctree is None or not is_notebook(doctree):
        return
    link = {
        "type": "link",
        "url": context["pathto"](f"{FOLDER}/{pagename.rsplit('/', 1)[-1]}.ipynb", 1),
        "text": ".ipynb",
        "icon": "fas fa-code",
        "tooltip": "Download as a Jupyter notebook",
        "label": "download-notebook-button",
    }
    for group in context["header_buttons"]:
        if group.get("label") == "download-buttons":
            group["buttons"].insert(0, link)


def setup(app: Sphinx) -> None:
    """Connect to the build: after all references are resolved, and after the theme has made its buttons."""
    app.connect("doctree-resolved", write_notebook, priority=900)
    app.connect("html-page-context", offer_notebook, priority=900)
