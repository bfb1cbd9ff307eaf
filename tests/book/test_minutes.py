"""The minutes that a page states follow one rule, which agrees with a careful reader's."""

from __future__ import annotations

from pathlib import Path

import pytest
from classex_sphinx.minutes import LINE, LONGEST, effort, with_line

ROOT = Path(__file__).parents[2]
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for folder in ("book", "notebooks")
    for path in sorted((ROOT / folder).glob("*.md"))
    if LINE.search(path.read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_states_the_minutes_of_the_rule_and_is_one_sitting(name):
    assert with_line(PAGES[name]) == PAGES[name]
    assert effort(PAGES[name]).minutes <= LONGEST
