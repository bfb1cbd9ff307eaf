"""The page of timings is written from what the build stored; no page takes too long."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TIMINGS = ROOT / "book" / "timings.md"


@pytest.fixture(scope="module")
def tool():
    return runpy.run_path(str(ROOT / "tools" / "timings.py"))


@pytest.mark.skipif(not TIMINGS.is_file(), reason="no timings stored yet: run `make timings` after `make book`")
def test_no_page_takes_ninety_seconds_and_all_take_fifteen_minutes(tool):
    text = TIMINGS.read_text(encoding="utf-8")
    seconds = {page: float(time) for page, time in re.findall(r"</([^>]+)>` \| ([\d.]+) \|", text)}
    assert set(seconds) == set(tool["pages"](ROOT))
    assert max(seconds.values()) < 90
    # three times the pages of 0.1.0, which took eight minutes at most
    assert sum(seconds.values()) < 900
