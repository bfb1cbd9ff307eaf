"""Outputs of the chapters: computed on all cores, and kept as long as everything they were computed with is the same.

The execution cache of MyST-NB knows the text of the code cells only: after an edit of ``src/classex`` it would
go on showing what the old code computed. Here the cache lies in a folder named after a digest of everything
else that the cells use. Before Sphinx reads the pages one after the other, jupyter-cache executes them in parallel;
a page that fails there is executed again by MyST-NB, which says where it stands.
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
from pathlib import Path

from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from myst_nb.core.read import is_myst_markdown_notebook
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

_NOT_CODE = {".pyc", ".nbi", ".nbc"}  # compiled from the sources, by Python and by numba
_TEXT = {".py", ".md"}
_started = 0.0
# what a page shows of a NumPy number is the number, not np.float64(...), which glue could not format either
_STARTUP = """\
_printer = get_ipython().display_formatter.formatters["text/plain"]
for _name in ("float64", "float32", "int64", "int32", "bool"):
    _printer.for_type_by_name("numpy", _name, lambda value, printer, cycle: printer.text(repr(value.item())))
# and a data frame is a table of the book's, on paper too
def _table(frame):
    from classex_book.tables import frame_table

    return frame_table(frame)


_shown = get_ipython().display_formatter.formatters
for _module in ("pandas", "pandas.core.frame"):  # before version 3
    _shown["text/html"].for_type_by_name(_module, "DataFrame", lambda frame: None)
    _shown["text/markdown"].for_type_by_name(_module, "DataFrame", _table)
del _name, _printer, _module, _shown
"""


def digest(root: Path) -> str:
    """Digest of what the code cells compute with: the package and its data, the lock, stored results, Python."""
    total = hashlib.sha256(sys.version.encode())
    # pages read what the benchmarks stored, never their scripts
    left_out = {"src": _NOT_CODE, "book/_ext": _NOT_CODE, "benchmarks": _NOT_CODE | _TEXT, "notebooks": _TEXT}
    for folder, kinds in left_out.items():
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix not in kinds and ".ipynb" not in str(path):
                total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    lock = root / "requirements.lock"
    total.update(lock.read_bytes() if lock.is_file() else b"")
    return total.hexdigest()[:20]


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


def execute(_app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Fill the cache with the outputs of the pages that are about to be read."""
    settings = env.mystnb_config  # type: ignore[attr-defined]
    cache = get_cache(settings.execution_cache_path)
    for path in (Path(env.doc2path(docname)) for docname in docnames):
        if is_myst_markdown_notebook(path.read_text(encoding="utf-8")):
            cache.add_nb_to_project(str(path), read_data={"name": "myst_nb_md", "type": "plugin"})
    quiet = logging.getLogger(__name__)
    quiet.setLevel(logging.CRITICAL)
    load_executor("local-parallel", cache, quiet).run_and_cache(timeout=settings.execution_timeout)


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
    app.connect("env-before-read-docs", execute)
    app.connect("doctree-read", report)
