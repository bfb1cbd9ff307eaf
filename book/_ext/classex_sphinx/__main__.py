"""Make the slides alone, from a built book: ``python -m classex_sphinx _build/html``."""

from __future__ import annotations

import sys
from pathlib import Path

from .slides import write_decks

html = Path(sys.argv[1])
pages = [path.relative_to(html).with_suffix("").as_posix() for path in html.rglob("notebooks/*.html")]
write_decks(Path(), html, html.parent / "jupyter_execute", pages, pages)
