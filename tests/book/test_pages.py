"""The built pages: no network, mathematics by local files, a clean notebook to download, described figures."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

import nbformat
import pytest
from classex_sphinx.cells import plain_sources, stub
from nbclient import NotebookClient

from classex_book import quiz

pytestmark = pytest.mark.build

LOADING = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
    "form": ("action",),
}


class Page(HTMLParser):
    """What a page loads, what it links to, and the text of its scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.images, self.inside, self.code = [], [], [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.loads += [values[name] for name in LOADING.get(tag, ()) if values.get(name)]
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "img":
            self.images.append(values)
        if tag in ("script", "style"):
            self.inside = tag

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.code.append(data)


@pytest.fixture(scope="module")
def pages(built_book):
    return {
        path: Page(content.decode())
        for path, content in built_book.files().items()
        if path.endswith(".html") and not path.startswith("_static")
    }


@pytest.fixture(scope="module", params=["student", "instructor"])
def edition(request):
    return request.param


@pytest.fixture(scope="module")
def notebook(built_book, edition):
    path = built_book.html.parent / "notebooks" / edition / "chapter.ipynb"
    return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)


def test_nothing_is_loaded_from_another_host(pages):
    for path, page in pages.items():
        for address in page.loads:
            parts = urlsplit(address)
            assert not parts.netloc, f"{path} loads {address}"
            assert parts.scheme in ("", "data"), f"{path} loads {address}"
        for code in page.code:
            assert not re.search(r"https?://", code), f"a script on {path} holds an address: {code[:200]}"


def test_everything_that_is_loaded_exists(built_book, pages):
    for path, page in pages.items():
        for address in page.loads:
            target = urlsplit(address).path
            if target and not address.startswith(("data:", "#")):
                assert (built_book.html / path).parent.joinpath(target).resolve().is_file(), f"{path} loads {address}"


def test_the_page_offers_the_students_notebook(built_book, pages):
    (link,) = [link for link in pages["notebooks/chapter.html"].links if link.endswith(".ipynb")]
    offered = (built_book.html / "notebooks" / link).resolve()
    assert offered.read_bytes() == (built_book.html.parent / "notebooks" / "student" / "chapter.ipynb").read_bytes()
    assert not [link for link in pages["notebooks/other.html"].links if link.endswith(".ipynb")]


def test_the_notebook_holds_the_code_of_the_source_and_no_outputs(built_book, notebook, edition):
    nbformat.validate(notebook)
    source = built_book.chapter.read_text(encoding="utf-8")
    cells = re.findall(
        r"^```\{code-cell\} ipython3\n(?:---\n.*?\n---\n|:tags:.*?\n\n)?(.*?)\n```$", source, re.S | re.M
    )
    plain = plain_sources(dict(enumerate(cells)), set()).values()
    expected = [stub(cell) if edition == "student" else cell for cell in plain]
    assert [cell.source for cell in notebook.cells if cell.cell_type == "code"] == expected
    assert not any("glue" in cell for cell in expected)
    assert len(cells) == 7
    assert not any(cell.outputs or cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


def test_solutions_are_for_instructors(notebook, edition):
    text = "\n\n".join(cell.source for cell in notebook.cells)
    for solution in ("Solution to", "one half", "That is all", "3 / 4", "2 * hidden\n"):
        assert (solution in text) == (edition == "instructor"), solution
    stubs = [cell for cell in notebook.cells if "raises-exception" in cell.metadata.get("tags", [])]
    assert len(stubs) == (2 if edition == "student" else 0)
    form = "# your solution here: a pair of probabilities, for k = 2 and k = 3\n"
    assert text.count(form) == len(stubs) // 2


def test_the_built_page_shows_solutions_without_their_markers(built_book):
    text = built_book.files()["notebooks/chapter.html"].decode()
    assert "SOLUTION" not in text
    assert "exr-ch1-ties: right" in text
    assert "Exercise\u00a01" in text
    assert '<span class="classex-kind"> · by hand · 1 point · 10 minutes</span>' in text
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert sorted(set(ids)) == sorted(ids)


def test_the_quiz_is_part_of_the_page_and_its_mathematics_is_set(built_book):
    text = built_book.files()["notebooks/chapter.html"].decode()
    assert text.count("<details name=") == sum(len(question.options) for question in quiz("ch1").questions)
    # MathJax leaves out the page but for what carries this class
    assert 'class="classex-quiz tex2jax_process mathjax_process"' in text
    assert '<span class="n">quiz</span><span class="p">(' not in text


def test_the_notebook_is_plain_markdown_with_everything_resolved(notebook, edition):
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert not re.search(r"^\s*(?:```|:::)\{|\{[a-z:]+\}`|^\(.*\)=$|^---$", text, re.MULTILINE)
    for expected in (
        "# A tiny chapter",
        "A paragraph with *emphasis*, `code`, a price of 5\\$, a symbol $U^*$ and a citation [Zheng, 2017].",
        "> **In this chapter**\n>\n> **Objectives**\n>\n> - State Theorem 1.\n> - Read Fig. 1.\n>\n> **Time:**",
        "$$\n\\mathrm{AGA}_k = \\mathbb{E} (U^*)^{k-1} \\tag{1}\n$$",
        "> **Theorem 1 (Moments)**\n>\n> The accuracy is a moment, (1), whatever the law of $U^*$.",
        "> Proof. The answer is 42.0.\n>\n> $$\n> \\begin{split}",
        "**Fig. 1** The line $y = x$ rises.",
        "| left | right $x$ |\n| --- | --- |\n| a | 1 |",
        "**Term**\n\nWhat it means.",
        "> **Exercise 1 (Half a tie) · by hand · 1 point · 10 minutes**\n>\n> Divide a tie, then compare with A",
        "> **Exercise 2 (Half a function) · open · 2 points · 25 minutes**\n>\n> Write it.",
        "1. first\n2. second, see the [project page](https://example.org) and the other page",
        '```python\nunexecuted = "fenced"\n```',
    ):
        assert expected in text
    solution = "**Solution to Exercise 1 (Half a tie)**\n\nMultiply by one half."
    assert (solution in text) == (edition == "instructor")


def test_the_notebook_runs_from_top_to_bottom(notebook, edition, tmp_path):
    executed = NotebookClient(nbformat.from_dict(notebook), timeout=120, resources={"metadata": {"path": tmp_path}})
    executed.execute()
    *_, first, second, questions = [cell.outputs for cell in executed.nb.cells if cell.cell_type == "code"]
    assert first[0].text.startswith("42\n")
    assert (second[0].output_type == "error") == (edition == "student")
    assert "classex-quiz" in questions[0].data["text/html"]
