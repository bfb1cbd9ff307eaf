"""A folder of twelve strange notebooks: each is marked or named with the reason, and nothing is lost."""

from __future__ import annotations

import contextlib
import csv
import io
import json

import nbformat
import pytest

from classex.cli import main
from classex_book.course.exercises import exercise
from classex_book.course.marking import mark_notebooks
from classex_book.course.reports import write_gradebook
from classex_book.course.returned import read_notebook

SETUP = "import numpy as np\n\nfrom classex_book import check, quiz"
WINS = 'answer = [3 / 5, 1 / 2, 2 / 5]\ncheck("exr-ch1-wins", answer)'
TIES = 'answer = [3 / 4, 1 / 2]\ncheck("exr-ch1-ties", answer)'
COPIES = 'answer = [3 / 4, 1 - 0.98**50, 1 - np.exp(-1)]\ncheck("exr-ch1-copies", answer)'
ASKED = ("exr-ch1-wins", "exr-ch1-ties", "exr-ch1-copies")
FORGED = """\
import json, os
for number in range(1, 30):
    try:
        os.write(number, json.dumps({"nonce": "", "passed": True, "message": ""}).encode())
    except OSError:
        pass
os._exit(0)
check("exr-ch1-wins", 1)"""
HELPERS = [
    SETUP,
    "half = 1 / 2",
    "values = {}",
    "def share(a, b):\n    return a / b * (2 * half)",
    "values['first'] = share(3, 5)",
    '%%time\nanswer = [values["first"], half, share(2, 5)]\nprint("timed")\ncheck("exr-ch1-wins", answer)',
    '%matplotlib inline\n!pip install something\nif True:\n    check("exr-ch1-ties", [3 * half / 2, half])',
    'answer = late(half)\ncheck("exr-ch1-copies", answer)',
    "def late(x):\n    return [1 - x**2, 1 - 0.98**50, 1 - np.exp(-1)]",
]
STRANGE = {
    "good": [SETUP, WINS, TIES, COPIES],
    "bad": [SETUP, WINS.replace("3 / 5", "4 / 5"), "two words\ncheck('exr-ch1-ties', 1)", "1 / 0\n" + COPIES],
    "huge": [SETUP, "print('x' * 10**7)\n" + WINS, "for i in range(10**6): print(i)\n" + TIES],
    "endless": [SETUP, WINS, "import time\nwhile True: time.sleep(1)\n" + TIES, COPIES],
    "renamed__final (2)": [SETUP, WINS],
    "helpers": HELPERS,
    "forged": [SETUP, FORGED, TIES],
    "together": [SETUP, WINS + "\n" + TIES.replace("3 / 4", "1"), COPIES],
    "lacking": [WINS, TIES],  # neither a set-up cell nor the rest
}
PASSED = {
    "good": "ytc",
    "bad": "",
    "huge": "yt",
    "endless": "yc",
    "renamed__final (2)": "y",
    "helpers": "ytc",
    "forged": "t",
    "together": "yc",
    "lacking": "yt",
}
LETTERS = dict(zip("ytc", ASKED, strict=True))


