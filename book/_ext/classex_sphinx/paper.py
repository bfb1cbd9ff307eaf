"""The book on paper has the numbers of the book on the screen, and letters of every script.

LaTeX counts chapters through the whole book. Here only the parts that are numbered on the screen count, and pages
without a number share one count of their figures, tables and formulas, as they do there.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

_COUNTERS = ("figure", "table", "equation", "literalblock")
_PART = re.compile(r"^\\part\{(.*)\}$", re.MULTILINE)
_EXERCISE = re.compile(
    r"\\label\{exercise:(exr-[\w-]+)\}\s*\\begin\{sphinxadmonition\}\{note\}\{Exercise ([\d.]+)", re.MULTILINE
)
_REFERENCE = re.compile(
    r"\\hyperref\[\\detokenize\{[^{}]*:(exr-[\w-]+)\}\]\{Exercise \\ref\{\\detokenize\{[^{}]*\}\}\}"
)
_TABLE = re.compile(r"\\begin\{longtable\}\{([lrc]+)\}(.*?)\\end\{longtable\}", re.DOTALL)
_IN_TABLES = re.compile(r"\\begin\{(tabulary|longtable)\}.*?\\end\{\1\}", re.DOTALL)
_NAME = re.compile(r"(?<=\\sphinxupquote\{)[^{}]*(?=\})")
_BODY = r"\sphinxtableatstartofbodyhook"
_NO_TEXT = re.compile(r"\\detokenize\{[^}]*\}|\\sphinxAtStartPar|\\[a-zA-Z]+|[{}\[\]$]")
_LINE, _WIDEST, _NARROWEST = 88, 45, 7  # letters: of a line, of a column that counts, of a column at least
PREAMBLE = (
    r"\newcounter{classexdepth}\newcounter{classexchapter}"
    + "".join(rf"\newcounter{{classex{name}}}" for name in _COUNTERS)
    + "\n"
)
# before a part without numbers: the chapters so far are remembered, and the figures of such pages go on
_UNNUMBERED = (
    r"\ifnum\value{chapter}>0\setcounter{classexchapter}{\value{chapter}}\fi\setcounter{chapter}{0}"
    + "".join(rf"\setcounter{{{name}}}{{\value{{classex{name}}}}}" for name in _COUNTERS)
    + "\n"
)
_NUMBERED = (
    r"\ifnum\value{chapter}=0"
    + "".join(rf"\setcounter{{classex{name}}}{{\value{{{name}}}}}" for name in _COUNTERS)
    + r"\setcounter{chapter}{\value{classexchapter}}\fi"
    + "\n"
)


def number_parts(tex: str, numbered: list[str]) -> str:
    """The text with numbers for the chapters of the parts of these titles only.

    Raises
    ------
    ValueError
        If there is no such part.
    """
    missing = set(numbered) - set(_PART.findall(tex))
    if missing:
        raise ValueError(f"the text has no part {sorted(missing)[0]!r}")
    tex = tex.replace(
        r"\begin{document}", PREAMBLE + r"\begin{document}\setcounter{classexdepth}{\value{secnumdepth}}", 1
    )

    def part(found: re.Match[str]) -> str:
        counts = found[1] in numbered
        before = _NUMBERED if counts else _UNNUMBERED
        after = "\n" + r"\setcounter{secnumdepth}{\value{classexdepth}}" if counts else ""
        return f"{before}\\setcounter{{secnumdepth}}{{-2}}\n{found[0]}{after}"

    return _PART.sub(part, tex)


def resolve(tex: str) -> str:
    """The text with references to theorems and exercises of other pages, which their extensions leave dangling."""
    # theorems: the label lacks the name of the page, by which others refer to it
    for label in re.findall(r"\\label\{None:([\w-]+)\}", tex):
        page = re.search(rf"\\detokenize\{{([^{{}}:]*):{re.escape(label)}\}}", tex)
        if page:
            whole = rf"\label{{\detokenize{{{page[1]}:{label}}}}}"
            tex = tex.replace(rf"\label{{None:{label}}}", whole)
    # exercises: LaTeX does not count them, so the number is that of the title
    numbers = dict(_EXERCISE.findall(tex))

    def link(found: re.Match[str]) -> str:
        label = found[1]
        return rf"\hyperref[exercise:{label}]{{Exercise {numbers[label]}}}" if label in numbers else found[0]

    return _REFERENCE.sub(link, tex)


def wrap_columns(tex: str) -> str:
    """The text with long tables whose columns break their lines where they would run over the edge of the page.

    In all tables names of code may break after a dot or an underscore.
    """

    def wrap(found: re.Match[str]) -> str:
        rows = found[2].partition(_BODY)[2].split("\\\\\n")
        cells = [[len(_NO_TEXT.sub("", cell).strip()) for cell in row.split("\n&")] for row in rows]
        widths = [max((row[i] for row in cells if len(row) > i), default=0) for i in range(len(found[1]))]
        if sum(widths) + 2 * len(widths) <= _LINE:
            return found[0]
        shares = [min(max(width, _NARROWEST), _WIDEST) for width in widths]
        columns = "".join(rf"\X{{{share}}}{{{sum(shares)}}}" for share in shares)
        return rf"\begin{{longtable}}{{{columns}}}{found[2]}\end{{longtable}}"

    def let_names_break(found: re.Match[str]) -> str:
        return _NAME.sub(lambda name: re.sub(r"(\\_|\.)(?=\w)", r"\1\\allowbreak{}", name[0]), found[0])

    return _IN_TABLES.sub(let_names_break, _TABLE.sub(wrap, tex))


def count_by_chapter(app: Sphinx) -> None:
    """Theorems and exercises are counted by chapter, where the builder for parts would count them by section."""
    if app.builder.format == "latex":
        app.config["numfig_secnum_depth"] = 1


def let_figures_follow(app: Sphinx, _env: BuildEnvironment) -> None:
    """LaTeX counts figures itself, from the depth below a part; by now theorems and exercises have their numbers."""
    if app.builder.format == "latex" and app.config["latex_toplevel_sectioning"] == "part":
        app.config["numfig_secnum_depth"] = 2


def write_numbers(app: Sphinx, exception: Exception | None) -> None:
    """Number the parts of a finished text as the table of contents says."""
    if exception is not None or app.builder.format != "latex":
        return
    toc = yaml.safe_load((Path(app.srcdir) / app.config["external_toc_path"]).read_text(encoding="utf-8"))
    numbered = [part["caption"] for part in toc.get("parts", []) if part.get("numbered") and "caption" in part]
    for path in Path(app.outdir).glob("*.tex"):
        tex = wrap_columns(resolve(path.read_text(encoding="utf-8")))
        path.write_text(tex, encoding="utf-8")
        if _PART.search(tex):
            path.write_text(number_parts(tex, numbered), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("builder-inited", count_by_chapter, priority=900)
    app.connect("env-check-consistency", let_figures_follow)
    app.connect("build-finished", write_numbers)
