"""Write book/timings.md: how long every page took to execute in the last build, how large it is, on what machine.

The build stores these times beside the cached outputs; a build that found its outputs in the cache leaves the times
of the build that computed them. Run as ``make timings`` after a ``make book`` that had the machine to itself.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
HEAD = """(timings)=
# How long the pages take

The time that each page with code took to execute, from a build that had the machine to itself. A second build takes
its outputs from a cache and executes nothing. This page was written by `make timings`, so that building the book again
does not change it.

| page | seconds |
|:--|--:|
"""


def files(entries: list[dict[str, Any]]) -> Iterator[str]:
    """The pages of a part, each with the pages below it after it."""
    for entry in entries:
        yield entry["file"]
        yield from files(entry.get("sections", []))


def pages(root: Path) -> dict[str, str]:
    """Every page with code cells, in the order of the book, and its title."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    found = {}
    for page in [toc["root"], *(page for part in toc["parts"] for page in files(part["chapters"]))]:
        source = root / f"{page}.md"
        text = source.read_text(encoding="utf-8") if source.is_file() else ""
        if "```{code-cell}" in text:
            found[page] = re.findall(r"^# (.+)$", text, re.MULTILINE)[0]
    return found


def stored_seconds(cache: Path) -> dict[str, float]:
    """Seconds of execution by page, from the newest cache of a build."""
    databases = sorted(cache.glob("*/global.db"), key=lambda path: path.stat().st_mtime)
    if not databases:
        raise SystemExit("no timings: run make book first")
    with closing(sqlite3.connect(databases[-1])) as connection:
        rows = connection.execute("select uri, data from nbcache order by created").fetchall()
    return {"/".join(Path(uri).with_suffix("").parts[-2:]): json.loads(data)["execution_seconds"] for uri, data in rows}


def machine() -> str:
    """Processor, cores and Python of this machine."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.is_file():
        names = re.findall(r"^model name\s*: (.+)$", information.read_text(encoding="utf-8"), re.MULTILINE)
        model = names[0] if names else model
    return f"{model.strip()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def weight(html: Path) -> str:
    """How many pages the built book has, and how large it and its largest page are."""
    made = sorted(path for path in html.rglob("*") if path.is_file())
    written = [path for path in made if path.suffix == ".html" and "_static" not in path.parts]
    if not written:
        raise SystemExit("no pages: run make book first")
    total = sum(path.stat().st_size for path in made) / 1e6
    largest = max(path.stat().st_size for path in written) / 1e6
    return f"The built book has {len(written)} pages and {total:.0f} MB; the largest page has {largest:.1f} MB of text."


def page_of_timings(root: Path, here: str) -> str:
    """Text of the page: one row a page, the sum, the machine."""
    seconds, titles = stored_seconds(root / "_build" / ".jupyter_cache"), pages(root)
    missing = [page for page in titles if page not in seconds]
    if missing:
        raise SystemExit(f"no timing of {', '.join(missing)}: run make book first")
    rows = [f"| {{doc}}`{title} </{page}>` | {seconds[page]:.1f} |" for page, title in titles.items()]
    total = sum(seconds[page] for page in titles)
    size = weight(root / "_build" / "html")
    return HEAD + "\n".join(rows) + f"\n| together | {total:.1f} |\n\n{size}\n\nMeasured on: {here}.\n"


if __name__ == "__main__":
    (ROOT / "book" / "timings.md").write_text(page_of_timings(ROOT, machine()), encoding="utf-8")
