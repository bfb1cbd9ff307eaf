"""Notation, glossary, index and bibliography: nothing twice, nothing unused, everything within reach."""

from __future__ import annotations

import re
from pathlib import Path

from tests.book.contents import chapters

ROOT = Path(__file__).parents[2]
CHAPTERS = chapters()
PAGES = [*sorted((ROOT / "book").glob("*.md")), *sorted((ROOT / "notebooks").glob("*.md"))]
LOCAL = {"d", "Binomial"}  # the differential; a name that says what it is


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def glossary_terms() -> list[str]:
    body = read(ROOT / "book" / "glossary.md").split("```{glossary}\n")[1].split("```")[0]
    return [line for line in body.splitlines() if line and not line.startswith(" ")]


def linked_terms(text: str) -> set[str]:
    """Glossary terms that a text links to."""
    roles = re.findall(r"\{term\}`([^`]+)`", text)
    return {re.sub(r"^.*<(.*)>$", r"\1", role) for role in roles}


def test_glossary_terms_stand_once_and_in_order():
    terms = glossary_terms()
    assert len(terms) > 30
    assert terms == sorted(set(terms), key=str.lower)


def test_every_glossary_term_is_linked_from_a_chapter_or_another_entry():
    linked = set().union(*(linked_terms(read(page)) for page in PAGES if page.stem != "notation"))
    assert linked == set(glossary_terms())


def test_a_chapter_links_its_words():
    for number in CHAPTERS:
        text = "".join(map(read, CHAPTERS[number]))
        assert len(linked_terms(text)) >= 5
        assert len(re.findall(r"\{index\}`", text)) >= 4


def test_names_set_in_formulas_are_on_the_notation_page():
    for chapter in [page for pages in CHAPTERS.values() for page in pages]:
        text = re.sub(r"^```\{code-cell\}.*?^```$", "", read(chapter), flags=re.MULTILINE | re.DOTALL)
        used = set(re.findall(r"\\(?:mathrm|operatorname)\{([A-Za-z]+)\}", text))
        defined = set(re.findall(r"\\(?:mathrm|operatorname)\{([A-Za-z]+)\}", read(ROOT / "book" / "notation.md")))
        assert used - LOCAL <= defined


def test_every_citation_has_its_entry_and_every_entry_its_citation():
    entries = re.findall(r"^@\w+\{([^,\s]+),", read(ROOT / "book" / "references.bib"), re.MULTILINE)
    cited = {
        key.strip()
        for page in PAGES
        for role in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", read(page))
        for key in role.split(",")
    }
    assert len(entries) == len(set(entries))
    assert cited == set(entries)
