"""The example in the README runs and prints what the README says."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex_book import load_study

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


def readme_figure() -> dict[str, object]:
    return runpy.run_path(str(ROOT / "scripts" / "readme_figure.py"))


def test_its_figure_shows_what_the_words_say():
    script = readme_figure()
    fit, truth = script["curves"]()
    sizes = script["SIZES"]
    low, high = fit.predict_interval(sizes).T
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    tested, extrapolated = cx.accuracy_curve(fit.ranks_, [100]).accuracy[0], fit.predict([100_000])[0]
    assert f"falls to {tested:.2f}" in text
    assert f"falls on to {extrapolated:.2f}" in text
    assert ((low <= truth) & (truth <= high)).all()
    assert np.abs(truth - fit.predict(sizes)).max() < 0.02


def test_the_gain_is_that_of_the_suite():
    """How much larger the errors of other methods are on the domains stored first, and the default's least coverage."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    ratio = {row["method"]: float(row["geometric_mean_ratio"]) for row in load_study("suite/leaderboard_new")}
    said = {"empirical Bayes": "empirical Bayes", "probit-normal": "a probit-normal distribution"}
    said |= {"log-linear": "a straight line in log K", "ClassExReg": "the published regression"}
    for method, words in said.items():
        assert f"by {100 * (ratio[method] / ratio['default'] - 1):.0f} % with {words}" in text
    assert ratio["power law"] > 2 * ratio["default"]
    for name, words in (("coverage_new", "cover at least {} % in every"), ("coverage", "and {} % in the thirteen")):
        rows = [row for row in load_study(f"suite/{name}") if row["target"] == "average"]
        least = min(float(row["coverage"]) for row in rows if row.get("method", "default") == "default")
        assert words.format(int(100 * least)) in text
