"""Fifty attackers among honest students: nobody gains, nothing is seen, and no honest mark moves."""

from __future__ import annotations

import argparse
import contextlib
import csv
import ctypes
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pytest

from classex.cli import main
from classex_book.course import mark_command, running
from classex_book.course.exam import read_key, write_exam
from classex_book.course.exercises import numbers, variation
from classex_book.course.papers import answer_cells, words_below
from classex_book.course.returned import LARGEST_FILE, LONGEST_TEXT, read_notebook
from tests.course.attacks import ATTACKS, TIES, WINS, cells

ASKED = {"classex": {"exercises": ["exr-ch1-wins", "exr-ch1-ties"]}}
RIGHT = 'check("exr-ch1-wins", [3 / 5, 1 / 2, 2 / 5])'
# without Landlock a process may read what its user may read; what else holds, holds anyhow
CONFINED = sys.platform == "linux" and ctypes.CDLL(None).syscall(444, None, 0, 1) >= 6
SECRET = "hunter2hunter2"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the attacks are those on POSIX systems")


def write(path, codes, **metadata):
    path.parent.mkdir(parents=True, exist_ok=True)
    made = [nbformat.v4.new_code_cell(code) for code in codes]
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata=metadata or ASKED), path)
    return path


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def inside(folder):
    """Processes whose working folder lies in the folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if str(place.readlink()).startswith(str(folder)):
                found.append(int(place.parent.name))
    return found


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """Marks, pages and what was printed of the whole class, and the folder in which the notebooks ran."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "runs").mkdir()
    (folder / "secret.txt").write_text(SECRET)
    zoe = write(folder / "back" / "zoe" / "01d_exercises.ipynb", [TIES, RIGHT])
    server = socket.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    places = {"secret": folder / "secret.txt", "zoe": zoe, "port": server.getsockname()[1]}
    for name in ATTACKS:
        write(folder / "back" / name / "01d_exercises.ipynb", cells(name, **places))
    write(folder / "back" / "yan" / "01d_exercises.ipynb", [TIES, RIGHT])
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(tempfile, "tempdir", str(folder / "runs"))
        patch.setenv("TOKEN", SECRET)
        patch.setattr(running, "MEMORY", 2**30)
        patch.setattr(running, "PROCESSES", 60)
        patch.setattr(running, "RECORDS", 3 * 10**6)
        patch.setattr(running, "CELLS", 3)
        options = ["--csv", folder / "marks.csv", "--feedback", folder / "pages", "--jobs", 4, "--time-limit", 4]
        status = main(list(map(str, ["mark", folder / "back", *options])))
    connected = True
    try:
        server.accept()
    except BlockingIOError:
        connected = False
    server.close()
    assert status == 0, printed.getvalue()
    pages = "".join(page.read_text(encoding="utf-8") for page in (folder / "pages").iterdir())
    return rows(folder / "marks.csv"), pages, printed.getvalue(), folder, connected


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attacker_has_the_mark_of_the_right_answer_alone(marked, name):
    found = {row["exercise"].removeprefix("exr-ch1-"): row["passed"] for row in marked[0] if row["student"] == name}
    gained = not CONFINED and name == "a victim's notebook executed"  # a copy, as by hand
    assert found == {"wins": "yes" if gained else "no", "ties": "yes"}


def test_honest_marks_stand(marked):
    found = {(row["student"], row["passed"]) for row in marked[0] if row["student"] in ("zoe", "yan")}
    assert found == {("zoe", "yes"), ("yan", "yes")}


def test_no_secret_stands_anywhere(marked):
    table, pages, printed, *_ = marked
    assert SECRET not in f"{table}{pages}{printed}"


def test_escapes_are_shown(marked):
    table, pages, printed, *_ = marked
    assert "\x1b" not in f"{[row.values() for row in table]}{pages}{printed}"


