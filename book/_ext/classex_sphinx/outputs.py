"""Cached outputs of the chapters, kept for as long as everything they were computed with is the same.

The execution cache of MyST-NB knows the text of the code cells only: after an edit of ``src/classex`` it would
go on showing what the old code computed. Here the cache lies in a folder named after a digest of everything
else that the cells use, so cells are executed again whenever any of it changes.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config

_NOT_CODE = {".pyc", ".nbi", ".nbc"}  # compiled from the sources, by Python and by numba
_TEXT = {".py", ".md"}
_started = 0.0
# what a page shows of a NumPy number is the number, not np.float64(...), which glue could not format either
_STARTUP = """\
_printer = get_ipython().display_formatter.formatters["text/plain"]
for _name in ("float64", "float32", "int64", "int32", "bool"):
    _printer.for_type_by_name("numpy", _name, lambda value, printer, cycle: printer.text(repr(value.item())))
del _name, _printer
"""


def digest(root: Path) -> str:
    """Digest of what the code cells compute with: the package and its data, the lock, stored results, Python."""
    total = hashlib.sha256(sys.version.encode())
    for path in sorted(_inputs(root)):
        total.update(path.relative_to(root).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:20]


def _inputs(root: Path) -> Iterator[Path]:
    for folder in ("src", "book/_ext"):
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix not in _NOT_CODE:
                yield path
    for folder in ("benchmarks", "notebooks"):
        for path in (root / folder).rglob("*"):
            # pages read what the benchmarks stored, never their scripts
            if path.is_file() and path.suffix not in _NOT_CODE | _TEXT and ".ipynb" not in str(path):
                yield path
    lock = root / "requirements.lock"
    if lock.is_file():
        yield lock


def use_cache_of_inputs(app: Sphinx, config: Config) -> None:
    """Point MyST-NB at the cache of the present digest and remove the caches of all others."""
    global _started
    _started = time.time()
    caches = Path(app.outdir).parent / ".jupyter_cache"
    current = caches / digest(Path(app.srcdir))
    for other in caches.iterdir() if caches.is_dir() else ():
        if other != current:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    config["nb_execution_cache_path"] = str(current)


def prepare_kernels(app: Sphinx) -> None:
    """Start kernels from a configuration of the book's own, not the reader's, and keep their chatter out."""
    folder = Path(app.outdir).parent / ".ipython"
    profile = folder / "profile_default"
    (profile / "startup").mkdir(parents=True, exist_ok=True)
    (profile / "startup" / "numbers.py").write_text(_STARTUP)
    (profile / "ipython_kernel_config.json").write_text(json.dumps({"IPKernelApp": {"log_level": logging.ERROR}}))
    os.environ["IPYTHONDIR"] = str(folder)
    # in a cell, matplotlib's message about making its font cache would fail the build
    importlib.import_module("matplotlib.font_manager")


def report(app: Sphinx, _doctree: nodes.document) -> None:
    """Say how long the code of a page took, unless its outputs were cached."""
    docname = app.env.docname
    execution = NbMetadataCollector.get_exec_data(app.env, docname)
    if execution and execution["runtime"] is not None and execution["mtime"] >= _started:
        print(f"executed {docname} in {execution['runtime']:.1f} s", flush=True)


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("config-inited", use_cache_of_inputs)
    app.connect("builder-inited", prepare_kernels)
    app.connect("doctree-read", report)
