"""A light book: of what the theme and MathJax bring along, only what the pages use stays.

The theme's icons are a script of a megabyte and a half that holds two thousand of them; the pages use some fifteen,
which are written here into a script of a few kilobytes of the same name. Of Bootstrap's script they use a menu, which
`book/_static/menus.js` opens and closes.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

# below _static: maps of the theme's scripts, its words in other languages, fonts of icons, unused parts of MathJax
UNUSED = (
    "scripts/*.map", "styles/*.map", "scripts/bootstrap.js.LICENSE.txt", "locales", "vendor/fontawesome",
    "images/logo_*", "*-macros.html",
)  # fmt: skip
MATHJAX_USED = ("startup.js", "core.js", "loader.js", "input", "output", "a11y")
MATHJAX_UNUSED = (
    "input/asciimath.js", "input/mml*", "input/tex-*.js", "output/svg*", "a11y/sre.js", "a11y/explorer.js",
    "a11y/semantic-enrich.js", "a11y/complexity.js",
)  # fmt: skip
_USED = re.compile(r"fa[sr]? fa-([a-z-]+)|fa-solid fa-([a-z-]+)")
_ALWAYS = {"xmark", "check", "copy"}  # made by the theme's scripts
# names, signs and blanks in code take the colour of the code around them
_COLOURLESS = re.compile(r'<span class="(?:n|p|w|o|nn|nx)">([^<]*)</span>')
_SIGNATURE, _PIECE = re.compile(r"<dt class=\"sig .*?</dt>", re.DOTALL), re.compile(r'<span class="pre">([^<]*)</span>')
_ROW = re.compile(r' class="row-(?:odd|even)"')
_NO_HEAD = re.compile(r"<th\b[^>]*></th>")
# a cell that holds one paragraph
_CELL = re.compile(r"(<t[dh]\b[^>]*>)<p>((?:(?!</?p\b|</t[dh]>).)*)</p>(?=</t[dh]>)", re.DOTALL)
_SEARCH = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>')
_TABS = re.compile(r'\s*<script src="[^"]*design-tabs\.js[^"]*"></script>')
_AS_IT_STANDS = re.compile(r"(<(?:pre|textarea|script)\b.*?</(?:pre|textarea|script)>)", re.DOTALL)
_BLANK = re.compile(r"\n\s*\n")
_SCRIPT = """// Icons of Font Awesome Free (CC BY 4.0, fontawesome.com), those that this book uses.
(function () {
  "use strict";
  const icons = %s;
  function draw(root) {
    root.querySelectorAll(".fa-solid, .fas, .fa-regular, .far").forEach((place) => {
      const name = [...place.classList].map((c) => c.replace("fa-", "")).find((c) => icons[c]);
      if (!name || place.tagName === "svg") return;
      const [width, height, path] = icons[name];
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      for (const { name: kept, value } of place.attributes) svg.setAttribute(kept, value);
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.setAttribute("class", `svg-inline--fa ${place.className}`);
      svg.setAttribute("aria-hidden", "true");
      svg.innerHTML = `<path fill="currentColor" d="${path}"/>`;
      place.replaceWith(svg);
    });
  }
  draw(document);
  new MutationObserver((changes) => {
    if (changes.some((change) => change.addedNodes.length)) draw(document);
  }).observe(document.body, { childList: true, subtree: true });
}());
"""


def used_icons(html: Path) -> set[str]:
    """Names of the icons on the pages."""
    found = set(_ALWAYS)
    for page in html.rglob("*.html"):
        found.update(first or second for first, second in _USED.findall(page.read_text(encoding="utf-8")))
    return found


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


def plain_code(html: str) -> str:
    """A page without marks on those pieces of code that have no colour of their own."""
    html = _SIGNATURE.sub(lambda found: _PIECE.sub(r"\1", found[0]), html)
    return _COLOURLESS.sub(r"\1", html)


def plain_tables(html: str) -> str:
    """A page whose tables say nothing that no style sheet asks for, and whose empty cells are not heads of a column."""
    html = (
        _ROW.sub("", html)
        .replace('<td class="text-left">', "<td>")
        .replace('<td class="text-right">', '<td class="r">')
    )
    return _NO_HEAD.sub("<td></td>", _CELL.sub(r"\1\2", html))


def without_blanks(html: str) -> str:
    """A page without empty lines, but for those of its code."""
    parts = _AS_IT_STANDS.split(html)
    return "".join(part if place % 2 else _BLANK.sub("\n", part) for place, part in enumerate(parts))


def without_search(html: str) -> str:
    """A page without the search index, which only the page of the search needs."""
    return _SEARCH.sub("", html)


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """Drop what no page uses from a finished book."""
    if exception is not None or app.builder.format != "html":
        return
    html = Path(app.outdir)
    static = html / "_static"
    for page in html.rglob("*.html"):
        text = without_blanks(plain_tables(plain_code(page.read_text(encoding="utf-8"))))
        text = text if "sd-tab-set" in text else _TABS.sub("", text)
        page.write_text(text if page.name == "search.html" else without_search(text), encoding="utf-8")
    icons = static / "scripts" / "fontawesome.js"
    if icons.is_file():
        icons.write_text(icon_script(icons.read_text(encoding="utf-8"), used_icons(html)), encoding="utf-8")
    if (menus := static / "menus.js").is_file():
        menus.replace(static / "scripts" / "bootstrap.js")
    mathjax = static / "mathjax"
    unused = [path for path in mathjax.iterdir() if path.name not in MATHJAX_USED] if mathjax.is_dir() else []
    unused += [path for pattern in MATHJAX_UNUSED for path in mathjax.glob(pattern)]
    unused += [path for pattern in UNUSED for path in static.glob(pattern)]
    for path in unused:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def setup(app: Sphinx) -> None:
    """Connect to the build, after everything else has been written."""
    app.connect("build-finished", lighten, priority=950)
