"""The box of the first page and of the explorer: what it says of a file, and the figures of the code that it shows."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex

import numpy as np
import pytest

import classex as cx
from classex.cli import main
from tests.book.visits import PATIENCE, PHONE, Visit, darken

pytestmark = pytest.mark.browser

K, N = 20, 60
LABELS = np.arange(N) % K
SCORES = (np.random.default_rng(0).normal(size=(N, K)) + 2 * np.eye(K)[LABELS]).round(6)
NAMES = [f"c{c}" for c in range(K)]
ROWS = [[f"c{label}", *row] for label, row in zip(LABELS, SCORES.tolist(), strict=True)]
RANKS = cx.correct_ranks(SCORES.round(), LABELS)
UNLIKE = {  # columns that no label names
    "participant_id": [100 + i % 8 for i in range(N)],
    "day": [0.5 + i % 2 for i in range(N)],
    "seconds": [100 + i / 7 for i in range(N)],
    "site": ["north" if i % 3 else "south" for i in range(N)],
    "total": SCORES.sum(axis=1).round(6).tolist(),
}


def table(header, rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in (header, *rows))


def with_column(name, values):
    return table([name, "label", *NAMES], ([value, *row] for value, row in zip(values, ROWS, strict=True)))


WIDE = table(["label", *NAMES], ROWS)
EXTRA = np.random.default_rng(1).normal(size=N).round(6).tolist()
READ = {  # name of the file: its text, the number that is asked for, and what the ledger says of it
    "scores.csv": (WIDE, None, "60 test points, 20 classes."),
    "semicolons.csv": (table(["label", *NAMES], ROWS, ";").replace(".", ","), None, "commas are decimal marks"),
    "scores.tsv": (table(["label", *NAMES], ROWS, "\t"), None, "60 test points, 20 classes."),
    "records.jsonl": (
        "".join(json.dumps(dict(zip(["label", *NAMES], row, strict=True))) + "\n" for row in ROWS), None, "20 classes."
    ),
    "long.csv": (
        table(
            ["image", "label", "class", "score"],
            ([i, row[0], c, score] for i, row in enumerate(ROWS) for c, score in zip(NAMES, row[1:], strict=True)),
        ),
        None,
        "60 test points, 20 classes.",
    ),
    "my scores.csv": (
        with_column("other", EXTRA),
        None,
        "60 test points, 21 classes; no label names the column “other”: it counts as a wrong class.",
    ),
    "twice.csv": (WIDE + WIDE.splitlines(keepends=True)[1], None, "1 row repeated: each counts."),
    "few.csv": (table(["label", *NAMES], ROWS[:8]), None, "8 test points, 20 classes; 12 classes without test points."),
    "ranks.csv": (
        table(["user", "rank"], ([f"u{i}", K - won] for i, won in enumerate(RANKS.wins))),
        "20",
        "60 test points, each with its rank among 20 classes; column “user” not read; no labels",
    ),
    "ties.csv": (
        table(["rank", "ties"], zip(K - RANKS.wins - RANKS.ties, RANKS.ties, strict=True), ";"),
        "1,000",
        "each with its rank among 1,000 classes",
    ),
    "wins.csv": (table(["wins"], ([won] for won in RANKS.wins)), "20", "each with its wins among 20 classes"),
    "named.tsv": (
        table(["wins", "label"], zip(RANKS.wins, (row[0] for row in ROWS), strict=True), "\t"),
        "20",
        "60 test points of 20 classes",
    ),
    "curve.csv": (
        "k,acc\n10,91.5%\n100,70 %\n1000,44%\n", "1k", "3 accuracies in per cent, with 10 to 1,000 classes."
    ),
}  # fmt: skip
REFUSED = {
    "bare.csv": (
        WIDE.partition("\n")[2].replace("c", ""),
        "The file has no header, since its first line holds numbers",
    ),
    "other.csv": ("name,value\na,1\n", "The header is name, value, but it must name the columns: label"),
    "empty.csv": ("", "There is nothing to read"),
    "broken.csv": (WIDE.replace(str(SCORES[3, 4]), "high"), "Line 5, column 6: “high” is not a number."),
    **{f"{name}.csv": (with_column(name, values), f"The column “{name}” ") for name, values in UNLIKE.items()},
}


class Box:
    """A page with the box."""

    def __init__(self, browser, path, folder):
        self.visit, self.folder = Visit(browser, path), folder
        self.page = self.visit.page

    def said(self, name):
        """What a part of the box says."""
        return self.page.inner_text(f"#explorer-{name}").replace("\N{NO-BREAK SPACE}", " ")

    def shown(self):
        """All that the box says, but for the question about the file."""
        return [self.said(name) for name in ("message", "ledger", "sentence", "command", "python")]

    def answered(self):
        """Wait until the box has answered."""
        said = "['message', 'ledger'].some((name) => document.getElementById(`explorer-${name}`).textContent)"
        self.page.wait_for_function(f"document.getElementById('explorer-busy').hidden && {said}", timeout=PATIENCE)

    def take(self, name, text, count=None):
        """Choose a file, and state the number that the box asks for."""
        (self.folder / name).write_text(text, encoding="utf-8")
        self.page.set_input_files("#explorer-file", str(self.folder / name))
        self.answered()
        assert self.page.is_visible("#explorer-asked") == (count is not None)
        if count is not None:
            assert self.shown()[2:] == ["", "", ""]
            assert self.page.input_value("#explorer-count") == ""
            self.page.fill("#explorer-count", count)
            self.page.keyboard.press("Enter")
            self.page.wait_for_selector("#explorer-sentence:not(:empty)", timeout=PATIENCE)

    def figures(self):
        """Accuracy with the largest number of classes that was observed, prediction, and ends of its interval."""
        numbers = re.findall(r"([\d.e-]+) %", self.said("sentence").replace("95 % interval", ""))
        return np.array(numbers, dtype=float) / 100


def by_python(code, folder, monkeypatch):
    """Prediction and ends of its interval from the lines that the box shows."""
    monkeypatch.chdir(folder)
    *before, last = code.splitlines()
    names = {}
    exec("\n".join(before), names)
    result = eval(last, names)
    return [result.accuracy[0], *result.interval[0]]


def by_command(command, folder, monkeypatch):
    """The same from the command."""
    monkeypatch.chdir(folder)
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        assert main([*shlex.split(command)[1:], "--json"]) == 0
    values = json.loads(written.getvalue())
    return [values["accuracy"][0], *values["interval"][0]]


@pytest.fixture(scope="module", params=["intro", "explorer"])
def box(request, browser, book, tmp_path_factory):
    """One page, which takes all the files one after another."""
    opened = Box(browser, book / "book" / f"{request.param}.html", tmp_path_factory.mktemp(request.param))
    opened.name = request.param
    yield opened
    opened.page.close()
    assert opened.visit.complaints == []
    assert [url for url in opened.visit.requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READ)
def test_a_file_gives_the_figures_of_the_command_and_of_python(box, name, monkeypatch):
    text, count, ledger = READ[name]
    box.take(name, text, count)
    message, read, _, command, code = box.shown()
    assert message == ""
    assert read.startswith(f"{name}: ")
    assert ledger in read
    python = by_python(code, box.folder, monkeypatch)
    np.testing.assert_allclose(box.figures()[1:], python, rtol=5.1e-3)
    if command.startswith("classex "):
        np.testing.assert_allclose(by_command(command, box.folder, monkeypatch), python, rtol=1e-12)
    else:
        assert name in ("wins.csv", "named.tsv")


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_file_leaves_nothing_of_the_last_one(box, name):
    text, message = REFUSED[name]
    box.take("scores.csv", WIDE)
    assert box.said("sentence") != ""
    box.take(name, text)
    assert message in box.said("message")
    assert box.shown()[1:] == ["", "", "", ""]
    if box.name == "explorer":
        box.page.wait_for_function(
            "!document.querySelector('#explorer-accuracy .band, #explorer-values tr')", timeout=PATIENCE
        )
        assert [box.said(part) for part in ("rests", "summary")] == ["", ""]
        assert box.page.input_value("#explorer-data") == ""


@pytest.mark.parametrize("name", UNLIKE)
def test_a_column_that_names_no_class_may_be_left_out_or_said_to_be_a_class(box, name):
    box.take("scores.csv", WIDE)
    expected = box.figures()
    box.take(f"{name}.csv", with_column(name, UNLIKE[name]))
    assert box.page.is_visible("#explorer-remedy button:last-child") == (name != "site")
    box.page.click("#explorer-remedy button")
    box.page.wait_for_selector("#explorer-sentence:not(:empty)", timeout=PATIENCE)
    assert f"column “{name}” left out" in box.said("ledger")
    np.testing.assert_array_equal(box.figures(), expected)
    assert f" --drop {name} " in box.said("command")
    assert f'drop=["{name}"]' in box.said("python")
    if name == "site":
        return
    box.take(f"{name}.csv", with_column(name, UNLIKE[name]))
    box.page.click("#explorer-remedy button:last-child")
    box.page.wait_for_selector("#explorer-sentence:not(:empty)", timeout=PATIENCE)
    assert "60 test points, 21 classes" in box.said("ledger")
    assert " --classes all " in box.said("command")
    assert 'classes="all"' in box.said("python")


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("10,000", 10_000),
        ("10k", 10_000),
        ("1M", 10**6),
        ("1.6 million", 1_600_000),
        ("1e4", 10_000),
        ("10 000", 10_000),
    ],
)
def test_a_number_of_classes_is_read_as_people_write_it(box, text, k):
    box.take("scores.csv", WIDE)
    box.page.fill("#explorer-wanted", text)
    box.page.wait_for_function(
        f"document.querySelector('#explorer-sentence').textContent.includes('Among {k:,} such')", timeout=PATIENCE
    )
    assert box.said("command").endswith(f"--to {k}")
    box.page.fill("#explorer-wanted", "many")
    assert "“many” is no number of classes" in box.said("message")
    assert box.said("sentence") == ""
    if box.name == "explorer":
        box.page.wait_for_selector("#explorer-rests:empty", state="attached", timeout=PATIENCE)
    box.page.fill("#explorer-wanted", "")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "below.csv",
            table(["label", *NAMES], ([one, *(-x for x in row)] for one, *row in ROWS)),
            "Are they distances?",
        ),
        ("chance.csv", "label,a,b\na,1,0\na,0,1\nb,1,0\nb,1,0\n", "with 2 classes, 25 %, is below chance, 50 %."),
    ],
)
def test_an_accuracy_below_chance_warns(box, name, text, message):
    box.take(name, text)
    assert message in box.said("message")
    assert box.said("sentence") != ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_box_fits_a_phone(box, scheme):
    darken(box.page, scheme)
    box.take("my scores.csv", READ["my scores.csv"][0])
    box.page.set_viewport_size({"width": PHONE, "height": 900})
    assert box.page.evaluate("document.documentElement.scrollWidth") <= PHONE
    box.page.set_viewport_size({"width": 1200, "height": 900})


def test_the_first_page_loads_what_the_box_computes_with_when_it_is_used(browser, book, tmp_path):
    opened = Box(browser, book / "book" / "intro.html", tmp_path)
    opened.page.wait_for_timeout(500)
    loaded = {url.rpartition("/")[2] for url in opened.visit.requests}
    assert "box.js" in loaded
    assert not {"parse.js", "compute.js", "tables.js"} & loaded
    opened.page.evaluate(
        """(text) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], "dropped.csv"));
            const box = document.querySelector("[data-classex-box]");
            box.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        }""",
        WIDE,
    )
    opened.page.wait_for_selector("#explorer-sentence:not(:empty)", timeout=PATIENCE)
    assert opened.said("ledger") == "dropped.csv: 60 test points, 20 classes."
    once = [url for url in opened.visit.requests if url.endswith(".js")]
    assert len(once) == len(set(once))
    opened.page.close()
