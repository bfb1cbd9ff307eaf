"""Every notebook runs in an empty folder where nothing of the book's own machinery is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from classex_sphinx.cells import stub, without_glue
from classex_sphinx.notebooks import EDITIONS, plain_notebook
from myst_nb.core.read import read_myst_markdown_notebook

ROOT = Path(__file__).parents[2]
PAGES = {
    path.stem: path
    for path in [
        *sorted((ROOT / "notebooks").glob("*.md")),
        *(ROOT / "book" / f"{name}.md" for name in ("errata", "first_use")),
    ]
}
# what a reader's kernel starts with: the tools that make the book cannot be imported
BARE = """\
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    names = {"myst_nb", "myst_parser", "jupyter_book", "sphinx", "docutils", "jupytext", "pytest", "classex_sphinx"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r} (kept away by a test)", name=name)
        return None

sys.meta_path.insert(0, Absent())
"""
RUN = """\
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=400, kernel_name="python3").execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        if output.output_type == "error" and "there is no answer yet" not in output.evalue:
            if output.ename == "NotImplementedError":
                continue
            sys.exit(f"{output.ename}: {output.evalue} in\\n{cell.source}")
"""


def edition(page: Path, name: str) -> nbformat.NotebookNode:
    """The notebook as the build writes it, without the text between the cells, which nothing executes."""
    return plain_notebook([], read_myst_markdown_notebook(page.read_text(encoding="utf-8")), name)


def code(notebook: nbformat.NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells]


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The environment of a kernel without the book's machinery."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "sitecustomize.py").write_text(BARE, encoding="utf-8")
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    return {
        **os.environ,
        "PYTHONPATH": path,
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "IPYTHONDIR": str(folder / "ipython"),
        "NUMBA_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


@pytest.mark.build
@pytest.mark.notebooks
@pytest.mark.timeout(1800)
def test_every_notebook_runs_in_an_empty_folder(bare, tmp_path):
    """The students' edition; tests/book/test_exercises.py runs all in which the other differs, with the set-up cell."""
    jobs = {}
    for stem, page in PAGES.items():
        jobs[stem] = tmp_path / stem
        jobs[stem].mkdir()
        nbformat.write(edition(page, "student"), jobs[stem] / "notebook.ipynb")

    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-c", RUN, "notebook.ipynb"]
        nice = ["nice", "-n", "10"] if os.name == "posix" else []
        return subprocess.run([*nice, *command], cwd=folder, env=bare, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        ended = dict(zip(jobs, pool.map(run, jobs.values()), strict=True))
    failed = {job: done.stderr[-1500:] for job, done in ended.items() if done.returncode}
    assert not failed, "\n\n".join(f"{job}: {text}" for job, text in failed.items())
    assert len(jobs) >= 19


@pytest.mark.parametrize("stem", PAGES)
def test_the_editions_differ_in_the_solutions_alone(stem):
    assert set(EDITIONS) == {"student", "instructor"}
    student, instructor = (code(edition(PAGES[stem], name)) for name in ("student", "instructor"))
    for given, solved in zip(student, instructor, strict=True):
        assert given in (solved, stub(solved))


def test_what_the_bare_kernel_lacks_is_really_absent(bare):
    done = subprocess.run(
        [sys.executable, "-c", "import myst_nb"], env=bare, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "kept away by a test" in done.stderr


@pytest.mark.parametrize("stem", PAGES)
def test_no_notebook_holds_glue_or_a_path(stem):
    for name in EDITIONS:
        text = "\n".join(code(edition(PAGES[stem], name)))
        for word in ("glue", "myst_nb", "benchmarks/", "../"):
            assert word not in text


def test_only_what_glues_is_taken_out():
    kept = 'a = 1\nfor name in ("x", "y"):\n    b = name\nprint(a)'
    lines = [
        "from myst_nb import glue",
        "a = 1",
        'glue("a", a,\n     display=False)',
        'for name in ("x", "y"):',
        "    b = name",
        "    glue(name, b, display=False)",
        "for name in b:",
        "    if name:",
        "        glue(name, 1)",
        "    else:",
        "        glue(name, 2)",
        "print(a)",
    ]
    assert without_glue("\n".join(lines)) == kept
    assert without_glue("%time x = 1") == "%time x = 1"
