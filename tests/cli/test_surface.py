"""What a user sees first: the help and its examples, names of options, the width of lines, the words of messages."""

from __future__ import annotations

import ast
import io
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import classex
from classex.cli import main
from classex.cli.messages import in_shell
from classex.cli.options import broken, for_stream

SOURCES = Path(classex.__file__).parent
COMMANDS = ("extrapolate", "bound", "advantage", "pass-at-k", "open-set", "restate", "unique", "example")


def help_of(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_opens_with_examples_that_run(command, capsys, tmp_path, monkeypatch):
    few = np.array([0.0045]), np.ones((1, 9, 1))  # draws of the posterior, which take half a minute
    monkeypatch.setattr("classex.fields.reidentification.share_draws", lambda *_: few)
    monkeypatch.chdir(tmp_path)
    if command != "example":
        assert main(["example"]) == 0
    capsys.readouterr()
    text = help_of(command, capsys)
    assert text.index("examples") < 300
    examples = re.findall(r"^  classex (.*)", text, re.MULTILINE)
    assert len(examples) == (1 if command == "example" else 2)
    for example in examples:
        assert main(shlex.split(example)) == 0, example
        assert capsys.readouterr().out
        drawn = re.search(r"--plot (\S+)", example)
        assert drawn is None or (tmp_path / drawn[1]).stat().st_size > 5000


def test_every_command_predicts_for_numbers_given_by_the_same_option(capsys):
    for command in ("extrapolate", "pass-at-k", "open-set", "restate", "unique"):
        assert re.search(r"^  --to [KN] ", help_of(command, capsys), re.MULTILINE), command


@pytest.mark.parametrize(
    ("call", "former"),
    [
        ("pass-at-k attempts.csv --to 1 3 --json", "--k"),
        ("open-set searches.csv --to 20 --fpir .2 --json", "--enrolled"),
    ],
)
def test_former_names_of_options_are_read_with_a_note(call, former, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["example"])
    capsys.readouterr()
    assert main(call.split()) == 0
    expected = capsys.readouterr()
    assert main(call.replace("--to", former).split()) == 0
    found = capsys.readouterr()
    assert found.out == expected.out
    assert found.err == f"classex: {former} is now called --to\n{expected.err}"
    assert former not in help_of(call.split()[0], capsys).split()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_lines_break_at_the_width_of_a_terminal_and_tables_do_not(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    call = ["restate", "50:1:.62:.03", "--to", "200", "1000", "--top", "5"]
    assert main(call) == 0
    whole = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) > 180
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", Terminal())
        assert main(call) == 0
        text = classex.cli.sys.stdout.getvalue()
    assert text.split() == whole.split()
    table = [line for line in text.splitlines() if "  " in line]
    assert table == [line for line in whole.splitlines() if "  " in line]
    assert max(len(line) for line in text.splitlines() if line not in table) <= 40
    assert for_stream("a " * 60, Terminal()) == broken("a " * 60, 40)
    assert for_stream("a " * 60, io.StringIO()) == "a " * 60


def test_a_call_without_arguments_says_where_to_look(capsys):
    with pytest.raises(SystemExit):
        main([])
    assert "`classex command --help` shows how" in " ".join(capsys.readouterr().out.split())
    assert main(["extrapolate"]) == 2
    assert "are required: --to (see classex extrapolate --help)" in capsys.readouterr().err


def test_points_of_one_file_are_compared_with_all_others(tmp_path, capsys):
    rng = np.random.default_rng(0)
    labels, values = np.repeat(np.arange(12), 3), np.round(rng.normal(size=(36, 4)) + np.repeat(np.eye(12, 4), 3, 0), 3)
    rows = [f"c{label},{','.join(map(str, row))}" for label, row in zip(labels, values.tolist(), strict=True)]
    (tmp_path / "all.csv").write_text("\n".join(["label,a,b,c,d", *rows]), encoding="utf-8")
    call = ["extrapolate", str(tmp_path / "all.csv"), "--exclude-self", "--to", "30"]
    assert main([*call, "--references"]) == 0
    ranks = classex.correct_ranks_from_embeddings(values, values, labels, reference_labels=labels, exclude_self=True)
    assert capsys.readouterr().out == f"{classex.extrapolate(ranks, n_classes=30)}\n"


@pytest.mark.parametrize("call", ["pass-at-k attempts.csv --to 1 5 --by task_id", "restate 4:5:.9 --to 9 99 --top 5"])
def test_a_figure_is_refused_first(call, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*call.split(), "--plot", "figure.doc"]) == 2
    assert "--plot must name a .png, .pdf or .svg file" in capsys.readouterr().err
    assert main(["pass-at-k", "none.csv", "--coverage", ".5", "--plot", "figure.png"]) == 2
    assert "--plot goes with --to" in capsys.readouterr().err


