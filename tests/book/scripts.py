"""The explorer's scripts that compute, on an empty page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "book" / "_static" / "explorer"
SCRIPT_NAMES = (
    *("normal", "laws", "settings", "algebra", "wins", "ranks", "curve", "fit", "interval"),
    *("nodes", "process", "ensemble", "parse"),
)


def with_scripts(browser: Any) -> Any:
    """An empty page with these scripts."""
    blank = browser.new_page()
    for name in SCRIPT_NAMES:
        blank.add_script_tag(path=SCRIPTS / f"{name}.js")
    return blank
