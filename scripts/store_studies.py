"""Copy the tables of stored studies that chapters show into the package: ``python scripts/store_studies.py``.

Which these are is read from the chapters: every name in quotation marks after ``load_study(``.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "src" / "classex_book" / "studies"


def shown() -> set[str]:
    """Names of the tables that the chapters and pages read."""
    pages = [*(ROOT / "notebooks").glob("*.md"), *(ROOT / "book").glob("*.md")]
    return {name for page in pages for name in re.findall(r'load_study\("([^"]+)"\)', page.read_text(encoding="utf-8"))}


def store() -> None:
    """Make the package's tables those of the benchmarks, and remove tables that no page shows."""
    names = shown()
    for old in STUDIES.glob("*/*.csv"):
        if f"{old.parent.name}/{old.stem}" not in names:
            old.unlink()
    for name in sorted(names):
        target = STUDIES / f"{name}.csv"
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / "benchmarks" / f"{name}.csv", target)


if __name__ == "__main__":
    store()
