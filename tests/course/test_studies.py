"""Stored studies in the package: whole tables, and those that pages show."""

from __future__ import annotations

import re
from pathlib import Path

from classex_book.studies import study_names

ROOT = Path(__file__).parents[2]


def test_the_package_holds_what_pages_show_and_nothing_else():
    pages = [*(ROOT / "notebooks").glob("*.md"), *(ROOT / "book").glob("*.md")]
    shown = {
        name for page in pages for name in re.findall(r'load_study\("([^"]+)"\)', page.read_text(encoding="utf-8"))
    }
    assert shown == set(study_names())
