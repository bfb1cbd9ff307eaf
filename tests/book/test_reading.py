"""Folded code, cards, what the search finds and the first page, without a build."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from classex_sphinx.cards import cards_of, targets
from classex_sphinx.front import CARDS, chapters, insert, picture_of, places, without_words, write_map
from classex_sphinx.reading import word_prompts
from classex_sphinx.searching import check_terms, terms
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[2]


def page(*parts):
    document = new_document("page")
    document += parts
    return document


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


def test_a_term_stands_once_and_its_label_on_a_page():
    words = [word.lower() for words in terms(ROOT).values() for word in words]
    assert sorted(set(words)) == sorted(words)
    labels = dict.fromkeys(terms(ROOT), ())
    env = SimpleNamespace(domaindata={"std": {"labels": labels}})
    check_terms(SimpleNamespace(srcdir=ROOT), env)
    del labels["rank-metrics"]
    with pytest.raises(ExtensionError, match="no page has the labels rank-metrics"):
        check_terms(SimpleNamespace(srcdir=ROOT), env)


SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><g id="text_1"><path d="M0 0"/></g>
<path d="M 2 2 L 4 6"/></svg>"""


def test_a_card_shows_a_figure_of_its_page_without_words(tmp_path):
    (chapter, *_) = chapters(ROOT)
    drawn = '<div class="classex-figure x"><img class="only-light classex-any" src="../_images/light.svg"></div>'
    (tmp_path / "notebooks").mkdir()
    built = tmp_path / f"{chapter.page}.html"
    built.write_text(drawn + '<div class="classex-figure x"><p>a photograph</p></div>', encoding="utf-8")
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "light.svg").write_text(SVG, encoding="utf-8")
    chapter.picture = 1
    picture = without_words(picture_of(chapter, "light", tmp_path)).decode()
    assert "text_1" not in picture
    assert 'viewBox="-2 -1 10 10"' in picture
    for figure, message in ((2, "no drawing"), (3, "has no figure 3")):
        chapter.picture = figure
        with pytest.raises(ExtensionError, match=message):
            picture_of(chapter, "light", tmp_path)
    chapter.picture = "subsets"
    assert picture_of(chapter, "dark", tmp_path).lstrip().startswith(b"<?xml")


def test_the_first_page_has_a_question_for_every_numbered_page():
    found = chapters(ROOT)
    said = yaml.safe_load((ROOT / "book" / "chapters.yml").read_text(encoding="utf-8"))
    assert [chapter.page for chapter in found if not chapter.question.endswith("?")] == []
    assert {chapter.page for chapter in found} <= set(said)
    assert [page for page in said if not (ROOT / f"{page}.md").is_file()] == []
    assert [chapter.number for chapter in found] == list(range(1, len(found) + 1))
    page = [CARDS]
    insert(SimpleNamespace(srcdir=ROOT, builder=SimpleNamespace(format="html")), "book/intro", page)
    cards, fields = page[0].split("The theorem serves many fields:")
    assert cards.count("<li>") == sum(chapter.has_card for chapter in found) == 11
    assert [line.strip() for line in fields.splitlines() if line] == [c.line for c in found if not c.has_card]


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
