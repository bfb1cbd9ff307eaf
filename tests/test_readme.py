"""The example in the README runs and prints what the README says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NUMBER = re.compile(r"\d+\.\d+")


def test_the_example_prints_what_it_says():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (promised,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert len(code.strip().splitlines()) <= 12
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "README.md", "exec"), {})
    assert NUMBER.sub("#", printed.getvalue()) == NUMBER.sub("#", promised)
    # other processors may round the last digit differently
    found = [float(number) for number in NUMBER.findall(printed.getvalue())]
    assert found == pytest.approx([float(number) for number in NUMBER.findall(promised)], abs=0.0011)


def test_the_files_it_names_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([A-Z][A-Za-z-]+(?:\.[a-z]+)?|[a-z]+\.(?:lock|yml))`", text):
        if name.isupper() or "." in name or "-" in name:
            assert (ROOT / name).is_file(), name


def test_every_make_target_it_names_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "book" / "how_to_use.md"]
    named = {target for page in pages for target in re.findall(r"(?:`|\$ )make ([a-z]+)", page.read_text("utf-8"))}
    assert {"book", "test", "lab"} <= named
    assert named <= set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
