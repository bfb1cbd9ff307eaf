"""The parts of the book's Sphinx extension that need no build."""

from __future__ import annotations

import nbformat
import pytest
from classex_sphinx.markdown import Code, Text
from classex_sphinx.notebooks import plain_notebook
from classex_sphinx.outputs import digest
from classex_sphinx.without_glue import hide_glue
from docutils import nodes


@pytest.fixture
def tree(tmp_path):
    """A small source tree with one file of each kind."""
    for name in (
        "src/classex/core.py",
        "src/classex/datasets/data/images.npz",
        "src/classex/__pycache__/core.cpython-311.pyc",
        "src/classex/_kernels/__pycache__/loops.nbi",
        "benchmarks/table/results.csv",
        "benchmarks/table/run.py",
        "notebooks/01_chapter.md",
        "book/intro.md",
        "book/_ext/extension.py",
        "requirements.lock",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "src/classex/core.py",
        "src/classex/datasets/data/images.npz",
        "benchmarks/table/results.csv",
        "requirements.lock",
        "src/classex/new.py",
        "notebooks/data.csv",
        "book/_ext/extension.py",
    ],
)
def test_outputs_depend_on_code_data_results_and_lock(tree, name):
    before = digest(tree)
    assert digest(tree) == before
    (tree / name).write_text("changed", encoding="utf-8")
    assert digest(tree) != before


@pytest.mark.parametrize(
    "name",
    [
        "src/classex/__pycache__/core.cpython-311.pyc",
        "src/classex/_kernels/__pycache__/loops.nbi",
        "benchmarks/table/run.py",
        "notebooks/01_chapter.md",
        "book/intro.md",
    ],
)
def test_outputs_do_not_depend_on_text_or_compiled_files(tree, name):
    before = digest(tree)
    (tree / name).write_text("changed", encoding="utf-8")
    assert digest(tree) == before


def test_moving_a_file_changes_the_digest(tree):
    before = digest(tree)
    (tree / "src/classex/core.py").rename(tree / "src/classex/kernel.py")
    assert digest(tree) != before


def source(*cells):
    made = [
        nbformat.v4.new_code_cell(text[2:]) if text.startswith("# ") else nbformat.v4.new_markdown_cell(text)
        for text in cells
    ]
    return nbformat.v4.new_notebook(cells=made)


def contents(notebook):
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def test_code_cells_that_the_page_leaves_out_keep_their_place():
    stream = [Text("one"), Code(1), Text("two"), Text("three"), Code(5), Text("four")]
    made = plain_notebook(stream, source("x", "# a", "y", "# hidden", "z", "# b", "# last"))
    assert contents(made) == [
        ("markdown", "one"),
        ("code", "a"),
        ("markdown", "two\n\nthree"),
        ("code", "hidden"),
        ("code", "b"),
        ("markdown", "four"),
        ("code", "last"),
    ]
    assert [cell.id for cell in made.cells] == [f"cell-{number}" for number in range(7)]


def test_a_page_may_begin_or_end_with_code():
    assert contents(plain_notebook([Code(0)], source("# a", "# b"))) == [("code", "a"), ("code", "b")]
    assert contents(plain_notebook([Text("only text")], source("x"))) == [("markdown", "only text")]


def test_statements_that_glue_are_not_shown():
    def cell(code, *outputs):
        source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
        return nodes.container("", source, *outputs, nb_element="cell_code")

    output = nodes.container(nb_element="cell_code_output")
    page = nodes.container("", cell('x = 1\nglue("x", x)'), cell('glue("x", x)'), cell('glue("x", x)', output))
    hide_glue(None, page)
    shown, alone = page.children
    assert shown.astext() == "x = 1"
    assert alone.children == [output]
