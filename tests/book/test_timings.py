"""The page of timings is written from what the build stored; no page takes too long."""

from __future__ import annotations

import json
import re
import runpy
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TIMINGS = ROOT / "book" / "timings.md"


@pytest.fixture(scope="module")
def tool():
    return runpy.run_path(str(ROOT / "tools" / "timings.py"))


@pytest.fixture
def small_book(tmp_path):
    """Three pages, two with code, and the database of a build that executed them, one of them twice."""
    chapters = "\n".join(f"      - file: notebooks/{name}" for name in ("one", "two"))
    (tmp_path / "_toc.yml").write_text(f"root: book/intro\nparts:\n  - chapters:\n{chapters}\n", encoding="utf-8")
    for page, text in (("book/intro", "# No code"), ("notebooks/one", "# One\n\n```{code-cell} ipython3\n1\n```")):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / f"{page}.md").write_text(text, encoding="utf-8")
    (tmp_path / "notebooks" / "two.md").write_text("# Two\n\n```{code-cell} ipython3\n# not a title\n```", "utf-8")
    html = tmp_path / "_build" / "html"
    (html / "_static").mkdir(parents=True)
    for name, size in (("one.html", 2_000_000), ("two.html", 500_000), ("_static/big.js", 9_000_000)):
        (html / name).write_bytes(b"x" * size)
    cache = tmp_path / "_build" / ".jupyter_cache" / "digest"
    cache.mkdir(parents=True)
    with closing(sqlite3.connect(cache / "global.db")) as connection:
        connection.execute("create table nbcache (uri text, data text, created text)")
        for name, seconds, created in (("one", 9.0, "1"), ("two", 20.04, "2"), ("one", 1.5, "3")):
            row = (f"{tmp_path}/notebooks/{name}.md", json.dumps({"execution_seconds": seconds}), created)
            connection.execute("insert into nbcache values (?, ?, ?)", row)
        connection.commit()
    return tmp_path


def test_every_page_with_code_has_its_last_time(tool, small_book):
    page = tool["page_of_timings"](small_book, "a machine")
    assert "| {doc}`One </notebooks/one>` | 1.5 |\n| {doc}`Two </notebooks/two>` | 20.0 |\n| together | 21.5 |" in page
    assert "No code" not in page
    assert "has 2 pages and 12 MB; the largest page has 2.0 MB of text." in page
    assert page.endswith("Measured on: a machine.\n")


def test_without_a_build_there_are_no_timings(tool, small_book):
    with pytest.raises(SystemExit, match="run make book first"):
        tool["stored_seconds"](small_book / "nowhere")


def test_the_machine_is_named_without_its_name(tool):
    assert re.fullmatch(r".+, \d+ cores, Python 3\.\d+\.\d+", tool["machine"]())


@pytest.mark.skipif(not TIMINGS.is_file(), reason="no timings stored yet: run `make timings` after `make book`")
def test_no_page_takes_ninety_seconds_and_all_take_fifteen_minutes(tool):
    text = TIMINGS.read_text(encoding="utf-8")
    seconds = {page: float(time) for page, time in re.findall(r"</([^>]+)>` \| ([\d.]+) \|", text)}
    assert set(seconds) == set(tool["pages"](ROOT))
    assert max(seconds.values()) < 90
    # three times the pages of 0.1.0, which took eight minutes at most
    assert sum(seconds.values()) < 900