def test_what_a_cell_says_is_shown_and_not_obeyed(tmp_path, capsys):
    cell = "raise ValueError('\x1b[1A\x1b[2K[1/1] all passed')\ncheck('exr-ch1-wins', 1)"
    write(tmp_path / "\x1b[2Kada" / "a.ipynb", [TIES, cell])
    assert main(["mark", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert r"ValueError, in line 1 of code cell 2: raise ValueError('\x1b[1A\x1b[2K[1/1] all passed')" in printed
    assert r"\x1b[2Kada/a.ipynb: 1 of 2 passed" in printed


def test_no_process_and_no_file_stays(marked):
    runs = marked[3] / "runs"
    assert not inside(runs)
    assert not list(runs.iterdir())


@pytest.mark.skipif(not CONFINED, reason="the kernel has no Landlock of version 6")
def test_confined_code_reaches_neither_network_nor_files(marked):
    assert not marked[4]
    messages = {row["student"]: row["message"] for row in marked[0] if row["exercise"] == "exr-ch1-wins"}
    assert (marked[3] / "back" / "zoe" / "01d_exercises.ipynb").exists()
    assert len(messages) == len(ATTACKS) + 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("secrets of the environment", "ValueError, in line 2 of code cell 2: raise ValueError(os.environ.get('TOKEN'"),
        ("a secret as a name", "in line 2 of code cell 2: raise NameError"),
        ("signals ignored", "not finished after 4 seconds"),
        ("processes", "stopped: it takes more than 60 processes"),
        ("the clock of a cell reset", "stopped: it takes more than 12 seconds"),
        ("many records", "stopped: it records more than 3,000,000 bytes"),
        ("a large file", "OSError, in line 2 of code cell 2"),
        ("two gigabytes", "MemoryError, in line 2 of code cell 2: answer = numpy.zeros(2**28)"),
        ("equal to everything", "entry 1 of 3 (1) is not right"),
    ],
)
def test_the_reason_is_given(marked, name, words):
    (message,) = (row["message"] for row in marked[0] if (row["student"], row["exercise"]) == (name, "exr-ch1-wins"))
    assert words in message


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    """An exam, the true answers of its paper as text, and the marks of papers by attack."""
    folder = tmp_path_factory.mktemp("exam")
    chosen = {"chapters": ["ch1", "ch5", "ch6"], "n_exercises": 3}
    write_exam(folder / "exam", seed="a word", digits=3, **chosen)
    (name, *_), own = (
        read_key(folder / "exam" / "key.json").papers["1"],
        read_key(folder / "exam" / "key.json").papers["1"],
    )
    truth = variation(name).key(**numbers(name, own[name]))
    right = repr([float(one) for one in truth] if isinstance(truth, list) else float(truth))
    attacks = {
        "searched": f"for one in (1, 2, {right}): check({name!r}, one)\nanswer = 1",
        "checked by itself": f"check({name!r}, {right})",
        "recorded for a cell": f"check.__self__._send(cell=99, answer={right})\nanswer = 1",
        "recorded before": f"answer = {right}\nanswer = 1",
        "the key read": "import glob\nfound = glob.glob('/tmp/**/key.json', recursive=True)[:3]\n"
        "raise ValueError(open(found[0]).read())",
        "the variant worked out": "from classex_book.course.exercises import variation\nanswer = 1",
        "right": f"answer = {right}",
    }
    for attack, code in attacks.items():
        notebook = nbformat.read(folder / "exam" / "papers" / "paper-1.ipynb", as_version=4)
        place = next(cell for cell in notebook.cells if "answer = ..." in cell.source)
        place.source = place.source.replace("answer = ...", code)
        (folder / "back" / attack).mkdir(parents=True)
        nbformat.write(notebook, folder / "back" / attack / "paper-1.ipynb")
    key = (folder / "exam" / "key.json").rename(folder / "hidden")  # the key does not lie where papers run
    assert main(["mark", "run", str(folder / "back"), "--answers", str(folder / "answers")]) == 0
    key.rename(folder / "exam" / "key.json")
    command = ["mark", "judge", folder / "answers", "--exam", folder / "exam" / "key.json", "--csv", folder / "m.csv"]
    assert main(list(map(str, command))) == 0
    return {row["student"]: row["passed"] for row in rows(folder / "m.csv") if row["exercise"] == name}, folder


def test_only_the_last_answer_of_a_paper_counts(exam):
    assert exam[0] == dict.fromkeys(exam[0], "no") | {"right": "yes"}
    assert len(exam[0]) == 7


def test_a_key_is_taken_only_where_no_paper_runs(exam, capsys):
    assert main(["mark", str(exam[1] / "back"), "--exam", str(exam[1] / "exam" / "key.json")]) == 2
    assert "a key must not lie where papers run" in capsys.readouterr().err
    assert main(["mark", "run", str(exam[1] / "back")]) == 2
    assert main(["mark", "judge"]) == 2
    capsys.readouterr()
    for option in ("--csv", "--gradebook", "--feedback", "--roster", "--set"):
        assert main(["mark", "run", str(exam[1] / "back"), "--answers", str(exam[1] / "new"), option, "ch1"]) == 2
        assert f"{option} must be given to classex mark judge" in capsys.readouterr().err
    assert main(["mark", "run", str(exam[1] / "back"), "--answers", str(exam[1] / "answers")]) == 2
    assert "has answers already: add --resume" in capsys.readouterr().err
    assert main(["mark", "judge", str(exam[1] / "back")]) == 2
    assert "holds no answers (.json)" in capsys.readouterr().err


