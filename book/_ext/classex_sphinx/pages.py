"""The last touch to finished pages: printed signs, and what other packages leave undone for screen readers.

A per cent sign and the name of a theorem stay with the number, a negative number has a minus sign, not a hyphen, and a
power of ten is written as one, also where a page computed the number. A browser may break a line between a formula
and the full stop behind it; here the formula and what touches it become one piece.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

NO_BREAK = "\u00a0"
_PER_CENT = re.compile(r"(?<=\d)[ \u00a0]?%(?![\w/])")
_MINUS = re.compile(r"(?<![\w.\-–/])-(?=\.?\d)")
_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?)0*(\d+)(?![\w.]*\w)")
_NUMBERED = re.compile(
    r"\b(Fig\.|(?:[Ff]igure|[Tt]able|[Ss]ection|[Cc]hapter|[Ee]quation|[Tt]heorem|[Ll]emma|[Dd]efinition|[Ee]xercise"
    r"|[Pp]roposition|[Cc]orollary)) (?=[A-Z]?\d)"
)
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
# text, but for code, formulas and signatures; the names of options of a quiz are text too
_TEXT = re.compile(
    r'<(pre|code|script|style|svg|dt)\b.*?</\1>|<div class="[^"]*\bmath\b.*?</div>|\\\(.*?\\\)|\\\[.*?\\\]'
    r"|(?P<text><summary aria-label=[^>]*>|[^<\\]+)|<[^>]*>",
    re.DOTALL,
)
_FORMULA = re.compile(
    r'([(\[“‘]*)(<span class="math notranslate nohighlight">[^<]*</span>)((?:(?!\S{13})[^\s<]+)?)'
)  # fmt: skip
REPAIRS = (
    # the blank before the name of an exercise is no part of the link
    (r'Solution to(<a class="reference internal"[^>]*>) ', r"Solution to \1"),
    # the items of a bibliography are items of a list
    (r' role="doc-biblioentry"', ' role="listitem"'),
    # the name of a button or of a fold is what stands on it
    (r'(<button class="btn search-button-field[^>]*?) aria-label="[^"]*"', r"\1"),
    (r'<summary aria-label="Toggle hidden content">', "<summary>"),
    (r'(<i class="theme-switch[^>]*?) title="[^"]*"', r"\1"),
    (r'<summary><span class="toctree-toggle"', '<summary aria-label="Pages"><span class="toctree-toggle"'),
    # the theme loads the index of the search for results below the box, which are off; the page of results has its own
    (r'(?:\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>){3}(?=\s*</head>)', ""),
    # pictures further down wait until they are near
    (r'<img (?![^>]*\bloading=)(?=[^>]*src="[^"]*_images/)', '<img loading="lazy" '),
    # the theme is known before anything is drawn, so that pictures for the other one are neither seen nor loaded
    (
        r'dataset\.theme = localStorage\.getItem\("theme"\) \|\| "auto";',
        'dataset.theme = ["light", "dark"].find((one) => one === document.documentElement.dataset.mode)'
        ' || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");',
    ),
    # logo and search belong to a landmark
    (
        r'<div id="pst-primary-sidebar" class="([^"]*)">',
        r'<div id="pst-primary-sidebar" class="\1" role="navigation" aria-label="Book">',
    ),
)


def _printed(part: re.Match[str]) -> str:
    """A part of a page with printed signs, if it is text."""
    text = part["text"]
    if not text:
        return part[0]
    text = _MINUS.sub("\N{MINUS SIGN}", _POWER.sub(_power_of_ten, _PER_CENT.sub(f"{NO_BREAK}%", text)))
    text = _NUMBERED.sub(rf"\1{NO_BREAK}", text)
    # a number in another element, such as one that the page computed
    if text.startswith(" %") and re.search(r"\d(</\w+>)+$", part.string[: part.start()][-40:]):
        text = NO_BREAK + text[1:]
    return text.replace("\N{PLUS-MINUS SIGN} ", f"\N{PLUS-MINUS SIGN}{NO_BREAK}")


def _power_of_ten(number: re.Match[str]) -> str:
    """Such as 4.1·10⁻⁹ for 4.1e-09."""
    power = "10" + (number[2].removeprefix("+") + number[3]).translate(_RAISED)
    return power if number[1] == "1" else f"{number[1]}·{power}"


def _held(piece: re.Match[str]) -> str:
    return f'<span class="classex-held">{piece[0]}</span>' if piece[1] or piece[3] else piece[0]


def printed(html: str) -> str:
    """A page, or a part of it, with printed signs."""
    return _TEXT.sub(_printed, html)


def finish(html: str) -> str:
    """A page with printed signs, whole formulas and repairs."""
    html = _FORMULA.sub(_held, printed(html))
    for pattern, replacement in REPAIRS:
        html = re.sub(pattern, replacement, html)
    return html


def finish_pages(app: Sphinx, exception: Exception | None) -> None:
    """Finish every page of the book."""
    if exception is None and app.builder.format == "html":
        for path in sorted(Path(app.outdir).rglob("*.html")):
            path.write_text(finish(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build, before anything is taken from the finished pages."""
    app.connect("build-finished", finish_pages, priority=850)
