"""Plain Jupyter notebooks, without outputs, for every page that holds code: one for students, one for instructors.

The chapters are written in MyST, whose directives and roles JupyterLab would show as raw fences. So the text of the
notebook is the page itself, turned into Markdown by markdownify: numbers, citations and references are resolved. The
code is that of the source without what only the build needs; students get stubs in place of the solutions, and theirs
is the edition that the page offers. Both run in any folder, where nothing but ``classex`` is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from docutils import nodes
from markdownify import MarkdownConverter
from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.application import Sphinx

from classex_book.course.papers import WORDS_HERE

from .cells import plain_sources, stub

FOLDER = "_notebooks"  # of the students' notebooks in the built book
EDITIONS = ("student", "instructor")  # folders beside the built book
_CELL = re.compile(r"\s*@@cell-(\d+)@@\s*")
_WORDS = re.compile(r"\s*@@words-(exr-[a-z0-9-]+)@@\s*")  # where a proof is to be written
_DELIMITERS = re.compile(r"^\s*\\[\[(]\s*|\s*\\[\])]\s*$")
_USELESS = "a.headerlink, script, style, button, .classex-moving"
_LANGUAGES = {"ipython3": "python", "default": "", "none": ""}


class _Markdown(MarkdownConverter):  # type: ignore[misc]
    """Markdown as Jupyter shows it."""

    def escape(self, text: str, parent_tags: set[str]) -> str:
        return re.sub(r"([$<])", r"\\\1", super().escape(text, parent_tags))

    def convert_span(self, tag: Tag, text: str, **_: object) -> str:
        return f"${_DELIMITERS.sub('', tag.get_text())}$" if "math" in (tag.get("class") or []) else text

    def convert_div(self, tag: Tag, text: str, parent_tags: set[str]) -> str:
        classes = tag.get("class") or []
        if "math" in classes:
            number = "".join(rf" \tag{{{part.extract().get_text().strip('()')}}}" for part in tag.select(".eqno"))
            return f"\n\n$$\n{_DELIMITERS.sub('', tag.get_text())}{number}\n$$\n\n"
        if "admonition" in classes and not _CELL.search(text):  # a quotation cannot hold code cells
            quoted = re.sub(r"^", "> ", text.strip(), flags=re.MULTILINE)
            return "\n\n" + quoted.replace("> \n", ">\n") + "\n\n"
        return str(super().convert_div(tag, text, parent_tags))

    def convert_p(self, tag: Tag, text: str, parent_tags: set[str]) -> str:
        if "admonition-title" in (tag.get("class") or []):
            text = f"**{' '.join(text.split())}**"
        return str(super().convert_p(tag, text, parent_tags))

    def convert_dt(self, _tag: Tag, text: str, **_: object) -> str:
        return f"\n\n**{text.strip()}**\n\n"

    def convert_dd(self, _tag: Tag, text: str, **_: object) -> str:
        return f"\n\n{text.strip()}\n\n"

    def convert_td(self, tag: Tag, text: str, parent_tags: set[str]) -> str:
        return str(super().convert_td(tag, text.replace("|", r"\|"), parent_tags))

    def convert_img(self, tag: Tag, _text: str, **_: object) -> str:
        return f"*[Image: {tag.get('alt', '')}]*"


def _language(block: Tag) -> str:
    names = " ".join(" ".join(box.get("class") or []) for box in block.parents)
    name = next(iter(re.findall(r"highlight-(\w+)", names)), "")
    return _LANGUAGES.get(name, name)


def parts_of(page: str, edition: str) -> list[str | int]:
    """Text of a page, in Markdown, and numbers of its code cells, in reading order."""
    soup = BeautifulSoup(page, "html.parser")
    for solution in soup.select("div.solution") if edition == "student" else ():
        solution.replace_with(*solution.select("div.cell"))
    for folded in soup.select("details.sd-dropdown") if edition == "student" else ():
        question = folded.select_one(".sd-summary-text").extract()
        question.name, folded.name = "strong", "p"
        folded.clear()
        folded.extend([question, " The answer is folded on the page of the book."])
    for proof in soup.select("div.exercise.proof[id]") if edition == "student" else ():
        place = soup.new_tag("p")
        place.string = f"@@words-{proof['id']}@@"
        proof.insert_after(place)
    for cell in soup.select("div.cell"):
        mark = soup.new_tag("p")
        mark.string = next(f"@@{name}@@" for name in cell["class"] if name.startswith("cell-"))
        # of the outputs, only captions: the reader's own run makes the rest
        cell.replace_with(mark, *cell.select("figcaption"))
    for useless in soup.select(f"{_USELESS}, .classex-opening :is(.classex-figure, img)"):
        useless.decompose()
    for link in soup.select('a:not([href^="http"], [href^="mailto:"])'):
        link.unwrap()
    for label in soup.select(":not(.admonition-title) > .caption-number"):
        label.name = "strong"
    converter = _Markdown(
        heading_style="ATX", bullets="-", sub_symbol="<sub>", sup_symbol="<sup>", code_language_callback=_language
    )
    texts = _CELL.split(converter.convert_soup(soup).strip())
    return [int(text) if i % 2 else text for i, text in enumerate(texts) if text]


def merge_cells(parts: list[str | int], source: nbformat.NotebookNode, edition: str) -> Iterator[nbformat.NotebookNode]:
    """Cells of the notebook: the text in `parts`, and the code cells of `source`, those kept off the page too."""
    code = {index: cell for index, cell in enumerate(source.cells) if cell.cell_type == "code"}
    hidden = {index for index, cell in code.items() if "remove-cell" in cell.metadata.get("tags", [])}
    waiting = plain_sources({index: cell.source for index, cell in code.items()}, hidden)
    text: list[str] = []
    for part in [*parts, max(code, default=-1)]:
        if isinstance(part, str):
            text.append(part)
            continue
        for index in [index for index in waiting if index <= part]:
            yield from _text_cells("\n\n".join(text))
            text = []
            yield _code_cell(waiting.pop(index), code[index].metadata.get("tags", []), edition)
    yield from _text_cells("\n\n".join(text))


def _text_cells(text: str) -> Iterator[nbformat.NotebookNode]:
    """Cells of text; where a proof is to be written, one of its own, by which ``classex mark`` knows it."""
    for index, part in enumerate(_WORDS.split(text)):
        if index % 2:
            yield nbformat.v4.new_markdown_cell(WORDS_HERE, metadata={"classex": {"exercise": part}})
        elif part:
            yield nbformat.v4.new_markdown_cell(part)


def _code_cell(code: str, tags: list[str], edition: str) -> nbformat.NotebookNode:
    text = stub(code) if edition == "student" else code
    # a stub raises until it is solved, and the cells after it should run all the same
    tags = [*tags, "raises-exception"] if text != code else list(tags)
    return nbformat.v4.new_code_cell(text, metadata={"tags": tags} if tags else {})


def plain_notebook(parts: list[str | int], source: nbformat.NotebookNode, edition: str) -> nbformat.NotebookNode:
    """The notebook itself, its cells numbered so that two builds write the same file."""
    cells = list(merge_cells(parts, source, edition))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(notebook)
    return notebook


def write_notebooks(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Write the notebooks of a page with code, and put that for students first in its menu of downloads."""
    if doctree is None or not re.search(r'class="[^"]*\bcell-\d', context["body"]):
        return
    source = read_myst_markdown_notebook(Path(app.env.doc2path(pagename)).read_text(encoding="utf-8"))
    out, name = Path(app.outdir), f"{pagename.rsplit('/', 1)[-1]}.ipynb"
    for edition in EDITIONS:
        text = nbformat.writes(plain_notebook(parts_of(context["body"], edition), source, edition)) + "\n"
        for folder in [out.parent / "notebooks" / edition, *([out / FOLDER] if edition == "student" else [])]:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    link = {"type": "link", "url": context["pathto"](f"{FOLDER}/{name}", 1), "text": ".ipynb", "icon": "fas fa-code"}
    link |= {"tooltip": "Download as a Jupyter notebook", "label": "download-notebook-button"}
    for group in context["header_buttons"]:
        if group.get("label") == "download-buttons":
            group["buttons"].insert(0, link)


def setup(app: Sphinx) -> None:
    """Connect to the build, after the theme has made its buttons and before the page gets its typography."""
    app.connect("html-page-context", write_notebooks, priority=900)
