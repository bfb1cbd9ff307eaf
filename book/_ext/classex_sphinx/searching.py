"""What makes a page found: its words in both spellings, words that it does not use, and excerpts beside the results.

``book/index_terms.yml`` gives labels the words under which readers look for them ("overfitting", "recall@k"). They
enter the general index, which Sphinx's search puts first. Sphinx takes excerpts from the pages themselves, which
browsers refuse for a book that is read from a folder, so the text of all pages, by section, is written to one script.
From it a result that Sphinx has found by the words of a page learns which section to open.
"""

from __future__ import annotations

import html
import json
import re
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

TERMS = "book/index_terms.yml"
EXCERPTS = "_static/excerpts.js"
_SPELLINGS = ((r"is(?=e|ation|ing|able)", "iz"), (r"ys(?=e|ing)", "yz"), (r"our(?=s?$|a|i|e|l|h)", "or"),
              (r"ll(?=ed|ing)", "l"), (r"tr(?=es?$|ed$)", "ter"))  # fmt: skip
_ARTICLE = re.compile(r'<article class="bd-article.*?</article>', re.DOTALL)
_FORMULA = re.compile(r"\\[(\[](.*?)\\[)\]]", re.DOTALL)
# a section, whose heading follows the anchors of its labels
_SECTION = re.compile(r'<section id="([^"]+)"[^>]*>((?:\s*<span id="[^"]+"></span>)*)\s*<h\d>(.*?)</h\d>', re.DOTALL)
_NOT_TEXT = re.compile(
    r'<(script|style|svg|pre|h1|summary)\b.*?</\1>|<a class="headerlink".*?</a>|<span class="linenos".*?</span>',
    re.DOTALL,
)


def let_search_know_both_spellings(_app: Sphinx, doctree: nodes.document) -> None:
    """Give the page its words in their American spelling as keywords: "favorability" finds favourability."""
    words = set(re.findall(r"[a-z]{5,}", doctree.astext().lower()))
    others = set()
    for word in words:
        other = word
        for british, american in _SPELLINGS:
            other = re.sub(british, american, other)
        others.add(other)
    doctree.insert(0, nodes.meta("", name="keywords", content=", ".join(sorted(others - words))))


@cache
def terms(root: Path) -> dict[str, list[str]]:
    """Other words for the section with a label, by label."""
    path = root / TERMS
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}


def add_terms(app: Sphinx, doctree: nodes.document) -> None:
    """Put the terms of the table into the general index, each at its section."""
    wanted = terms(Path(app.srcdir))
    for section in list(doctree.findall(nodes.section)):
        for label in [label for label in section["ids"] if label in wanted]:
            entries = [("single", word, label, "main", None) for word in wanted[label]]
            section.insert(1, addnodes.index(entries=entries))


def check_terms(app: Sphinx, env: BuildEnvironment) -> None:
    """Refuse a table with a label that no page has."""
    lost = sorted(set(terms(Path(app.srcdir))) - set(env.domaindata["std"]["labels"]))
    if lost:
        raise ExtensionError(f"{TERMS}: no page has the labels {', '.join(lost)}")


def sections_of(page: str) -> list[tuple[str, str, str]]:
    """The sections of a built page: their anchors, separated by blanks, their titles and their words."""
    article = _ARTICLE.search(page)
    head, *parts = _SECTION.split(article[0] if article else "")
    found = [("", "", text_of(head))]
    for anchor, labels, title, text in zip(*[iter(parts)] * 4, strict=True):
        anchors = [anchor, *re.findall(r'id="([^"]+)"', labels)]
        found.append((" ".join(anchors), text_of(title), text_of(text)))
    return [section for section in found if any(section)]


def text_of(part: str) -> str:
    """The words of a part of a built page, without code and formulas' markup."""
    text = re.sub(r"<[^>]*>", " ", _NOT_TEXT.sub(" ", part))
    text = _FORMULA.sub(lambda formula: "…" if "\\" in formula[1] else formula[1], html.unescape(text))
    return re.sub(r"\s+([,.;:)])(?!\d)", r"\1", re.sub(r"\s+", " ", text)).strip()


def add_script(app: Sphinx, pagename: str, *_: object) -> None:
    """Load the script of the results on their page."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method="defer")


def write_excerpts(app: Sphinx, exception: Exception | None) -> None:
    """Write the text of all pages for the page with the results, and the index without blanks."""
    if exception is None and app.builder.format == "html":
        built = Path(app.outdir)
        pages = {name: (built / f"{name}.html").read_text(encoding="utf-8") for name in app.env.found_docs}
        texts = {name: sections_of(page) for name, page in pages.items()}
        script = f"window.classexExcerpts = {json.dumps(texts, ensure_ascii=False, separators=(',', ':'))};\n"
        (built / EXCERPTS).write_text(script, encoding="utf-8")
        index = built / "searchindex.js"
        head, data, end = re.fullmatch(r"(.*?\()(.*)(\))", index.read_text(encoding="utf-8").strip()).groups()
        index.write_text(f"{head}{json.dumps(json.loads(data), separators=(',', ':'))}{end}", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build: before a page is stored, and when all are written."""
    app.connect("doctree-read", let_search_know_both_spellings, priority=600)
    app.connect("doctree-read", add_terms, priority=600)
    app.connect("env-check-consistency", check_terms)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_excerpts, priority=860)