def test_a_run_of_papers_is_resumed(exam, capsys):
    capsys.readouterr()
    paper = exam[1] / "back" / "right" / "paper-1.ipynb"
    paper.write_text(paper.read_text(encoding="utf-8").replace("answer = ", "answer = 0 * ", 1), encoding="utf-8")
    before = len(list((exam[1] / "answers").iterdir()))
    assert main(["mark", "run", str(exam[1] / "back"), "--answers", str(exam[1] / "answers"), "--resume"]) == 0
    assert capsys.readouterr().out.count("/paper-1.ipynb") == 1
    assert len(list((exam[1] / "answers").iterdir())) == before


@pytest.mark.parametrize(
    "damage", ["", "[]", '{"file": 1}', '{"cells": [[1]], "file": "a", "source": "a"}', "[" * 10**5]
)
def test_damaged_answers_are_set_aside(tmp_path, capsys, damage):
    (tmp_path / "a.json").write_text(damage)
    assert main(["mark", "judge", str(tmp_path)]) == 1
    assert "To look at: 1 of 1" in capsys.readouterr().out


def test_what_is_no_regular_file_is_set_aside_and_moves_no_mark(tmp_path, capsys):
    back = tmp_path / "back"
    ada = write(back / "ada" / "01d_exercises.ipynb", [TIES, RIGHT])
    for name in ("eve", "loop", "pipe", "folder"):
        (back / name).mkdir()
    (back / "eve" / "01d_exercises.ipynb").symlink_to(ada)
    (back / "loop" / "loop.ipynb").symlink_to("loop.ipynb")
    os.mkfifo(back / "pipe" / "pipe.ipynb")
    (back / "folder" / "a.ipynb").mkdir()
    (back / "linked").symlink_to(back / "ada", target_is_directory=True)
    assert main(["mark", str(back), "--csv", str(tmp_path / "m.csv")]) == 1
    found = {row["student"]: row["passed"] for row in rows(tmp_path / "m.csv") if row["exercise"] == "exr-ch1-wins"}
    assert found == {"ada": "yes"}
    assert capsys.readouterr().out.count("is not a regular file but a link, a folder or a device") == 2 * 5


def test_a_false_or_long_name_sets_its_own_notebook_aside(tmp_path, capsys):
    back = tmp_path / "back"
    said = 'student_name = "{}"\nstudent_number = "10"'
    write(back / "zoe" / "01d_exercises.ipynb", [said.format("Zoe"), TIES, RIGHT])
    write(back / "eve" / "01d_exercises.ipynb", [said.format("Zoe"), TIES, WINS])
    write(back / "lea" / "01d_exercises.ipynb", [said.format("L" * 300), TIES, WINS])
    write(back / "kim" / "01d_exercises.ipynb", [said.format("../" * 30 + "Kim"), TIES, RIGHT])
    (back / "huge").mkdir()
    with (back / "huge" / "a.ipynb").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    options = ["--csv", tmp_path / "m.csv", "--feedback", tmp_path / "pages", "--gradebook", tmp_path / "g.csv"]
    assert main(list(map(str, ["mark", back, *options]))) == 1
    found = {row["student"]: row["passed"] for row in rows(tmp_path / "m.csv") if row["exercise"] == "exr-ch1-wins"}
    assert found == {"Zoe_10": "yes", "../" * 30 + "Kim_10": "yes"}
    assert len(list((tmp_path / "pages").iterdir())) == 3  # with that of the notebook that is too large
    assert all(len(page.name) < 80 for page in (tmp_path / "pages").iterdir())
    said = capsys.readouterr().out
    assert "To look at: 3 of 5" in said
    assert "has more than 33,554,432 bytes" in said


