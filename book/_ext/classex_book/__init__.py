"""What this book adds to Sphinx: sound caching of outputs, clean notebooks for download, the API page.

`outputs` drops cached outputs when the code or data they were computed with has changed, `notebooks` writes a
plain Jupyter notebook for every page with code, `reference` writes the API reference from ``classex`` itself.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from . import notebooks, outputs, reference


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the three parts with Sphinx."""
    outputs.setup(app)
    notebooks.setup(app)
    reference.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
