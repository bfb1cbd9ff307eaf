"""Reading times, folded code, cards, spellings, the first page and the weight of the book, without a build."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from classex_sphinx.accessible import repair
from classex_sphinx.cards import cards_of, targets
from classex_sphinx.front import (
    centred,
    chapters,
    direct,
    list_needs,
    list_questions,
    rows,
    without_words,
    write_cards,
    write_map,
)
from classex_sphinx.reading import CODE_LINE, SECONDS, WORDS, effort, exercise_minutes, word_prompts
from classex_sphinx.spelling import add_spellings, american
from classex_sphinx.styles import prune
from classex_sphinx.weight import icon_script, plain_code, plain_tables, without_blanks, without_search
from docutils import nodes
from docutils.utils import new_document
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node

from classex_book import exercise_names
from classex_book.course.exercises import exercise

ROOT = Path(__file__).parents[2]


def page(*parts):
    document = new_document("page")
    document += parts
    return document


def words(count):
    return nodes.paragraph("", "word " * count)


def test_the_reading_time_is_measured():
    assert effort(page(words(int(3 * WORDS)))).reading == 3
    formulas = nodes.paragraph("", "", *(nodes.math("", "x") for _ in range(30)))
    displays = [nodes.math_block("", "y") for _ in range(8)]
    code = nodes.literal_block("", "a = 1\n" * 20)
    expected = 3 + (30 * SECONDS[nodes.math] + 8 * SECONDS[nodes.math_block] + 20 * CODE_LINE) / 60
    assert effort(page(words(int(3 * WORDS)), formulas, *displays, code)).reading == round(expected)


def test_exercises_count_apart_and_solutions_not_at_all():
    short = exercise_enumerable_node("", words(10), classes=["by-code"])
    long = exercise_enumerable_node("", words(10), classes=["open"])
    solved = solution_node("", words(10_000))
    measured = effort(page(short, long, solved))
    assert (measured.n_exercises, measured.exercises) == (2, 20 + 45)
    assert measured.reading == 1
    assert str(measured) == "1 minute to read, about 65 minutes for the 2 exercises"
    assert exercise_minutes("", ["by-hand"]) < exercise_minutes("", ["by-code"]) < exercise_minutes("", ["open"])
    name = exercise_names("ch1")[0]
    assert exercise_minutes(name, ["open"]) == exercise(name).minutes


@pytest.mark.parametrize(("mode", "minutes"), [("input", 4), ("output", 6), ("all", 1)])
def test_what_is_folded_is_not_on_the_way(mode, minutes):
    code = nodes.container("", nodes.literal_block("", "a = 1\n" * 100), nb_element="cell_code_source")
    table = nodes.container("", words(3 * 180), nb_element="cell_code_output")
    cell = nodes.container("", code, table, nb_element="cell_code", hide_mode=mode, prompt_show="x", prompt_hide="y")
    assert effort(page(words(180), cell)).reading == minutes


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
    assert american("favourability") == "favorability"
    assert american("generalisation") == "generalization"
    assert american("centred") == "centered"
    index = add_spellings({"terms": {"favour": [1, 3], "center": 2, "centr": [1]}, "titleterms": {"favour": 4}})
    assert index["terms"]["favor"] == [1, 3]
    assert index["titleterms"]["favor"] == [4]
    assert list(index["terms"]) == sorted(index["terms"])


def test_icons_are_taken_from_the_theme():
    theme = (
        'x={"angle-left":[320,512,[8249],"f104","M41z"],download:[512,512,[],"f019","M2z"],other:[1,2,[],"f0","Mx"]}'
    )
    script = icon_script(theme, {"angle-left", "download"})
    assert '"angle-left": [320, 512, "M41z"]' in script
    assert '"download": [512, 512, "M2z"]' in script
    assert "Mx" not in script


def test_the_first_page_has_a_question_for_every_numbered_page():
    found = chapters(ROOT)
    said = yaml.safe_load((ROOT / "book" / "chapters.yml").read_text(encoding="utf-8"))
    assert [chapter.page for chapter in found if not chapter.question.endswith("?")] == []
    assert {chapter.page for chapter in found} <= set(said)
    assert [page for page in said if not (ROOT / f"{page}.md").is_file()] == []
    assert [chapter.number for chapter in found] == list(range(1, len(found) + 1))


def test_the_map_puts_a_chapter_below_what_it_needs():
    found = chapters(ROOT)
    level = {chapter.page: number for number, row in enumerate(rows(found)) for chapter in row}
    assert len(level) == len(found)
    assert max(map(len, rows(found))) <= 5
    for chapter in found:
        assert all(level[needed] < level[chapter.page] for needed in chapter.needs)
    address = {chapter.page: f"{chapter.page}.html" for chapter in found}
    drawn = write_map(found, address)
    assert all(f'href="{chapter.page}.html"' in drawn for chapter in found)
    arrows = [(needed, chapter.page) for chapter in found for needed in direct(chapter, found)]
    assert drawn.count("marker-end") == len(arrows)
    # every arrow leads to the next row, so none passes behind a box; the arrows left out follow from others
    assert all(level[page] == level[needed] + 1 for needed, page in arrows)
    assert ("notebooks/lab_voxels", "notebooks/lab_scanner") in arrows
    assert ("notebooks/05_high_dimensional_information", "notebooks/lab_scanner") not in arrows
    assert write_cards(found, address).count("<li>") == len(found)


CSS = """/*! kept */@media (min-width:1px){.used .x,.gone{a:b}.gone{c:d}}.gone.used{e:f}:is(.gone,.used) p{g:h}
@font-face{font-family:x;src:url("a{b}.woff")}p,.gone a{i:j}.used::before{content:"}.gone{"}@import "x";
.fa-x::before{k:l}@font-face{src:url(fontawesome/a.woff2)}"""


def test_style_sheets_keep_what_pages_can_use():
    assert prune(CSS, {"used", "x"}) == (
        "/*! kept */@media (min-width:1px){.used .x{a:b}}:is(.gone,.used) p{g:h}"
        '@font-face{font-family:x;src:url("a{b}.woff")}p{i:j}.used::before{content:"}.gone{"}@import "x";'
    )


def test_only_the_search_page_loads_the_index():
    head = '<head>\n    <script src="../_static/doctools.js"></script>'
    search = '\n    <script src="../_static/searchtools.js"></script>\n    <script src="../searchindex.js"></script>'
    assert without_search(f"{head}{search}\n</head>") == f"{head}\n</head>"


def test_code_without_a_colour_of_its_own_has_no_marks():
    code = '<span class="n">x</span><span class="p">(</span><span class="mi">1</span>'
    assert plain_code(code) == 'x(<span class="mi">1</span>'
    signature = '<dt class="sig sig-object py"><span class="sig-name"><span class="pre">f</span></span></dt>'
    assert plain_code(signature) == signature.replace('<span class="pre">f</span>', "f")
    assert plain_code('<code><span class="pre">f</span></code>') == '<code><span class="pre">f</span></code>'


def test_tables_say_only_what_is_asked_for():
    row = '<tr class="row-odd"><td class="text-left"><p>a <b>b</b></p></td>\n<td><p>c</p><p>d</p></td></tr>'
    assert plain_tables(row) == "<tr><td>a <b>b</b></td>\n<td><p>c</p><p>d</p></td></tr>"
    assert plain_tables('<td class="text-right"><p>3</p></td>') == '<td class="r">3</td>'
    assert plain_tables('<th class="head"><p></p></th><th class="head"><p>a</p></th>') == (
        '<td></td><th class="head">a</th>'
    )


def test_empty_lines_go_but_for_those_of_code():
    code = "<pre>a\n\nb</pre>"
    assert without_blanks(f"<p>\n \n\n</p>{code}\n\n<p>") == f"<p>\n</p>{code}\n<p>"


def test_the_theme_is_known_before_anything_is_drawn():
    theirs = 'document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";'
    assert "matchMedia" in repair(theirs)
    assert '"auto"' not in repair(theirs)


def test_on_paper_the_first_page_lists_the_chapters():
    found = chapters(ROOT)
    questions = list_questions(found).split("\n")
    assert len(questions) == len(found)
    pairs = zip(questions, found, strict=True)
    assert all(line.endswith(f"</{chapter.page}>`: {chapter.question}") for line, chapter in pairs)
    needs = list_needs(found).split("\n")
    assert len(needs) == sum(1 for chapter in found if chapter.needs)


def test_pictures_on_cards_have_no_words():
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><g id="text_1"><path/></g><path id="b"/></g></svg>'
    assert without_words(svg) == b'<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><path id="b" /></g></svg>'


def test_pictures_on_cards_stand_in_the_middle():
    paper, clip = '<path style="fill: none" d="M 0 0 L 100 40 z"/>', '<defs><path d="M 0 0 L 9 9"/></defs>'
    shapes = '<g><path d="M 10 5 L 30.5 25 z"/><use x="4" y="-1"/></g>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 40">{paper}{clip}{shapes}</svg>'
    assert b'viewBox="-32.75 -8 100 40"' in centred(svg.encode())
    assert centred(b'<svg viewBox="0 0 1 1"/>') == b'<svg viewBox="0 0 1 1" />'


def test_a_link_begins_with_its_name():
    theirs = '<p>Solution to<a class="reference internal" href="#a"> Exercise 1.1 (Wins)</a></p>'
    assert repair(theirs) == '<p>Solution to <a class="reference internal" href="#a">Exercise 1.1 (Wins)</a></p>'
