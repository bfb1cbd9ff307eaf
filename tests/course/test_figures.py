"""One piece of code, every theme and layout: what is drawn, how small its text gets, and whether colours stay apart."""

from __future__ import annotations

import base64
import itertools
import re
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from classex_book import figures
from tests.book.test_figures import BLIND, ROOT, lab, linear


def line(ax):
    ax.plot([0, 1], [0, 1], **figures.OBSERVED)


def sizes(svg: bytes) -> tuple[float, float]:
    """Width and height of an SVG in inches."""
    root = ET.fromstring(svg.decode())
    return tuple(float(root.attrib[name].removesuffix("pt")) / 72 for name in ("width", "height"))


def test_a_narrow_figure_is_drawn_for_both_themes():
    pictures = figures.draw(line, width=4.0, height=3.0).pictures
    assert [(p.theme, p.layout, p.panel) for p in pictures] == [("light", "any", 0), ("dark", "any", 0)]
    for picture in pictures:
        np.testing.assert_allclose(sizes(picture.svg), (4.0, 3.0))
    assert b"#0072b2" in pictures[0].svg
    assert b"#56b4e9" in pictures[1].svg


def test_a_wide_figure_has_a_layout_for_the_phone():
    pictures = figures.draw(line, narrow=(3.5, 4.0)).pictures
    found = {(p.theme, p.layout): sizes(p.svg) for p in pictures}
    assert found.keys() == set(itertools.product(("light", "dark"), ("wide", "narrow")))
    np.testing.assert_allclose(found["dark", "narrow"], (3.5, 4.0))
    np.testing.assert_allclose(found["light", "wide"], (6.2, 3.5))


def test_panels_are_pictures_of_their_own_and_one_on_paper():
    calls = []

    def two(left, right):
        calls.append((left.figure, right.figure))
        line(left)
        line(right)

    drawing = figures.draw(two, panels=2)
    assert [p.panel for p in drawing.pictures] == [0, 0, 1, 1]
    *screen, paper = calls
    assert all(left is not right for left, right in screen)
    assert paper[0] is paper[1]
    assert drawing.paper.startswith(b"%PDF")


def test_the_same_figure_is_the_same_file():
    first, again = figures.draw(line), figures.draw(line)
    assert first == again
    assert b"<dc:date>" not in first.pictures[0].svg
    assert b"CreationDate" not in first.paper


def test_the_output_of_a_cell():
    drawing = figures.draw(line, width=4.0, alt="A <rising> line")
    bundle = drawing._repr_mimebundle_()
    assert base64.b64decode(bundle["application/pdf"]) == drawing.paper
    assert bundle["text/html"].count("<img ") == 2
    assert bundle["text/html"].count("display:none") == 1  # without a style sheet, the light one alone is shown
    assert "A &lt;rising&gt; line" in bundle["text/html"]


def test_text_that_nobody_could_read_on_a_phone_is_refused():
    def small(ax):
        ax.text(0.5, 0.5, "tiny", fontsize=6)

    with pytest.raises(ValueError, match=r"'tiny' would be .* pixels high on a phone"):
        figures.draw(small)


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("name", figures.THEMES)
def test_the_roles_stay_apart_for_the_colour_blind(name, kind):
    with figures.theme(name):
        colours = [cycle["color"] for cycle in plt.rcParams["axes.prop_cycle"]][:3]
    seen = [lab(np.clip(np.array(BLIND[kind]) @ linear(colour), 0, 1)) for colour in colours]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 20


@pytest.mark.parametrize("name", figures.THEMES)
def test_pages_and_figures_have_one_table_of_roles(name):
    css = (ROOT / "book" / "_static" / "type.css").read_text(encoding="utf-8")
    rules = re.search(rf'html\[data-theme="{name}"\][^{{]*\{{(.*?)\}}', css, re.DOTALL)[1]
    found = dict(re.findall(r"--classex-(observed|extrapolated|truth|guessing): (#\w+);", rules))
    with figures.theme(name):
        drawn = {role: to_hex(getattr(figures, role.upper())["color"]) for role in found}
    assert found == drawn
    assert len(found) == 4
    for sheet in ("aids.css", "explorer/explorer.css", "slides/slides.css"):
        colours = re.findall(r"(?:stroke|fill): *#\w+", (ROOT / "book" / "_static" / sheet).read_text(encoding="utf-8"))
        assert colours == [], sheet


def test_every_letter_of_a_figure_is_of_the_page_s_face():
    def labelled(ax):
        line(ax)
        ax.set(xlabel=r"classes $K$, $\Phi^{-1}(U^*) \sim N(\mu, \nu^2)$", ylabel=r"−5 ≥ $\sqrt{2I}$, $\mathrm{AGA}_k$")

    svg = figures.draw(labelled, width=4.0).pictures[0].svg.decode()
    faces = set(re.findall(r'<path id="([A-Za-z]+)', svg.partition("<defs>")[2]))
    assert {"ClassExSans"} <= {face for face in faces if "Sans" in face}
    assert not any("DejaVu" in face for face in faces)


def test_labels_stand_at_the_ends_and_apart():
    ax = Figure(figsize=(5, 3)).subplots()
    for height, name in ((0.50, "a"), (0.51, "b"), (0.9, "c")):
        ax.plot([0, 1], [0.2, height], label=name)
    ax.plot([0, 1], [0, 1])  # no label: left alone
    figures.label_ends(ax)
    places = {text.get_text(): text.xy for text in ax.texts}
    assert places.keys() == {"a", "b", "c"}
    assert places["b"][1] - places["a"][1] > 0.05
    assert places["c"][1] - places["b"][1] > 0.2
    assert [text.get_color() for text in ax.texts] == [line.get_color() for line in ax.get_lines()[:3]]


def test_the_probit_axis_makes_normal_quantiles_equidistant():
    ax = Figure().subplots()
    ax.set_ylim(0.01, 0.99)
    figures.probit_axis(ax.yaxis)
    heights = ax.yaxis.get_transform().transform(np.array([0.1586552539, 0.5, 0.8413447461]))
    np.testing.assert_allclose(np.diff(heights), 1.0, rtol=1e-9)
    assert 0.5 in ax.get_yticks()
