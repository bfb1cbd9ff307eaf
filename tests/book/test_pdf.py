"""The book for paper: LaTeX from the same pages, and a PDF where XeLaTeX is installed."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.build


@pytest.fixture(scope="module")
def latex(built_book):
    result = built_book.build("tex")
    assert result.returncode == 0, result.stdout + result.stderr
    return built_book.folder / "_build" / "latex"


def test_the_pages_become_one_text(latex):
    text = (latex / "classex.tex").read_text(encoding="utf-8")
    assert r"\mathrm{AGA}_k = \mathbb{E} (U^*)^{k-1}" in text
    for expected in ("A tiny chapter", "Another page", "Exercise 1 (Half a tie)", r"\sphinxincludegraphics", "Zheng"):
        assert expected in text
    pictures = re.findall(r"\\sphinxincludegraphics(?:\[[^\]]*\])?\{\{([^}]*)\}([^}]*)\}", text)
    assert pictures
    assert all((latex / (stem + ending)).is_file() for stem, ending in pictures)


def test_the_text_compiles(latex):
    if not (shutil.which("latexmk") and shutil.which("xelatex")):
        pytest.skip("no latexmk or no XeLaTeX on this machine")
    command = ["latexmk", "-xelatex", "-interaction=nonstopmode", "-halt-on-error", "-quiet", "classex.tex"]
    result = subprocess.run(command, cwd=latex, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout[-3000:]
    assert (latex / "classex.pdf").read_bytes().startswith(b"%PDF")
    log = (latex / "classex.log").read_text(encoding="utf-8", errors="replace")
    assert "Missing character" not in log
    assert "Citation" not in re.findall(r"LaTeX Warning: (\w+) .* undefined", log)