# --- the words of messages -------------------------------------------------------------------------------------------


def literals(file):
    """Strings of a module that hold blanks, values in them as X, except docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    parts = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    parts |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "'X'" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            yield node.value


def messages():
    """Every message of the package, by its file."""
    for file in sorted(SOURCES.rglob("*.py")):
        if file.name not in ("_moved.py", "messages.py"):  # earlier names of Python; the table of words
            for text in literals(file):
                if " " in text.strip():
                    yield file.relative_to(SOURCES).as_posix(), text


# messages that no command reaches: they are about objects of Python, or arguments that have no option
OF_PYTHON = (
    *("bayes.py: one_fewer", "bayes.py: average_accuracy", "ranks/embeddings.py: aggregate", "ranks/ranks.py: "),
    "ranks/scores.py: labels must have the index of scores",
)
PUBLIC = sorted(
    {
        name
        for stub in SOURCES.rglob("__init__.pyi")
        for name in re.findall(r" as (\w+)$", stub.read_text(encoding="utf-8"), re.MULTILINE)
        if "_" in name.strip("_") and name.islower()
    }
    | {"fit_curve", "fit_ranks"}
)
PYTHON = re.compile(rf"(?<![\w'])[a-z_]+=(?!=)|\bnp\.(?!savez)|\b[a-z_]+\.[a-z_]+\(|\b(?:{'|'.join(PUBLIC)})\b")
OPTIONS = {"exclude_self", "format", "by", "method", "target", "metric", "loss", "groups", "growth", "problems"}


def test_messages_hold_no_python_in_a_shell():
    found = [f"{file}: {text}" for file, text in messages() if PYTHON.search(in_shell(text, OPTIONS))]
    assert [line for line in found if not line.startswith(OF_PYTHON)] == []


def test_messages_hold_no_options_in_python():
    """Readers still name both."""
    named = [(file, text) for file, text in messages() if re.search(r"(?<![\w-])--[a-z]", text)]
    assert [f"{file}: {text}" for file, text in named if not file.startswith(("cli/", "io/"))] == []


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("n_classes must be 2 or more", "--classes must be 2 or more"),
        ("n_enrolled must be 2 or more", "--to must be 2 or more"),
        ("confidence_level must be below 1", "--confidence-level must be below 1"),
        ("f.csv may be a, b: choose by format= (--format NAME)", "f.csv may be a, b: choose by --format NAME"),
        ("use method='delta'", "use --method delta"),
        ("average='balanced' is needed", "average 'balanced' is needed"),
        ("give exclude_self=True", "give --exclude-self"),
        ("such as stopped=60, or stopped=False", "such as --batch 60, or --fixed"),
        # names in a file, and of a file, stay
        ("must have one column 'n_classes', but its header is n_classes, top", None),
        ("lr=0.1/n_classes.csv: column n_classes must be a number", None),
    ],
)
def test_arguments_become_options(python, shell):
    known = {"classes", "confidence_level", "format", "method", "exclude_self"}
    assert in_shell(python, known) == (python if shell is None else shell)
