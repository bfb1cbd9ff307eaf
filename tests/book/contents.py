"""The pages of each chapter, as the table of contents has them."""

from __future__ import annotations

from pathlib import Path

from tests.book.visits import table_of_contents

ROOT = Path(__file__).parents[2]


def chapters() -> dict[str, list[Path]]:
    """The pages of each chapter, by the chapter's number in two digits."""
    found: dict[str, list[Path]] = {}
    for page in table_of_contents():
        if page.startswith("notebooks/0"):
            found.setdefault(page.removeprefix("notebooks/")[:2], []).append(ROOT / f"{page}.md")
    return found
