"""Say how long every page takes by the rule of ``classex_sphinx.minutes``, and write it into the pages.

Run as ``python tools/page_minutes.py [--write] [pages ...]``, where the pages are files; without any, all pages that
have a line ``**Time.**``. The exit status is 1 if a page is too long, or if a line was wrong and was not written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from classex_sphinx.minutes import LINE, LONGEST, effort, with_line  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Print a line for every page, and write the pages if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="write the line **Time.** into the pages")
    given = parser.parse_args(arguments)
    pages = given.pages or [*sorted((ROOT / "book").glob("*.md")), *sorted((ROOT / "notebooks").glob("*.md"))]
    wrong = False
    for page in pages:
        source = page.read_text(encoding="utf-8")
        if not LINE.search(source):
            continue
        found, right = effort(source), with_line(source)
        wrong |= found.minutes > LONGEST or (right != source and not given.write)
        notes = ", too long" * (found.minutes > LONGEST) + ", line differs" * (right != source and not given.write)
        print(f"{page.name}: {found.said} ({found.exact:.1f}{notes})")
        if given.write and right != source:
            page.write_text(right, encoding="utf-8")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
