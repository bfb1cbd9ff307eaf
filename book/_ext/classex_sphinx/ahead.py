"""Pages with code are executed two at a time, before Sphinx reads them one after the other.

Their outputs go into the cache in which MyST-NB then finds them. A page that fails here is left for MyST-NB, which
executes it again and says where it stands.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

AT_A_TIME = 2


def execute(_app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Fill the cache with the outputs of the pages that are about to be read."""
    settings = env.mystnb_config  # type: ignore[attr-defined]
    cache = get_cache(settings.execution_cache_path)
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        running = {}
        for path, notebook, read_data in _missing(env, docnames, cache):
            work = pool.submit(
                single_nb_execution,
                notebook,
                cwd=str(path.parent),
                timeout=settings.execution_timeout,
                allow_errors=settings.execution_allow_errors,
            )
            running[work] = (path, read_data)
        # the cache is a database, which this thread alone writes
        for work in as_completed(running):
            result, (path, read_data) = work.result(), running[work]
            if result.err is None:
                uri = cache.add_nb_to_project(str(path), read_data=read_data).uri
                bundle = CacheBundleIn(result.nb, uri, data={"execution_seconds": result.time})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def _missing(env: BuildEnvironment, docnames: list[str], cache: Any) -> list[tuple[Path, Any, dict[str, str]]]:
    """The pages with code whose outputs are not in the cache."""
    found = []
    for docname in docnames:
        path = Path(env.doc2path(docname))
        text = path.read_text(encoding="utf-8") if path.suffix == ".md" else ""
        reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)  # type: ignore[attr-defined]
        if reader is None or reader.read_fmt is None:
            continue
        notebook = reader.read(text)
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            found.append((path, notebook, reader.read_fmt))
    return found


def setup(app: Sphinx) -> None:
    """Connect to the build, when it is known which pages will be read."""
    app.connect("env-before-read-docs", execute)
