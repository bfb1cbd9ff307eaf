"""No notebook for students holds a sentence or a line of code of what its page folds: solutions, proofs, answers."""

from __future__ import annotations

import re

import nbformat
import pytest

from tests.book.visits import BOOK, ROOT

SOLUTION = re.compile(r"^```\{solution-start\}.*?^```\{solution-end\}$", re.MULTILINE | re.DOTALL)
DROPDOWN = re.compile(r"^(`{3,}|:{3,})\{dropdown\}[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^[ \t]*### BEGIN SOLUTION$(.*?)^[ \t]*### END SOLUTION$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^(?:`{3}|:).*$", re.MULTILINE)
# what the build replaces or sets otherwise: formulas, roles, code, links, quotation marks
SET = re.compile(
    r"\$\$.*?\$\$|\$[^$]+\$|\{[\w:]+\}`[^`]+`|`[^`]+`|\[[^]]*\]\([^)]*\)|https?:\S+|[\"'“”‘’<>|]", re.DOTALL
)
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "notebooks").glob("*.md"))}


def sentences(text: str) -> set[str]:
    """Parts of sentences, four words or more, as they stand in every form of the text."""
    prose = FENCE.sub("\n\n", CELL.sub("\n\n", text))
    parts = re.split(r"[.?!;:]\s|\n\n", SET.sub(". ", prose))
    return {words for part in parts if len((words := plain(part)).split()) >= 4}


def plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text))


def folded(text: str) -> tuple[set[str], set[str]]:
    """Sentences and lines of code that only the folded parts of a page hold."""
    hidden = [*SOLUTION.findall(text), *(body for _, body in DROPDOWN.findall(text))]
    shown = plain(SOLUTION.sub("", DROPDOWN.sub("", text)))
    lines = {line.strip() for code in CODE.findall(text) for line in code.splitlines() if len(line.strip()) > 15}
    open_code = CODE.sub("", "\n".join(CELL.findall(text)))
    secret = {one for body in hidden for one in sentences(body) if one not in shown}
    return secret, {line for line in lines if line not in open_code}


def sources(edition: str, name: str) -> tuple[str, str]:
    """Text and code of a notebook that the build wrote."""
    cells = nbformat.read(BOOK.parent / "notebooks" / edition / f"{name}.ipynb", as_version=4).cells
    text, code = ("\n".join(cell.source for cell in cells if cell.cell_type == kind) for kind in ("markdown", "code"))
    return plain(text), code


ANSWERS = {name: answers for name, text in TEXTS.items() if any(answers := folded(text))}


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("page", ANSWERS)
def test_answers_are_in_the_instructor_s_notebook_alone(page: str):
    text, code = ANSWERS[page]
    own_text, own_code = sources("instructor", page)
    assert [one for one in text if one not in own_text] == []
    assert [line for line in code if line not in own_code] == []
    own_text, own_code = sources("student", page)
    assert [one for one in text if one in own_text] == []
    assert [line for line in code if line in own_code] == []
