"""What this book adds to Sphinx, where no well-kept extension does the job.

- `execution`: MyST-NB's cache does not see an edit of the library; jupyter-cache executes in parallel.
- `cells`: stubs and solutions from one source, as nbgrader has them, without its database.
- `notebooks`: the MyST source of a page is no notebook for readers; markdownify turns the page into one.
- `figures`: one figure for light pages, dark pages, phones and paper, which no extension knows.
- `moving`: no extension covers a static figure with a moving one that needs no kernel and no other host.
- `exercises`, `minutes`: points and minutes of exercises come from the course's own checkers.
- `reading`: MyST-NB words every fold alike.
- `searching`: Sphinx fetches excerpts from the pages, which browsers refuse in a folder; no extension knows synonyms.
- `openings`: docutils shows no figure twice under one number.
- `front`: cards and map of the chapters come from one table; diagram extensions need a program or another host.
- `reference`: autosummary and autodoc make the entries; only the public names by page are found here.
- `slides`: sphinx-revealjs cannot quote figures, theorems and computed numbers of another page.
- `sheets`: problems and keys for print quote the built pages, as slides do.
- `cards`: sphinx-tippy loads its script from another host, and does not serve the keyboard.
- `pages`: signs and formulas that come from code, and repairs of the theme's templates for screen readers.
- `unused`: the theme brings two thousand icons and .4 MB of styles; no extension leaves out the unused ones.
- `paper`: LaTeX counts what Jupyter Book does not number.
"""

from __future__ import annotations

import os
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from . import (
    cards,
    cells,
    execution,
    exercises,
    figures,
    front,
    moving,
    notebooks,
    openings,
    pages,
    paper,
    reading,
    reference,
    searching,
    sheets,
    slides,
    unused,
)

PARTS = (
    *(execution, cells, exercises, figures, moving, notebooks, reference, reading, searching),
    *(front, openings, pages, cards, slides, sheets, unused, paper),
)
# formulas need neither a menu nor a place in the tab order: only what sets them is loaded
MATHJAX = {"loader": {"load": ["input/tex", "output/chtml", "a11y/assistive-mml"]}}
_NOT_UNIQUE = (["proof"], ["proof-content"], ["exercise-content"], ["solution-content"])


def set_options(_app: Sphinx, config: Config) -> None:
    """Set what Jupyter Book and the offline MathJax keep for themselves, or would have replaced by _config.yml."""
    # no header bar, whose search field repeats the one of the side bar
    images = {"image_light": "_static/logo.svg", "image_dark": "_static/logo-dark.svg", "alt_text": "ClassEx"}
    config["html_theme_options"] |= {"navbar_persistent": [], "logo": images}
    config["mathjax_path"] = "mathjax/startup.js"
    config["mathjax3_config"] = {**(config["mathjax3_config"] or {}), **MATHJAX}


def write_in_parallel(app: Sphinx, _env: BuildEnvironment) -> None:
    """Let as many processes write pages as there are cores; one of the extensions has to read them in one process."""
    app.parallel = os.cpu_count() or 1


def give_unique_ids(app: Sphinx, doctree: nodes.document) -> None:
    """Give no two theorems, proofs or exercises of a page one identifier."""
    page = app.env.docname.rsplit("/", 1)[-1]
    for number, node in enumerate(doctree.findall(nodes.Element)):
        is_heading = isinstance(node, nodes.section) and node["names"]
        if node.get("ids") in _NOT_UNIQUE and not is_heading:
            node["ids"] = [f"{page}-{node['ids'][0]}-{number}"]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the parts with Sphinx."""
    app.connect("config-inited", set_options)
    app.connect("env-updated", write_in_parallel)
    app.connect("doctree-read", give_unique_ids)
    for part in PARTS:
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