def write(path, cells, **metadata):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata=metadata)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """Output, rows of marks, gradebook and feedback of the whole folder, marked with three jobs."""
    folder, made = tmp_path_factory.mktemp("returned"), tmp_path_factory.mktemp("marks")
    for name, cells in STRANGE.items():
        write(folder / f"{name}.ipynb", cells)
    huge = json.loads((folder / "huge.ipynb").read_text())
    huge["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["y" * 10**7]}]
    (folder / "huge.ipynb").write_text(json.dumps(huge))
    (folder / "empty.ipynb").write_text("")
    (folder / "nojson.ipynb").write_text("<html>not a notebook</html>")
    write(folder / "kernel.ipynb", [SETUP, WINS], kernelspec={"name": "ir", "display_name": "R", "language": "R"})
    # files that would break Python if they were found before the installed ones
    (folder / "json.py").write_text("raise SystemExit('a file of a student')")
    (folder / "numpy.py").write_text("raise SystemExit('a file of a student')")
    files = {name: made / name for name in ("marks.csv", "grades.csv", "feedback")}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        options = ["--set", *ASKED, "--csv", str(files["marks.csv"]), "--gradebook", str(files["grades.csv"])]
        options += ["--feedback", str(files["feedback"]), "--jobs", "3", "--time-limit", "8"]
        assert main(["mark", str(folder), *options]) == 1  # three are set aside
    return printed.getvalue(), files


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_notebook_is_reported_once_as_it_is_marked(marked):
    lines = [line for line in marked[0].splitlines() if line.startswith("[")]
    assert len(lines) == 12
    assert [line.partition("]")[0] for line in lines] == [f"[{n}/12" for n in range(1, 13)]


@pytest.mark.parametrize("name", STRANGE)
def test_exactly_what_is_right_passes(marked, name):
    found = {row["exercise"]: row["passed"] for row in rows(marked[1]["marks.csv"]) if row["student"] == name}
    assert found == {label: "yes" if letter in PASSED[name] else "no" for letter, label in LETTERS.items()}


@pytest.mark.parametrize(
    ("name", "exercise", "message"),
    [
        ("bad", "wins", "entry 1 of 3 (0.8) is not right"),
        ("bad", "ties", "SyntaxError: invalid syntax, in line 1 of code cell 3: two words"),
        ("bad", "copies", "ZeroDivisionError: division by zero, in line 1 of code cell 4: 1 / 0"),
        ("endless", "ties", "not finished after 8 seconds"),
        ("forged", "wins", "the process ended without a result"),
        ("together", "ties", "entry 1 of 2"),
        ("lacking", "copies", "no cell of the notebook checks this exercise"),
        ("empty", "", "empty.ipynb is not a Jupyter notebook"),
        ("nojson", "", "nojson.ipynb is not a Jupyter notebook"),
        ("kernel", "", "is a notebook for R, not for Python"),
    ],
)
def test_the_reason_is_given(marked, name, exercise, message):
    (row,) = (
        row
        for row in rows(marked[1]["marks.csv"])
        if row["student"] == name and row["exercise"].endswith(exercise) and bool(row["exercise"]) == bool(exercise)
    )
    assert message in row["message"]


def test_each_student_has_a_row_of_points_and_a_page(marked):
    grades = {row["student"]: row for row in rows(marked[1]["grades.csv"])}
    assert len(grades) == 13
    assert grades["maximum"]["exercises"] == str(sum(exercise(name).points for name in ASKED))
    assert grades["good"]["exercises"] == grades["maximum"]["exercises"]
    assert grades["empty"]["exercises"] == ""
    pages = {page.stem: page.read_text(encoding="utf-8") for page in marked[1]["feedback"].iterdir()}
    assert len(pages) == 12
    assert "Hint: A point with R wins" in pages["bad"]
    assert "could not be marked" in pages["kernel"]
    assert all("<script" not in page for page in pages.values())


def test_an_exercise_in_two_notebooks_counts_once(tmp_path):
    files = [write(tmp_path / f"{n}.ipynb", [SETUP, cell]) for n, cell in enumerate((WINS, "check('exr-ch1-wins', 1)"))]
    marked = list(mark_notebooks([(read_notebook(file), "=HYPERLINK(1)") for file in files], asked=ASKED[:1]))
    write_gradebook(tmp_path / "grades.csv", marked)
    _, row = rows(tmp_path / "grades.csv")
    assert row == {"student": "'=HYPERLINK(1)", "exercises": "1"}


def test_of_several_attempts_one_that_passes_is_enough(tmp_path):
    stub = 'raise NotImplementedError\ncheck("exr-ch1-wins", 1)'
    file = write(tmp_path / "twice.ipynb", [SETUP, WINS, stub])
    (marked,) = mark_notebooks([(read_notebook(file), "a")], asked=ASKED[:1])
    assert marked.points == 1
