"""A book of two pages, built with the configuration, the Makefile rule and the extension of the real one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = Path(__file__).parent / "pages"
QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync")
TOC = """format: jb-book
root: notebooks/chapter
parts:
  - numbered: true
    chapters:
      - file: notebooks/other
"""


@pytest.fixture(scope="session")
def missing() -> Callable[[str], None]:
    """Skip with a reason, or fail where the browser tests are not optional (`make browser`)."""
    return pytest.fail if os.environ.get("CLASSEX_BROWSER") == "required" else pytest.skip


@pytest.fixture(scope="session")
def browser(missing: Callable[[str], None]) -> Iterator[Any]:
    """The system's Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        missing("no Chromium on this machine")
    with sync_playwright() as playwright:
        arguments = [f"--{option}" for option in (*QUIET, "no-first-run")]
        chrome = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield chrome
        chrome.close()


@pytest.fixture(scope="session")
def node(missing: Callable[[str], None]) -> Any:
    """The scripts that compute, in Node.js."""
    from tests.book.scripts import NodePage

    if shutil.which("node") is None:
        missing("no Node.js on this machine")
    return NodePage()


@pytest.fixture(scope="session")
def in_node(missing: Callable[[str], None]) -> Callable[..., Any]:
    """A function that loads scripts of `book/_static` in Node.js, to evaluate calls of theirs."""
    from tests.book.scripts import NodePage

    if shutil.which("node") is None:
        missing("no Node.js on this machine")
    return lambda *scripts: NodePage(scripts)


@pytest.fixture(scope="session")
def book(missing: Callable[[str], None]) -> Path:
    """Folder of the built book, with every page of the table of contents."""
    from tests.book.visits import BOOK, CONTENTS

    gone = [page for page in CONTENTS if not (BOOK / f"{page}.html").is_file()]
    if gone:
        missing(f"the book is not built: run `make book` first ({len(gone)} of {len(CONTENTS)} pages are not there)")
    return BOOK


class TinyBook:
    """A copy of the build configuration with two small pages, and the package's code without its data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.html = folder / "_build" / "html"
        self.chapter = folder / "notebooks" / "chapter.md"
        self.other = folder / "notebooks" / "other.md"
        for name in ("_config.yml", "Makefile", "requirements.lock"):
            shutil.copy(ROOT / name, folder / name)
        # with the compiled kernels: a copy that compiles them again takes twice as long
        left_out = shutil.ignore_patterns("*.pyc", "data")
        for name in ("book/_ext", "book/_latex", "book/_static", "src/classex"):
            shutil.copytree(ROOT / name, folder / name, ignore=left_out)
        shutil.copy(ROOT / "book" / "references.bib", folder / "book")
        shutil.copytree(PAGES, folder / "notebooks")
        (folder / "_toc.yml").write_text(TOC, encoding="utf-8")

    def build(self, rule: str = "html") -> subprocess.CompletedProcess[str]:
        """Run the Makefile's own rule, with the environment of this test run."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
        environment["PYTHONPATH"] = str(self.folder / "src")
        return subprocess.run(
            ["make", "-s", rule, f"VENV={sys.prefix}"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def replace(self, path: Path, old: str, new: str) -> None:
        """Replace text that occurs once in a file of the copy."""
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"{old!r} occurs {text.count(old)} times in {path.name}")
        path.write_text(text.replace(old, new), encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        """Everything in the built book, by path."""
        return {
            path.relative_to(self.html).as_posix(): path.read_bytes()
            for path in sorted(self.html.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def tiny_book(tmp_path: Path) -> TinyBook:
    """A book to break."""
    return TinyBook(tmp_path)


@pytest.fixture(scope="session")
def built_book(tmp_path_factory: pytest.TempPathFactory) -> TinyBook:
    """A book that was built, for reading only."""
    book = TinyBook(tmp_path_factory.mktemp("book"))
    result = book.build()
    if result.returncode:
        pytest.fail(f"the unbroken book does not build:\n{result.stdout}{result.stderr}")
    return book


@pytest.fixture
def without_code(tiny_book: TinyBook) -> Callable[[str], TinyBook]:
    """A book of one page without code, which builds without a kernel, that ends in the given text."""

    def make(text: str) -> TinyBook:
        tiny_book.chapter.write_text(f"# A page\n\nCites {{cite:p}}`zheng2017thesis`.\n\n{text}\n", encoding="utf-8")
        tiny_book.other.write_text("# Another page\n\n```{bibliography}\n```\n", encoding="utf-8")
        return tiny_book

    return make


@pytest.fixture
def with_a_cell(tiny_book: TinyBook) -> Callable[[str], TinyBook]:
    """A book of one page with the given cell: its kernel imports nothing else."""
    head = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A page\n\nCites {cite:p}`zheng2017thesis`."

    def make(code: str) -> TinyBook:
        cell = f"```{{code-cell}} ipython3\n{code}\n```"
        tiny_book.chapter.write_text(f"{head}\n\n{cell}\n", encoding="utf-8")
        tiny_book.other.write_text("# Another page\n\n```{bibliography}\n```\n", encoding="utf-8")
        return tiny_book

    return make
