"""A class of thirty with namesakes: rosters, gradebooks that platforms import, interrupted runs, marks by hand."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import nbformat
import pytest

from classex.cli import main
from classex_book.course import mark_steps
from classex_book.course.exam import read_key, write_exam
from classex_book.course.exercises import exercise, exercise_names, numbers, variation
from classex_book.course.roster import read_roster

SETUP = "from classex_book import check"
RIGHT = 'check("exr-ch1-wins", [3 / 5, 1 / 2, 2 / 5])'
WRONG = 'check("exr-ch1-wins", [3 / 5, 1 / 2, 0])'
NAMES = [("Li", "Wei"), ("Li", "Wei"), ("Zoë", "Müller"), ("Anna Maria", "de la Cruz")]
NAMES += [(f"First{chr(97 + i)}", f"Last{chr(97 + i)}") for i in range(26)]
ASKED = {"classex": {"exercises": ["exr-ch1-wins"]}}


def write(path, *cells, **metadata):
    path.parent.mkdir(parents=True, exist_ok=True)
    made = [nbformat.v4.new_code_cell(cell) for cell in (SETUP, *cells)]
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata=metadata or ASKED), path)
    return path


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def moodle(folder):
    """What Moodle exports of a class, and the folders in which it collects notebooks: odd students are right."""
    table = [["Identifier", "Full name", "Email address"]]
    for i, (first, last) in enumerate(NAMES):
        table.append([f"Participant {500 + i}", f"{first} {last}", f"{i}@x.org"])
        if i != 7:  # returned nothing
            name = f"{first} {last}_{500 + i}_assignsubmission_file_"
            write(folder / "back" / name / "01d_exercises.ipynb", RIGHT if i % 2 else WRONG)
    return save(folder / "students.csv", table)


def canvas(folder):
    table = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Older (12)"]]
    table.append(["    Points Possible", "", "", "", "", "10"])
    for i, (first, last) in enumerate(NAMES):
        table.append([f"{last}, {first}", str(900 + i), f"S{i}", f"u{i}", "A", "3"])
        letters = "".join(letter for letter in f"{last}{first}".lower() if letter.isalpha())
        late = "_LATE" if i == 3 else ""
        if i != 7:
            write(folder / "back" / f"{letters}{late}_{900 + i}_{7000 + i}_ch1.ipynb", RIGHT if i % 2 else WRONG)
    return save(folder / "students.csv", table)


def save(path, table):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(table)
    return path


def imported_by_moodle(path, key, item):
    """Points by the column that identifies the user, as the import of Moodle maps them."""
    header, *users = rows(path)
    assert len(set(header)) == len(header)
    found = {row[header.index(key)]: row[header.index(item)] for row in users}
    assert len(found) == len(users)
    assert all(len(row) == len(header) for row in users)
    return {user: float(points) if points else None for user, points in found.items()}


def imported_by_canvas(path, item):
    """Points by ID, as Canvas reads them: five columns of its own, a second row of possible points."""
    header, possible, *users = rows(path)
    assert header[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert possible[0] == "    Points Possible"
    place = header.index(item)
    assert all(len(row) == len(header) for row in (possible, *users))
    return float(possible[place]), {int(row[1]): float(row[place]) if row[place] else None for row in users}


def expected(start):
    return {start + i: None if i == 7 else 1.0 if i % 2 else 0.67 for i in range(30)}


def test_a_class_of_moodle(tmp_path):
    students = moodle(tmp_path)
    options = ["--roster", students, "--item", "Exercises 1", "--gradebook", tmp_path / "g.csv", "--jobs", 4]
    options += ["--csv", tmp_path / "marks.csv", "--feedback", tmp_path / "pages", "--book", "https://book.org/"]
    assert main(list(map(str, ["mark", tmp_path / "back", *options]))) == 0
    points = imported_by_moodle(tmp_path / "g.csv", "Email address", "Exercises 1")
    assert {int(mail.partition("@")[0]): one for mail, one in points.items()} == expected(0)
    assert imported_by_moodle(tmp_path / "g.csv", "Identifier", "Exercises 1")["Participant 501"] == 1
    students = {row[0] for row in rows(tmp_path / "marks.csv")[1:]}
    assert {"Li Wei_500", "Li Wei_501", "Zoë Müller"} <= students
    assert len(students) == len(list((tmp_path / "pages").iterdir())) == 29
    page = (tmp_path / "pages" / "Li_Wei_500.html").read_text(encoding="utf-8")
    assert '<a href="https://book.org/notebooks/01d_exercises.html#exr-ch1-wins"><b>Wins</b></a>, 0.67 of 1' in page
    assert "entry 3 of 3 (0) is not right" in page


def test_a_class_of_canvas(tmp_path):
    students = canvas(tmp_path)
    options = ["--roster", students, "--item", "Exercises 1", "--gradebook", tmp_path / "g.csv", "--jobs", 4]
    options += ["--csv", tmp_path / "marks.csv"]
    assert main(list(map(str, ["mark", tmp_path / "back", *options]))) == 0
    possible, points = imported_by_canvas(tmp_path / "g.csv", "Exercises 1")
    assert possible == 1
    assert points == expected(900)
    header, *table = rows(tmp_path / "marks.csv")
    late = {row[0] for row in table if row[header.index("late")] == "yes"}
    assert late == {"de la Cruz, Anna Maria"}


def test_a_run_that_was_interrupted_is_resumed(tmp_path, monkeypatch, capsys):
    files = [write(tmp_path / "back" / f"{name}.ipynb", RIGHT) for name in "abcde"]
    marks, pages = tmp_path / "marks.csv", tmp_path / "pages"
    command = ["mark", str(tmp_path / "back"), "--csv", str(marks), "--feedback", str(pages)]
    command += ["--gradebook", str(tmp_path / "g.csv")]
    seen = []

    def report(result, _):
        seen.append(Path(result.file).stem)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(mark_steps, "_report", report)
        assert main(command) == 130
    assert [row[0] for row in rows(marks)[1:]] == ["a", "b"]
    assert sorted(page.stem for page in pages.iterdir()) == ["a", "b"]
    assert [row[0] for row in rows(tmp_path / "g.csv")[2:]] == ["a", "b"]
    write(files[1], WRONG)  # handed in again
    capsys.readouterr()
    assert main([*command, "--resume"]) == 0
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[")]
    assert [Path(line.split(":")[0]).stem for line in printed] == ["b", "c", "d", "e"]
    assert {row[0]: row[1] for row in rows(tmp_path / "g.csv")[2:]} == {**dict.fromkeys("acde", "1"), "b": "0.67"}
    assert main([*command[:2], "--resume"]) == 2
    assert "--resume must be given with --csv" in capsys.readouterr().err


def test_late_by_the_time_of_the_file(tmp_path):
    for name, year in (("early", 2020), ("late", 2030)):
        path = write(tmp_path / "back" / f"{name}.ipynb", RIGHT)
        os.utime(path, (year * 31_556_952 - 62_167_219_200,) * 2)
    assert (
        main(["mark", str(tmp_path / "back"), "--deadline", "2025-06-01T12:00", "--gradebook", str(tmp_path / "g")])
        == 0
    )
    header, _, *students = rows(tmp_path / "g")
    assert header[-1] == "late"
    assert [(row[0], row[-1]) for row in students] == [("early", ""), ("late", "yes")]


QUESTIONS = """
[why]
title = "Why twice"
points = 3
minutes = 10
text = "Why does the standard error count a class twice?"
solution = "As truth and as distractor."
"""


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    """An exam of four exercises and a question in words, to three digits."""
    folder = tmp_path_factory.mktemp("exam")
    (folder / "own.toml").write_text(QUESTIONS, encoding="utf-8")
    chosen = {"chapters": ["ch1", "ch2", "ch3", "ch4"], "n_exercises": 4}
    write_exam(folder, papers=2, seed="word", digits=3, written=folder / "own.toml", **chosen)
    return folder


def rounded(value, digits=3):
    return [rounded(one, digits) for one in value] if isinstance(value, list) else float(f"{float(value):.{digits}g}")


def paper(exam, target, answers, name="", number=""):
    """Paper 1 with these answers by exercise, and an answer in words."""
    notebook = nbformat.read(exam / "papers" / "paper-1.ipynb", as_version=4)
    for cell in notebook.cells:
        asked = cell.metadata.get("classex", {}).get("exercise")
        if asked in answers:
            cell.source = cell.source.replace("...", repr(answers[asked]))
        cell.source = cell.source.replace('student_name = ""', f'student_name = "{name}"')
        cell.source = cell.source.replace('student_number = ""', f'student_number = "{number}"')
    notebook.cells[-1].source = "As truth and as rival."
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)


def test_an_exam_accepts_three_digits_counts_parts_and_keeps_marks_by_hand(exam, tmp_path, capsys):
    key = read_key(exam / "key.json")
    assert key.digits == 3
    truth = {name: variation(name).key(**numbers(name, one)) for name, one in key.papers["1"].items()}
    full = {name: rounded(value) for name, value in truth.items()}
    paper(exam, tmp_path / "back" / "paper-1.ipynb", full, "Ada Li", "17")
    lists = [name for name, value in full.items() if isinstance(value, list) and isinstance(value[0], float)]
    assert lists
    broken = {name: [value[0] + 1, *value[1:]] if name in lists else value for name, value in full.items()}
    paper(exam, tmp_path / "back" / "paper-1 (1).ipynb", broken, "Bo Ek", "18")
    students = save(
        tmp_path / "s.csv", [["name", "e-mail", "id"], ["Ada Li", "a@x.org", "17"], ["Bo Ek", "b@x.org", "18"]]
    )
    marks = tmp_path / "marks.csv"
    assert main(["mark", "run", str(tmp_path / "back"), "--answers", str(tmp_path / "answers")]) == 0
    command = ["mark", "judge", tmp_path / "answers", "--exam", exam / "key.json", "--roster", students]
    command = [str(one) for one in [*command, "--csv", marks, "--gradebook", tmp_path / "g.csv", "--item", "Exam"]]
    assert main(command) == 0
    header, *table = rows(marks)
    found = {(row[0], row[2]): dict(zip(header, row, strict=True)) for row in table}
    assert all(found["Ada Li", name]["passed"] == "yes" for name in full)
    for name in lists:
        mark = found["Bo Ek", name]
        share = 1 - 1 / len(full[name])
        assert float(mark["points"]) == pytest.approx(int(mark["of"]) * share, abs=0.005)
        assert mark["passed"] == "no"
    by_hand = found["Bo Ek", "why"]
    assert (by_hand["points"], by_hand["of"], by_hand["passed"]) == ("", "3", "by hand")
    assert by_hand["message"] == "As truth and as rival."
    assert imported_by_moodle(tmp_path / "g.csv", "id", "why") == {"17": None, "18": None}
    # the lecturer enters points
    place = header.index("points")
    for row in table:
        row[place] = "2.5" if row[2] == "why" and row[0] == "Bo Ek" else row[place]
    save(marks, [header, *table])
    assert main(command) == 2
    assert "has points entered by hand: add --resume" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0
    assert imported_by_moodle(tmp_path / "g.csv", "id", "why") == {"17": None, "18": 2.5}
    assert imported_by_moodle(tmp_path / "g.csv", "id", "Exam")["17"] == sum(
        int(found["Ada Li", n]["of"]) for n in full
    )
    table[-1][place] = "4"
    table[-1][2:6] = ["why", "4", "3", "by hand"]
    save(marks, [header, *table])
    assert main([*command, "--resume"]) == 2
    assert "points must be a number from 0 to 3" in capsys.readouterr().err


def test_a_key_shows_how_it_is_worked_out(exam):
    solved = nbformat.read(exam / "key-1.ipynb", as_version=4)
    texts = [cell.source for cell in solved.cells if "**Solution.**" in cell.source]
    assert len(texts) == 4
    assert all("exercises.html#exr-" in text for text in texts)
    assert solved.cells[-1].source == "As truth and as distractor."
    papers = [(exam / "papers" / f"paper-{n}.ipynb").read_text(encoding="utf-8") for n in (1, 2)]
    assert all("at least 3 significant digits" in text and "distractor" not in text for text in papers)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([["name"], ["Ada"]], "must have a column for a number or an e-mail address"),
        ([["id"], ["1"]], "must have a column for the name"),
        ([["name", "id"], ["Ada", "1"], ["Bo", "1"]], "has '1' twice in the column id"),
        ([["name", "id"], ["Ada", "1"], ["Bo", ""]], "has no number and no address of Bo"),
    ],
)
def test_a_bad_roster_is_refused(tmp_path, table, message):
    with pytest.raises(ValueError, match=message):
        read_roster(save(tmp_path / "s.csv", table))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["Ada", "Eve"], "'Eve' with the numbers none fits no row of the roster"),
        (["Li Wei"], "'Li Wei' with the numbers none fits 2 rows of the roster"),
        (["Ada_7_assignsubmission_file_/a", "Ada_8_assignsubmission_file_/a"], "hold the same exercise"),
    ],
)
def test_who_cannot_be_told_is_set_aside(tmp_path, capsys, names, message):
    students = [["name", "id"], ["Ada", "1"], ["Li Wei", "2"], ["Li Wei", "3"], ["Zoe", "4"]]
    for name in names:
        write(tmp_path / "back" / f"{name}.ipynb", RIGHT)
    options = ["--roster", str(save(tmp_path / "s.csv", students)), "--csv", str(tmp_path / "m.csv")]
    write(tmp_path / "back" / "zoe.ipynb", RIGHT)
    assert main(["mark", str(tmp_path / "back"), *options]) == 1
    assert message in capsys.readouterr().out.partition("To look at: ")[2]
    assert {row[0] for row in rows(tmp_path / "m.csv")[1:]} == {"", "Zoe"} | ({"Ada"} & {names[0]})


def test_only_what_was_set_gives_points(tmp_path, capsys):
    other = 'check("exr-ch4-lottery", [30, 0.5 + 0.5 / 30, 0.0])'
    proof = nbformat.v4.new_markdown_cell("So.", metadata={"classex": {"exercise": "exr-ch4-curve"}})
    for name, more in (("ada", []), ("eve", [other])):
        path = write(
            tmp_path / "back" / name / "01d_exercises.ipynb",
            RIGHT,
            *more,
            kernelspec={"name": "python3", "display_name": "3"},
        )
        notebook = nbformat.read(path, as_version=4)
        notebook.cells += [proof] * len(more)
        nbformat.write(notebook, path)
    options = ["mark", str(tmp_path / "back"), "--csv", str(tmp_path / "m.csv"), "--gradebook", str(tmp_path / "g.csv")]
    assert main(options) == 0
    assert (
        "The notebooks check exercises of ch1 (2), ch4 (1): name with --set those that count" in capsys.readouterr().out
    )
    assert rows(tmp_path / "g.csv")[0] == ["student", "exercises", "exr-ch4-curve"]
    assert main([*options, "--set", "ch1"]) == 0
    assert "--set" not in capsys.readouterr().out
    header, most, ada, eve = rows(tmp_path / "g.csv")
    worth = sum(exercise(name).points for name in exercise_names("ch1"))
    assert (header, most) == (["student", "exercises"], ["maximum", str(worth)])
    assert ada[1:] == eve[1:] == ["1"]
    assert {row[2] for row in rows(tmp_path / "m.csv")[1:]} == set(exercise_names("ch1"))
    assert main([*options, "--set", "exr-ch1-ties"]) == 0
    assert rows(tmp_path / "g.csv")[1:] == [["maximum", "1"], ["ada", "0"], ["eve", "0"]]
