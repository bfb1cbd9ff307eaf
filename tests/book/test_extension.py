"""The parts of the book's Sphinx extension that need no build."""

from __future__ import annotations

import nbformat
import pytest
from classex_sphinx.cells import show_plain_code
from classex_sphinx.execution import digest
from classex_sphinx.notebooks import parts_of, plain_notebook
from docutils import nodes

from classex_book.course.papers import WORDS_HERE

ELSE = ["src/classex/__pycache__/core.cpython-311.pyc", "src/classex/_loops/__pycache__/loops.nbi",
        "benchmarks/table/run.py", "notebooks/01_chapter.md", "book/intro.md"]  # fmt: skip
INPUTS = ["src/classex/core.py", "src/classex/datasets/data/images.npz", "benchmarks/table/results.csv",
          "notebooks/data.csv", "requirements.lock", "book/_ext/extension.py"]  # fmt: skip


@pytest.fixture
def tree(tmp_path):
    """A small source tree with one file of each kind."""
    for name in (*INPUTS, *ELSE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return tmp_path


def test_outputs_depend_on_code_data_results_and_lock_alone(tree):
    before = digest(tree)
    for name in ELSE:
        (tree / name).write_text("changed", encoding="utf-8")
        assert digest(tree) == before, name
    for name in (*INPUTS, "src/classex/new.py"):
        (tree / name).write_text("changed", encoding="utf-8")
        assert digest(tree) != before, name
        before = digest(tree)
    (tree / "src/classex/core.py").rename(tree / "src/classex/kernel.py")
    assert digest(tree) != before


def source(*cells):
    made = [
        nbformat.v4.new_code_cell(text[2:]) if text.startswith("# ") else nbformat.v4.new_markdown_cell(text)
        for text in cells
    ]
    return nbformat.v4.new_notebook(cells=made)


def contents(parts, *cells):
    made = plain_notebook(parts, source(*cells), "instructor")
    assert [cell.id for cell in made.cells] == [f"cell-{number}" for number in range(len(made.cells))]
    return [(cell.cell_type, cell.source) for cell in made.cells]


def test_code_cells_that_the_page_leaves_out_keep_their_place():
    assert contents(["one", 1, "two", 5, "four"], "x", "# a", "y", "# hidden", "z", "# b", "# last") == [
        ("markdown", "one"),
        ("code", "a"),
        ("markdown", "two"),
        ("code", "hidden"),
        ("code", "b"),
        ("markdown", "four"),
        ("code", "last"),
    ]


def test_a_proof_has_a_cell_for_its_words():
    page = """<p>One.</p><div class="exercise proof min-15 admonition" id="exr-ch1-decreasing"><p>Prove it.</p></div>
    <div class="solution admonition"><p>So.</p></div><p>Two.</p>"""
    made = plain_notebook(parts_of(page, "student"), source(), "student").cells
    assert [cell.source for cell in made] == ["One.\n\n> Prove it.", WORDS_HERE, "Two."]
    assert made[1].metadata == {"classex": {"exercise": "exr-ch1-decreasing"}}
    assert "So." in plain_notebook(parts_of(page, "instructor"), source(), "instructor").cells[0].source


def test_students_do_not_get_what_a_page_folds():
    page = """<p>One.</p><details class="sd-dropdown"><summary><span class="sd-summary-text">Why <em>two</em>?</span>
    </summary><div><p>Because.</p></div></details><p>Two.</p>"""
    assert parts_of(page, "student") == ["One.\n\n**Why *two*?** The answer is folded on the page of the book.\n\nTwo."]
    assert "Because." in parts_of(page, "instructor")[0]


PAGE = r"""<p>Costs 5$, <em>about</em> <span class="math notranslate">\(a &lt; b_1\)</span>.</p>
<div class="cell-3 cell docutils container"><pre>1</pre><figure><img alt="x"/><figcaption><p>
<span class="caption-number">Fig. 1 </span><span class="caption-text">Look.</span></p></figcaption></figure></div>
<div class="solution admonition"><p class="admonition-title">Solution</p><p>Yes.</p>
<div class="cell-4 cell container"></div></div>
<div class="proof admonition"><p class="admonition-title"><span class="caption-number">Theorem 2 </span> (B)</p>
<div class="math" id="e"><span class="eqno">(3)<a class="headerlink" href="#e">#</a></span>\[x_1\]</div></div>"""


def test_a_page_becomes_markdown():
    first = r"Costs 5\$, *about* $a < b_1$."
    last = "> **Theorem 2 (B)**\n>\n> $$\n> x_1 \\tag{3}\n> $$"
    made = parts_of(PAGE, "instructor")
    assert made == [first, 3, "**Fig. 1** Look.\n\n**Solution**\n\nYes.", 4, last]
    assert parts_of(PAGE, "student") == [first, 3, "**Fig. 1** Look.", 4, last]


def test_statements_that_glue_are_not_shown():
    def cell(code, *outputs):
        source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
        return nodes.container("", source, *outputs, nb_element="cell_code", cell_index=1)

    output = nodes.container(nb_element="cell_code_output")
    page = nodes.container("", cell('x = 1\nglue("x", x)'), cell('glue("x", x)'), cell('glue("x", x)', output))
    page += cell("a = [\n    ### BEGIN SOLUTION\n    1\n    ### END SOLUTION\n]")
    show_plain_code(None, page)
    shown, alone, solved = page.children
    assert shown.astext() == "x = 1"
    assert alone.children == [output]
    assert solved.astext() == "a = [\n    1\n]"
