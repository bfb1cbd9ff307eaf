"""Problem sheets of every chapter for print, made from its exercises when the book is finished, and their keys.

``sheets/ch1.html`` holds the exercises of Chapter 1, and ``sheets/ch1-key.html`` their solutions as well. The tasks of
the labs are in ``sheets/labs.html``. Both quote the built pages, so that every text is written once.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from classex_book.course.exercises import exercise, exercise_names
from classex_book.course.texts import CHAPTERS, LABS

FOLDER = "sheets"  # in the built book
_KEY = "Do not give it out: it contains the solutions."
_SHEET = "Name: ______________________________"
_USELESS = "a.headerlink, script, style, button, img.only-dark, img.classex-narrow"


def pages_of(chapter: str) -> list[str]:
    """The pages with exercises of a chapter, or of the labs, in the order of the exercises."""
    return list(dict.fromkeys(f"notebooks/{exercise(name).page}" for name in exercise_names(chapter)))


def sheet(chapter: str, pages: dict[str, str], *, key: bool) -> str:
    """The problems of a chapter in the HTML of its built pages, as a page; with the solutions, if it is the key."""
    problems = "".join(_problems(page, text, key) for page, text in pages.items())
    title = "Problems of the labs" if chapter == LABS else f"Problems of Chapter {chapter.removeprefix('ch')}"
    template = Template((Path(__file__).parent / "sheets.html").read_text(encoding="utf-8"))
    title, words = (f"{title}: key", _KEY) if key else (title, _SHEET)
    return template.substitute(title=title, words=words, problems=problems)


def _problems(page: str, text: str, key: bool) -> str:
    soup = BeautifulSoup(text, "html.parser")
    solutions = {_exercise_of(box): box for box in soup.select("div.solution.admonition")}
    made = ""
    for box in soup.select('div.exercise.admonition[id^="exr-"]'):
        heading = " ".join(box.select_one(".admonition-title").get_text().split())
        made += f'<section class="problem">\n<h2>{heading}</h2>\n{_body(box, page)}'
        if key and (solution := solutions.get(box["id"])):
            made += f'<div class="key">\n{_body(solution, page)}</div>\n'
        made += "</section>\n"
    return made


def _exercise_of(solution: Tag) -> str:
    """The label of the exercise that a box solves."""
    return str(solution.select_one(".admonition-title a")["href"]).partition("#")[2]


def _body(box: Tag, page: str) -> str:
    """What a box says, with links that lead from the folder of the sheets to the page or to its neighbours."""
    body = box.find("section", recursive=False)
    for useless in body.select(_USELESS):
        useless.decompose()
    for output in body.select(".cell_output"):
        if output.get_text().strip().endswith(": right"):  # what `check` printed
            output.decompose()
    for link in body.select("a[href]"):
        address = str(link["href"])
        if address.startswith("#"):
            link["href"] = f"../{page}.html{address}"
        elif not address.startswith("../") and "://" not in address:
            link["href"] = f"../{page.rpartition('/')[0]}/{address}"
    return f"{body.decode_contents().strip()}\n"


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the sheets beside the finished pages."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for chapter in (*CHAPTERS, LABS):
        names = pages_of(chapter)
        if set(names) <= app.env.all_docs.keys():
            pages = {name: (out / f"{name}.html").read_text(encoding="utf-8") for name in names}
            (out / FOLDER).mkdir(exist_ok=True)
            for ending, key in (("", False), ("-key", True)):
                made = sheet(chapter, pages, key=key)
                (out / FOLDER / f"{chapter}{ending}.html").write_text(made, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build: when the pages are finished."""
    app.connect("build-finished", write, priority=920)