@pytest.mark.parametrize(
    "code",
    [
        "\n" * (LONGEST_TEXT - 9),
        "answer:" * (LONGEST_TEXT // 8),
        "answer:\n" * (LONGEST_TEXT // 9),
        " " * (LONGEST_TEXT - 9),
        "student_name = '" * (LONGEST_TEXT // 17),
        "%%time\n" * (LONGEST_TEXT // 8),
        "(" * (LONGEST_TEXT - 9),
        "-" * (LONGEST_TEXT - 9) + "1",
        "##  \n" * (LONGEST_TEXT // 6),
    ],
)
def test_no_text_keeps_the_marker_busy(tmp_path, code):
    """Quadratic in these texts would be hours."""
    for kind in (nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell):
        nbformat.write(nbformat.v4.new_notebook(cells=[kind(code)]), tmp_path / "a.ipynb")
        notebook = read_notebook(tmp_path / "a.ipynb")
        assert not notebook.error
        assert len(notebook.fields) <= 1
        assert answer_cells(notebook.cells, ["exr-ch1-wins"]).keys() <= {"exr-ch1-wins"}
        assert words_below(notebook.cells, [], ["why"])["why"] == ""


def test_a_text_that_is_too_long_is_set_aside(tmp_path):
    (tmp_path / "deep.ipynb").write_text('{"cells": [], "metadata": ' + "[" * 10**6)
    assert "is not a Jupyter notebook" in read_notebook(tmp_path / "deep.ipynb").error
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1," * 10**6)]), tmp_path / "a.ipynb")
    assert "has more than 1,000,000 characters" in read_notebook(tmp_path / "a.ipynb").error


def test_outputs_are_tried_before_the_work_and_written_each_on_its_own(tmp_path, capsys, monkeypatch):
    write(tmp_path / "back" / "ada" / "01d_exercises.ipynb", [TIES])
    for option in ("--csv", "--gradebook"):
        for place in (tmp_path / "nowhere" / "a.csv", tmp_path):
            assert main(["mark", str(tmp_path / "back"), option, str(place)]) == 2
            assert "must be a file in a folder that exists" in capsys.readouterr().err

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("classex_book.course.mark_steps.write_gradebook", full)
    options = ["--gradebook", tmp_path / "g.csv", "--feedback", tmp_path / "pages", "--csv", tmp_path / "m.csv"]
    assert main(list(map(str, ["mark", tmp_path / "back", *options]))) == 1
    assert "g.csv is not written: no space left" in capsys.readouterr().err
    assert (tmp_path / "m.csv").exists()
    assert list((tmp_path / "pages").iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGPIPE])
def test_no_process_outlives_the_marker(tmp_path, number):
    fork = "import os, time\nfor _ in range(3):\n    if not os.fork():\n        os.setsid()\n        time.sleep(99)\n"
    write(tmp_path / "back" / "a.ipynb", [TIES, fork + "while True: pass"])
    write(tmp_path / "back" / "b.ipynb", [TIES, RIGHT])
    (tmp_path / "runs").mkdir()
    marks = tmp_path / "m.csv"
    command = [sys.executable, "-m", "classex", "mark", str(tmp_path / "back"), "--jobs", "2", "--csv", str(marks)]
    environment = os.environ | {"TMPDIR": str(tmp_path / "runs")}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    marker = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    signal.signal(signal.SIGINT, before)
    with marker:
        wait(lambda: len(inside(tmp_path / "runs")) >= 5)
        if number == signal.SIGPIPE:
            marker.stdout.close()
            number = signal.SIGTERM
        marker.send_signal(number)
        assert marker.wait(300) != 0
        wait(lambda: not inside(tmp_path / "runs"))
    write(tmp_path / "back" / "a.ipynb", [TIES, WINS])
    assert main(["mark", str(tmp_path / "back"), "--csv", str(marks), "--resume"]) == 0
    assert {(row["student"], row["passed"]) for row in rows(marks)} == {("a", "yes"), ("a", "no"), ("b", "yes")}


def wait(condition):
    last = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < last
        time.sleep(0.05)


def test_the_container_runs_the_first_step():
    text = (Path(__file__).parents[2] / "containers" / "mark.Containerfile").read_text(encoding="utf-8")
    command = json.loads(text.partition("ENTRYPOINT ")[2])
    parser = argparse.ArgumentParser()
    mark_command.add_parser(parser.add_subparsers())
    arguments = parser.parse_args(command[1:])
    assert (command[0], arguments.notebooks, arguments.answers) == ("classex", ["run", "/in"], "/out")
    copied = [name for line in re.findall("^COPY (.*)$", text, re.MULTILINE) for name in line.split()[:-1]]
    assert copied == ["pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT", "tools/readme_hook.py", "src"]
    for guide in ("SECURITY.md", "containers/mark.Containerfile"):
        said = (Path(__file__).parents[2] / guide).read_text(encoding="utf-8")
        assert all(word in said for word in ("--network none", "--cap-drop ALL", "dst=/in,readonly", "dst=/out"))
