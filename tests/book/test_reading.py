"""Reading times, folded code, cards, spellings and the first page, without a build."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from classex_sphinx.cards import cards_of, targets
from classex_sphinx.exercises import minutes
from classex_sphinx.front import CARDS, MAP, chapters, insert, places, write_cards, write_map
from classex_sphinx.reading import CODE_LINE, SECONDS, WORDS, effort, let_search_know_both_spellings, word_prompts
from docutils import nodes
from docutils.utils import new_document
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node

from classex_book import exercise_names
from classex_book.course.exercises import exercise as asked

ROOT = Path(__file__).parents[2]


def page(*parts):
    document = new_document("page")
    document += parts
    return document


def words(count):
    return nodes.paragraph("", "word " * count)


def test_the_reading_time_is_measured():
    assert effort(page(words(int(3 * WORDS))))[0] == 3
    formulas = nodes.paragraph("", "", *(nodes.math("", "x") for _ in range(30)))
    displays = [nodes.math_block("", "y") for _ in range(8)]
    code = nodes.literal_block("", "a = 1\n" * 20)
    expected = 3 + (30 * SECONDS[nodes.math] + 8 * SECONDS[nodes.math_block] + 20 * CODE_LINE) / 60
    assert effort(page(words(int(3 * WORDS)), formulas, *displays, code))[0] == round(expected)


def test_exercises_count_apart_and_solutions_not_at_all():
    short = exercise_enumerable_node("", words(10), classes=["by-code"])
    long = exercise_enumerable_node("", words(10), classes=["open"])
    solved = solution_node("", words(10_000))
    assert effort(page(short, long, solved)) == (1, 20 + 45, 2)
    name = exercise_names("ch1")[0]
    assert minutes(exercise_enumerable_node(label=name, classes=["open"])) == asked(name).minutes
    assert minutes(exercise_enumerable_node(classes=["proof", "min-35"])) == 35


@pytest.mark.parametrize(("mode", "reading"), [("input", 4), ("output", 6), ("all", 1)])
def test_what_is_folded_is_not_on_the_way(mode, reading):
    code = nodes.container("", nodes.literal_block("", "a = 1\n" * 100), nb_element="cell_code_source")
    table = nodes.container("", words(3 * 180), nb_element="cell_code_output")
    cell = nodes.container("", code, table, nb_element="cell_code", hide_mode=mode, prompt_show="x", prompt_hide="y")
    assert effort(page(words(180), cell))[0] == reading


@pytest.mark.parametrize(
    ("mode", "inside", "said"),
    [
        ("input", nodes.image(), "Show the plotting code"),
        ("input", nodes.paragraph(), "Show the code"),
        ("output", nodes.table(), "Show the numbers"),
        ("all", nodes.table(), "Show the code and the numbers"),
        ("all", nodes.paragraph(), "Show the code and what it prints"),
    ],
)
def test_folded_cells_say_what_they_hold(mode, inside, said):
    options = {"nb_element": "cell_code", "hide_mode": mode, "prompt_show": "Show {type}", "prompt_hide": "Hide {type}"}
    cell = nodes.container("", inside, **options)
    word_prompts(None, page(cell))
    assert cell["prompt_show"] == said
    cell["prompt_show"] = "Show my own"
    word_prompts(None, page(cell))
    assert cell["prompt_show"] == "Show my own"


GLOSSARY = """<article><dl class="simple glossary"><dt id="term-rank">rank<a class="headerlink" href="#term-rank">#</a>
</dt><dd><p>One plus the <a href="x.html">wins</a> \\(a &lt; b\\).</p></dd></dl>
<div class="proof theorem admonition" id="thm-a"><p class="admonition-title">Theorem 1</p><section id="c"><p>True.</p>
</section></div><div class="proof admonition" id="proof-1"><p>Proof.</p></div>
<div class="math notranslate" id="equation-e"><span class="eqno">(1)</span>\\[x\\]</div></article>"""


def test_cards_hold_what_links_point_at():
    found = targets(GLOSSARY)
    assert sorted(found) == ["equation-e", "term-rank", "thm-a"]
    assert "<strong>rank</strong>" in found["term-rank"]
    assert r"\(a &lt; b\)" in found["term-rank"]
    assert "<a" not in "".join(found.values())
    assert "id=" not in "".join(found.values())
    assert r"\[x\]" in found["equation-e"]
    link = '<a class="reference internal" href="{}#{}">x</a>'
    html = link.format("../book/g.html", "term-rank") + link.format("", "thm-a") + link.format("", "proof-1")
    cards = cards_of("notebooks/a.html", html, {"book/g.html": found, "notebooks/a.html": found})
    assert list(cards) == ["#thm-a", "../book/g.html#term-rank"]


def test_the_search_knows_both_spellings():
    document = page(nodes.paragraph("", "The favourability of a recogniser, its generalisation, labelled and centred."))
    let_search_know_both_spellings(None, document)
    assert document[0]["content"] == "centered, favorability, generalization, labeled, recognizer"


def test_the_first_page_has_a_question_for_every_numbered_page():
    found = chapters(ROOT)
    said = yaml.safe_load((ROOT / "book" / "chapters.yml").read_text(encoding="utf-8"))
    assert [chapter.page for chapter in found if not chapter.question.endswith("?")] == []
    assert {chapter.page for chapter in found} <= set(said)
    assert [page for page in said if not (ROOT / f"{page}.md").is_file()] == []
    assert [chapter.number for chapter in found] == list(range(1, len(found) + 1))
    assert write_cards(found).count("<li>") == len(found)


def test_the_map_puts_a_chapter_below_what_it_needs():
    found = chapters(ROOT)
    level = {page: row for page, (_, row) in places(found).items()}
    assert len(set(places(found).values())) == len(found)
    arrows = [(needed, chapter.page) for chapter in found for needed in chapter.needs]
    # every arrow leads to the next row, so none passes behind a box: what follows from other needs is not named
    assert all(level[page] == level[needed] + 1 for needed, page in arrows)
    drawn = write_map(found)
    assert all(f'href="../{chapter.page}.html"' in drawn for chapter in found)
    assert drawn.count("marker-end") == len(arrows)


def test_on_paper_the_first_page_lists_the_chapters():
    found = chapters(ROOT)
    page = [f"{CARDS}\n\n{MAP}"]
    insert(SimpleNamespace(srcdir=ROOT, builder=SimpleNamespace(format="latex")), "book/intro", page)
    questions, needs = page[0].split("\n\n")
    pairs = zip(questions.split("\n"), found, strict=True)
    assert all(line.endswith(f"</{chapter.page}>`: {chapter.question}") for line, chapter in pairs)
    assert needs.count("builds on") == sum(1 for chapter in found if chapter.needs)
