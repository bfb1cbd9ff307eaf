"""What this book adds to Sphinx: sound caching of outputs, clean notebooks for download, the API page.

`outputs` drops cached outputs when the code or data they were computed with has changed, `ahead` executes pages two
at a time, `exercises` shows exercises and makes stubs of their solutions, `figures` makes files of the figures that
are drawn for several layouts, `notebooks` writes plain Jupyter notebooks for every page with code, one for students
and one for instructors, `reference` writes the API reference from ``classex`` itself, `source_map` the map from the
sources to the book, `reading` measures how long a page takes and words what is folded, `front` makes the first page,
`accessible` mends what other packages leave undone for keyboards and screen readers, `cards` holds what links point
at, `spelling` lets the search find words in either spelling, `typography` keeps formulas and the marks behind them on
one line, `slides` makes a deck for each chapter, `weight` and `styles` drop what no page uses, `without_glue` hides
what only computes numbers for the prose, `paper` numbers the book for LaTeX.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from . import (
    accessible,
    ahead,
    cards,
    exercises,
    figures,
    front,
    handout,
    notebooks,
    outputs,
    paper,
    reading,
    reference,
    slides,
    source_map,
    spelling,
    styles,
    typography,
    weight,
    without_glue,
)


def set_theme_options(_app: Sphinx, config: Config) -> None:
    """Leave out the header bar, whose search field repeats the one of the side bar; show the book's own logo."""
    # Jupyter Book keeps options of its own here, which a setting in _config.yml would replace
    config["html_theme_options"]["navbar_persistent"] = []
    images = {"image_light": "_static/logo.svg", "image_dark": "_static/logo-dark.svg", "alt_text": "ClassEx"}
    config["html_theme_options"]["logo"] = images


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the parts with Sphinx."""
    app.connect("config-inited", set_theme_options)
    outputs.setup(app)
    ahead.setup(app)
    exercises.setup(app)
    figures.setup(app)
    notebooks.setup(app)
    handout.setup(app)
    reference.setup(app)
    source_map.setup(app)
    reading.setup(app)
    front.setup(app)
    accessible.setup(app)
    cards.setup(app)
    spelling.setup(app)
    slides.setup(app)
    weight.setup(app)
    styles.setup(app)
    typography.setup(app)
    paper.setup(app)
    without_glue.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
