"""The icons of the theme, without those that no page uses.

The theme's script holds two thousand icons in a megabyte and a half. The finished book has a script of the same name
with the fifteen or so that its pages show.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from sphinx.application import Sphinx

_USED = re.compile(r"fa[srb]? fa-([a-z-]+)|fa-solid fa-([a-z-]+)")
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


def keep_used_icons(app: Sphinx, exception: Exception | None) -> None:
    """Replace the theme's script in a finished book."""
    script = Path(app.outdir) / "_static" / "scripts" / "fontawesome.js"
    if exception is None and script.is_file():
        found = [_USED.findall(page.read_text(encoding="utf-8")) for page in Path(app.outdir).rglob("*.html")]
        names = {first or second for page in found for first, second in page} | _ADDED
        script.write_text(icon_script(script.read_text(encoding="utf-8"), names), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build, after everything else has been written."""
    app.connect("build-finished", keep_used_icons, priority=950)
