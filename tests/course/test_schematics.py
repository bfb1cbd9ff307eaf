"""Every schematic draws in both themes, is described, and has no text on text or outside the picture."""

from __future__ import annotations

import itertools

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from classex_book import figures
from classex_book.schematics import SCHEMATICS, schematic

NAMES = (
    *("sampling", "fixed-or-redrawn", "favourability", "subsets", "naive-power", "moments"),
    *("sort-classes", "circle", "tilting", "identification", "random-code", "lottery", "advantage"),
)


@pytest.mark.parametrize("name", NAMES)
def test_it_draws_in_both_themes_and_on_paper_and_is_described(name):
    drawing = schematic(name)
    assert {picture.theme for picture in drawing.pictures} == {"light", "dark"}
    assert drawing.pictures[0].svg != drawing.pictures[1].svg
    assert drawing.paper.startswith(b"%PDF")
    assert len(drawing.alt.split()) >= 25


@pytest.mark.parametrize("name", NAMES)
def test_no_text_lies_on_another_or_outside(name):
    entry = SCHEMATICS[name]
    with figures.theme("light"):
        fig = Figure(figsize=(4.4, entry.height), layout="constrained")
        ax = fig.subplots()
        entry.on(ax)
        canvas = FigureCanvasAgg(fig)
        canvas.draw()
        boxes = [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in ax.texts]
    boxes = [(text, box) for text, box in boxes if text.strip()]
    assert len(boxes) >= 5
    for text, box in boxes:
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= fig.bbox.width, text
        assert box.y1 <= fig.bbox.height, text
    for (text, box), (other, second) in itertools.combinations(boxes, 2):
        assert not box.overlaps(second), (text, other)
