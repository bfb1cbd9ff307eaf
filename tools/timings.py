"""Write book/timings.csv: how long every page took to execute in the last build, and on what machine.

The build stores these times beside the cached outputs; a build that found its outputs in the cache leaves the times
of the build that computed them. Run as ``make timings`` after ``make book``.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import re
import sqlite3
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "book" / "timings.csv"


def pages(root: Path = ROOT) -> dict[str, str]:
    """Every page with code cells, in the order of the book, and its title."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    found = {}
    for page in [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]:
        text = (root / f"{page}.md").read_text(encoding="utf-8")
        if "```{code-cell}" in text:
            found[page] = re.search(r"^# (.+)$", text, re.MULTILINE)[1]
    return found


def stored_seconds(cache: Path) -> dict[str, float]:
    """Seconds of execution by page, from the newest cache of a build."""
    databases = sorted(cache.glob("*/global.db"), key=lambda path: path.stat().st_mtime)
    if not databases:
        raise SystemExit("no timings: run make book first")
    with sqlite3.connect(databases[-1]) as connection:
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


def write_table() -> None:
    """Write one row a page, and the sum."""
    seconds, here = stored_seconds(ROOT / "_build" / ".jupyter_cache"), machine()
    titles = pages()
    missing = [page for page in titles if page not in seconds]
    if missing:
        raise SystemExit(f"no timing of {', '.join(missing)}: run make book first")
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["page", "seconds", "machine"])
        for page, title in titles.items():
            writer.writerow([f"{{doc}}`{title} </{page}>`", f"{seconds[page]:.1f}", here])
        writer.writerow(["all pages", f"{sum(seconds[page] for page in titles):.1f}", here])


if __name__ == "__main__":
    write_table()
