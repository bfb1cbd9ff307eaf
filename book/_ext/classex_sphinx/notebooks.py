"""Plain Jupyter notebooks, without outputs, for every page that holds code: one for students, one for instructors.

The chapters are written in MyST, whose directives and roles JupyterLab would show as raw fences. So the text of
the notebook is written from the page as Sphinx understood it: numbers, citations and references are resolved.
The code is that of the source without what only the build needs; students get stubs in place of the solutions, and
theirs is the edition that the page offers. Both run in any folder, where nothing but ``classex`` is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.application import Sphinx

from .exercises import stub
from .markdown import Code, MarkdownWriter, Text
from .without_glue import plain_sources

FOLDER = "_notebooks"  # of the students' notebooks in the built book
EDITIONS = ("student", "instructor")  # folders beside the built book
_KEPT_METADATA = ("tags",)


def is_notebook(doctree: nodes.document) -> bool:
    """Whether the page holds code cells."""
    return any(node.get("nb_element") == "cell_code" for node in doctree.findall(nodes.container))


def merge_cells(
    stream: list[Code | Text], source: nbformat.NotebookNode, edition: str
) -> Iterator[nbformat.NotebookNode]:
    """Cells of the notebook: the text in `stream`, and the code cells of `source`, those kept off the page too."""
    code = {index: cell for index, cell in enumerate(source.cells) if cell.cell_type == "code"}
    hidden = {index for index, cell in code.items() if "remove-cell" in cell.metadata.get("tags", [])}
    plain = plain_sources({index: cell.source for index, cell in code.items()}, hidden)
    waiting = sorted(plain)
    text: list[str] = []
    for item in [*stream, Code(max(code, default=-1))]:
        if isinstance(item, Text):
            text.append(item.markdown)
            continue
        while waiting and waiting[0] <= item.index:
            if text:
                yield nbformat.v4.new_markdown_cell("\n\n".join(text))
                text = []
            index = waiting.pop(0)
            yield _code_cell(plain[index], code[index].metadata, edition)
    if text:
        yield nbformat.v4.new_markdown_cell("\n\n".join(text))


def _code_cell(code: str, kept: nbformat.NotebookNode, edition: str) -> nbformat.NotebookNode:
    text = stub(code) if edition == "student" else code
    metadata = {key: list(kept[key]) for key in _KEPT_METADATA if key in kept}
    if text != code:
        # a stub raises until it is solved, and the cells after it should run all the same
        metadata["tags"] = [*metadata.get("tags", []), "raises-exception"]
    return nbformat.v4.new_code_cell(text, metadata=metadata)


def plain_notebook(
    stream: list[Code | Text], source: nbformat.NotebookNode, edition: str = "instructor"
) -> nbformat.NotebookNode:
    """The notebook itself, its cells numbered so that two builds write the same file."""
    cells = list(merge_cells(stream, source, edition))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(notebook)
    return notebook


def write_notebooks(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write the notebooks of a page, that for students into the built book too."""
    if app.builder.format != "html" or not is_notebook(doctree):
        return
    source = read_myst_markdown_notebook(Path(app.env.doc2path(docname)).read_text(encoding="utf-8"))
    name = f"{docname.rsplit('/', 1)[-1]}.ipynb"
    folders = {edition: [Path(app.outdir).parent / "notebooks" / edition] for edition in EDITIONS}
    folders["student"].append(Path(app.outdir) / FOLDER)
    for edition in EDITIONS:
        writer = MarkdownWriter(app.config, app.env.toc_fignumbers.get(docname, {}), solutions=edition != "student")
        text = nbformat.writes(plain_notebook(writer.stream(doctree), source, edition)) + "\n"
        for folder in folders[edition]:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")


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
    app.connect("doctree-resolved", write_notebooks, priority=900)
    app.connect("html-page-context", offer_notebook, priority=900)
