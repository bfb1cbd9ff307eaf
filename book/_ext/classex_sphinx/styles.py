"""Style sheets without the rules that no page can use.

The theme's style sheets serve every site that could be made with it. A rule stays if every class that it asks for
stands on a page of this book or in one of its scripts, which may set it later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

# the large ones, below _static; the book's own are small and all used
SHEETS = (
    "styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css", "sphinx-design.min.css", "mystnb.*.css",
    "proof.css", "basic.css", "pygments.css",
)  # fmt: skip
_CLASSES = re.compile(r'class="([^"]*)"')
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_CLASS = re.compile(r"\.(-?[A-Za-z_](?:[\w-]|\\.)*)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ICON = re.compile(r"\.fa[\w-]*::?before")
_NESTED = ("@media", "@supports", "@layer", "@container")


def rules(css: str) -> Iterator[tuple[str, str]]:
    """What stands before each outermost brace, and what inside; statements without braces have an empty inside."""
    start = place = 0
    depth, opened, quote = 0, 0, ""
    while place < len(css):
        sign = css[place]
        if quote:
            if sign == "\\":
                place += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign == "{":
            depth += 1
            opened = place if depth == 1 else opened
        elif sign == "}":
            depth -= 1
            if depth == 0:
                yield css[start:opened].strip(), css[opened + 1 : place]
                start = place + 1
        elif sign == ";" and depth == 0:
            yield css[start : place + 1].strip(), ""
            start = place + 1
        place += 1


def split_selectors(text: str) -> list[str]:
    """The selectors of a rule, split at commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def can_match(selector: str, used: set[str]) -> bool:
    """Whether every class outside parentheses is used; those inside are mostly alternatives."""
    if _ICON.search(selector):
        return False  # icons are drawings here, not letters of a font
    if "[data-bs-theme=dark]" in selector:
        return False  # Bootstrap's own switch, which the theme does not use
    outside, depth = [], 0
    for sign in selector:
        depth += sign == "("
        if not depth:
            outside.append(sign)
        depth -= sign == ")"
    return all(name.replace("\\", "") in used for name in _CLASS.findall("".join(outside)))


def prune(css: str, used: set[str]) -> str:
    """The style sheet without rules for classes that are not used, and without comments but for licences."""
    kept = [comment for comment in _COMMENT.findall(css) if comment.startswith("/*!")]
    for head, body in rules(_COMMENT.sub("", css)):
        if head.endswith(";"):
            kept.append(head)
        elif head.startswith(_NESTED):
            if inside := prune(body, used):
                kept.append(f"{head}{{{inside}}}")
        elif (head == "@font-face" and "fontawesome" in body) or head.startswith("@keyframes fa-"):
            continue
        elif head.startswith("@"):
            kept.append(f"{head}{{{body}}}")
        else:
            selectors = [selector for selector in split_selectors(head) if can_match(selector, used)]
            if selectors:
                kept.append(f"{','.join(selectors)}{{{body}}}")
    return "".join(kept)


def used_names(html: Path) -> set[str]:
    """Classes on the pages, and every word of the scripts."""
    found: set[str] = set()
    for page in html.rglob("*.html"):
        for names in _CLASSES.findall(page.read_text(encoding="utf-8")):
            found.update(names.split())
    for script in (html / "_static").rglob("*.js"):
        if not {"mathjax", "slides"} & set(script.parts):
            found.update(_WORD.findall(script.read_text(encoding="utf-8")))
    return found


def prune_sheets(app: Sphinx, exception: Exception | None) -> None:
    """Prune the large style sheets of a finished book."""
    if exception is not None or app.builder.format != "html":
        return
    html = Path(app.outdir)
    used = used_names(html)
    for pattern in SHEETS:
        for path in (html / "_static").glob(pattern):
            path.write_text(prune(path.read_text(encoding="utf-8"), used), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build, after the icons are drawn and unused files are gone."""
    app.connect("build-finished", prune_sheets, priority=970)
