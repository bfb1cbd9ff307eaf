"""The theme's icons, styles and scripts, without those that no page uses.

The theme's script holds two thousand icons in a megabyte and a half. The finished book has a script of the same name
with the fifteen or so that its pages show. Its style sheets lose the rules whose classes are neither on a page nor in a
script, which may add them later. Those that all pages load become one, because a browser waits for each before it
draws. A script is loaded where a page has what it works on.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lightningcss import process_stylesheet
from sphinx.application import Sphinx

_USED = re.compile(r"fa[srb]? fa-([a-z-]+)|fa-solid fa-([a-z-]+)")
_CLASSES = re.compile(r'class="([^"]*)"')
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_LETTERS = re.compile(r"@font-face\{[^{}]*fontawesome[^{}]*\}|[^{}]*\.fa[\w-]*:before[^{}]*\{[^{}]*\}")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_SHEET = re.compile(r'<link(?=[^>]*rel="stylesheet")[^>]*href="([^"?]+)[^>]*>')
_IMPORT = re.compile(r'@import\s*"([^"]+)";')
_ADDRESS = re.compile(r"""url\((["']?)(?!data:|#)([^)"']+)""")
_APART = {"mathjax", "slides", "excerpts.js"}  # not of the theme
_WORK = {  # what a page must have for a script
    "design-tabs.js": re.compile(r"\bsd-tab-set\b"),
    "togglebutton.js": re.compile(r"\btoggle\b|\bdropdown\b"),
    "code.js": re.compile(r'<details class="[^"]*\bhide\b'),
    "clipboard.min.js": re.compile(r'class="highlight'),
    "copybutton.js": re.compile(r'class="highlight'),
}
_ADDED = {"xmark", "check", "copy"}  # by the theme's scripts, when a page is shown
_SCRIPT = """// Icons of Font Awesome Free (CC BY 4.0, fontawesome.com), those that this book uses.
(function () {
  "use strict";
  const icons = %s;
  function draw() {
    document.querySelectorAll(".fa-solid, .fas, .fa-regular, .far").forEach((icon) => {
      const name = [...icon.classList].map((c) => c.replace("fa-", "")).find((c) => icons[c]);
      if (!name || icon.tagName === "svg") return;
      const [width, height, path] = icons[name];
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      for (const { name: kept, value } of icon.attributes) svg.setAttribute(kept, value);
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.setAttribute("class", `svg-inline--fa ${icon.className}`);
      svg.setAttribute("aria-hidden", "true");
      svg.innerHTML = `<path fill="currentColor" d="${path}"/>`;
      icon.replaceWith(svg);
    });
  }
  draw();
  new MutationObserver((changes) => {
    if (changes.some((change) => change.addedNodes.length)) draw();
  }).observe(document.body, { childList: true, subtree: true });
}());
"""


def choose_scripts(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Leave out scripts that have nothing to do on a page."""
    body = context.get("body", "")

    def works(script: Any) -> bool:
        work = _WORK.get(str(getattr(script, "filename", script)).rpartition("/")[2].partition("?")[0])
        return work is None or bool(work.search(body))

    context["script_files"] = [script for script in context["script_files"] if works(script)]


def icon_script(theme_script: str, names: set[str]) -> str:
    """A script that draws the named icons, with their outlines from the theme's own script."""
    icons = {}
    for name in sorted(names):
        outline = re.search(
            rf'[{{,]"?{re.escape(name)}"?:\[(\d+),(\d+),\[[^\]]*\],"[0-9a-f]+","([^"]+)"\]', theme_script
        )
        if outline:
            icons[name] = [int(outline[1]), int(outline[2]), outline[3]]
    return _SCRIPT % json.dumps(icons)


def used_styles(css: str, used: set[str]) -> str:
    """A style sheet without rules for classes that are not used, without blanks and without icons as letters."""
    names = set(_CLASS.findall(css))
    return _LETTERS.sub("", process_stylesheet(css, error_recovery=True, unused_symbols=names - used))


def one_sheet(sheets: Sequence[Path], folder: Path) -> str:
    """The style sheets after each other, with what they import, and addresses as seen from the folder."""

    def text(sheet: Path) -> str:
        def address(found: re.Match[str]) -> str:
            return f"url({found[1]}{os.path.relpath(sheet.parent / found[2], folder)}"

        def imported(found: re.Match[str]) -> str:
            return text(sheet.parent / found[1])

        return _IMPORT.sub(imported, _ADDRESS.sub(address, sheet.read_text(encoding="utf-8")))

    return "\n".join(map(text, sheets))


def join_sheets(html: Path, pages: dict[Path, str]) -> None:
    """Write one style sheet in place of those that all pages of the theme load, and name it on these pages."""
    linked = {
        page: {link: (page.parent / link[1]).resolve() for link in _SHEET.finditer(pages[page])} for page in pages
    }
    themed = {page: links for page, links in linked.items() if any(path.name == "theme.css" for path in links.values())}
    shared = set.intersection(*(set(links.values()) for links in themed.values()))
    static = html / "_static"
    order = [path for path in next(iter(themed.values())).values() if path in shared]
    css = one_sheet(order, static.resolve())
    target = static / f"book-{hashlib.sha256(css.encode()).hexdigest()[:8]}.css"
    target.write_text(css, encoding="utf-8")
    for page, links in themed.items():
        text = pages[page]
        first, *others = [link[0] for link, path in links.items() if path in shared]
        for link in others:
            text = text.replace(link, "")
        place = os.path.relpath(target, page.parent)
        page.write_text(text.replace(first, f'<link href="{place}" rel="stylesheet" />'), encoding="utf-8")


def keep_what_is_used(app: Sphinx, exception: Exception | None) -> None:
    """Replace the theme's icons and style sheets in a finished book."""
    if exception is not None or app.builder.format != "html":
        return
    html = Path(app.outdir)
    pages = {page: page.read_text(encoding="utf-8") for page in html.rglob("*.html")}
    icons = html / "_static" / "scripts" / "fontawesome.js"
    shown = {first or second for page in pages.values() for first, second in _USED.findall(page)}
    icons.write_text(icon_script(icons.read_text(encoding="utf-8"), shown | _ADDED), encoding="utf-8")
    used = {name for page in pages.values() for names in _CLASSES.findall(page) for name in names.split()}
    static = [path for path in (html / "_static").rglob("*.*") if not _APART & set(path.parts)]
    for script in [path for path in static if path.suffix == ".js"]:
        used.update(_WORD.findall(script.read_text(encoding="utf-8")))
    for sheet in [path for path in static if path.suffix == ".css"]:
        sheet.write_text(used_styles(sheet.read_text(encoding="utf-8"), used), encoding="utf-8")
    join_sheets(html, pages)


def setup(app: Sphinx) -> None:
    """Connect to the build, when a page has all its scripts, and after everything has been written."""
    app.connect("html-page-context", choose_scripts, priority=950)
    app.connect("build-finished", keep_what_is_used, priority=950)
