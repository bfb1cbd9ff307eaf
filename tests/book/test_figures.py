"""Figures for every reader: described in words, explained, and told apart without colour."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import yaml
from matplotlib.colors import to_rgb

from classex_book.schematics import SCHEMATICS, schematic

schematic("sampling")  # registers all of them
ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.md"))
CELL = re.compile(
    r"^```\{code-cell\} ipython3\n(?:---\n(?P<options>.*?)\n---\n)?(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)
DRAWN = re.compile(r"^@figure\(", re.MULTILINE)  # for both themes, by classex_book.figures
SCHEMATIC = re.compile(r"^schematic\(", re.MULTILINE)  # brings its description along
FILE_NAME = re.compile(r"\.(?:png|svg|jpe?g|pdf)\b|_images|[/\\]|^fig(?:ure)?[ _-]?\d", re.IGNORECASE)
# how severe colour blindness maps linear RGB (Vienot, Brettel and Mollon, 1999)
BLIND = {
    "protanopia": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deuteranopia": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}


def figures(path: Path) -> list[dict]:
    """The options of every cell of a page that shows a figure."""
    found = []
    text = path.read_text(encoding="utf-8")
    for cell in CELL.finditer(text):
        options = yaml.safe_load(cell["options"] or "{}").get("mystnb", {})
        shows = re.search(r"^plt\.show\(\)", cell["code"], re.MULTILINE)
        # a page without pyplot can only draw for both themes
        drawn = bool(DRAWN.search(cell["code"])) or "plt." not in text
        if SCHEMATIC.search(cell["code"]):
            assert options.keys() == {"figure"}, f"{path.name}: {cell['code']}"
            options["image"] = {"alt": SCHEMATICS[re.search(r'schematic\("([^"]+)"\)', cell["code"])[1]].alt}
            drawn = True
        if "image" in options or shows or DRAWN.search(cell["code"]):
            found.append({**options, "drawn": drawn})
    return found


def test_every_figure_is_described_and_explained():
    for path in NOTEBOOKS:
        for figure in figures(path):
            alt, caption = figure.get("image", {}).get("alt", ""), figure.get("figure", {}).get("caption", "")
            assert len(alt) >= 40, f"alternative text {alt!r}"
            assert len(alt.split()) >= 7, f"alternative text {alt!r}"
            assert not FILE_NAME.search(alt.replace("$", "")), f"alternative text {alt!r} is the name of a file"
            assert len(caption) >= 40, f"caption {caption!r}"
            assert alt != caption
            # what is drawn once is inverted on dark pages, photographs are not; without such a class it is not legible
            assert figure["drawn"] or figure["image"].get("classes") in ("classex-fig", "classex-photo")
            assert figure["figure"].get("name", "").startswith("fig-")


def test_no_two_figures_share_a_description_a_caption_or_a_name():
    everything = [figure for path in NOTEBOOKS for figure in figures(path)]
    assert len(everything) > 30
    for part, key in (("image", "alt"), ("figure", "caption"), ("figure", "name")):
        texts = [figure[part][key] for figure in everything]
        assert [text for text in set(texts) if texts.count(text) > 1] == []


def test_no_cell_draws_without_the_options_of_a_figure():
    drawing = re.compile(r"plt\.subplots\(|plt\.figure\(|\.plot\(ax|Display\.from_")
    for path in NOTEBOOKS:
        for cell in CELL.finditer(path.read_text(encoding="utf-8")):
            if drawing.search(cell["code"]) and "BEGIN SOLUTION" not in cell["code"]:
                shown = "plt.show()" in cell["code"] or DRAWN.search(cell["code"])
                assert shown, f"{path.name}: {cell['code'][:200]}"


def test_pictures_of_the_text_pages_are_described():
    for path in (*(ROOT / "book").glob("*.md"), *NOTEBOOKS, ROOT / "README.md"):
        text = path.read_text(encoding="utf-8")
        for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", text):
            assert len(alt) >= 40, f"{path.name}: {target}"
            assert not FILE_NAME.search(alt), f"{path.name}: {target}"
        for block in re.findall(r"^```\{(?:figure|image)\}.*?^```", text, re.DOTALL | re.MULTILINE):
            assert re.search(r"^:alt: .{40,}$", block, re.MULTILINE), f"{path.name}: {block[:80]}"


def linear(colour):
    value = np.array(to_rgb(colour))
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear RGB."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ rgb
    ratio = np.maximum(xyz / [0.9505, 1, 1.089], 0)
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
