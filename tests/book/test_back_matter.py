"""Notation, glossary, index and bibliography: nothing twice, nothing unused, everything within reach."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import yaml

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


def symbols() -> list[str]:
    """First cells of the rows of the notation page's tables of symbols."""
    tables = read(ROOT / "book" / "notation.md").split("## Letters that live")[0]
    return [cell for row in re.findall(r"^\| (\$.*?) \|", tables, re.MULTILINE) for cell in row.split(", $")]


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


def test_a_symbol_is_defined_once():
    found = Counter(symbol.strip("$ ") for symbol in symbols())
    assert len(found) > 60
    assert [symbol for symbol, count in found.items() if count > 1] == []


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


def test_most_entries_link_to_the_work():
    """A link is a DOI without an address before it, or an address; no two entries share one."""
    text = read(ROOT / "book" / "references.bib")
    dois, addresses = (re.findall(rf"^  {name}\s*= \{{(.+)\}}", text, re.MULTILINE) for name in ("doi", "url"))
    assert [doi for doi in dois if not re.fullmatch(r"10\.\d{4,5}/\S+", doi)] == []
    assert all(address.startswith("https://") for address in addresses)
    assert len({*dois, *addresses}) == len(dois) + len(addresses) > 0.7 * text.count("\n@")


def test_the_index_closes_the_table_of_contents():
    toc = yaml.safe_load(read(ROOT / "_toc.yml"))
    assert toc["parts"][-1]["chapters"][-1]["file"] == "genindex"
