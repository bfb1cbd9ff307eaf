"""The one page that says what to call for what data: every command and every call runs, and every entry has one."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex.cli import main

BOOK = Path(__file__).parents[2] / "book"
PAGE = (BOOK / "what_you_have.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^### (.+?)\n(.*?)(?=^###? |^\(have-|\Z)", PAGE, re.MULTILINE | re.DOTALL))
WIDEST = 42  # characters that a box shows at 390 pixels


def blocks(language: str, text: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


COMMANDS = [block[2:].replace("\\\n", "") for block in blocks("console")]
APART = ("A classifier of scikit-learn", "Classes in clusters")  # these have tests of their own
RNG = np.random.default_rng(0)
LABELS = np.arange(20)
GALLERY = RNG.normal(size=(20, 6))
TEST = GALLERY + 0.6 * RNG.normal(size=(20, 6))
PEOPLE, OWNERS = np.concatenate([TEST, GALLERY]), np.tile(LABELS, 2)
MASK = np.roll(np.eye(20, dtype=bool), 3, axis=1)
DATA = {
    "cx": cx,
    "np": np,
    "scores": TEST @ GALLERY.T,
    "labels": LABELS,
    "test": TEST,
    "gallery": GALLERY,
    "people": PEOPLE,
    "owners": OWNERS,
    "mask": MASK,
    "rank": RNG.integers(1, 6, 20),
    "groups": np.repeat(np.arange(5), 4),
    "subject": np.tile(["a", "b", "c", "d"], 5),
    "M": [[20, 3], [4, 30]],
    "y_true": [0, 1, 1, 0],
    "y_pred": [0, 1, 0, 0],
    "successes": [1, 5],
    "others": [2, 6],
    "trials": [10, 10],
    "genuine": [0.9, 0.4],
    "impostor": [0.5, 0.1, 0.2],
    "speakers": [0, 1],
    "both": [[0, 1], [1, 2], [2, 0]],
    "sizes": [1, 1, 1, *[2] * 8, *[5] * 6],
    "nonmated_scores": RNG.normal(size=(30, 20)),
}


def table(values, labels=LABELS):
    names = ",".join(f"c{c}" for c in range(values.shape[1]))
    rows = (f"c{c},{','.join(map(str, row))}" for c, row in zip(labels, values, strict=True))
    return "\n".join([f"label,{names}", *rows])


FILES = {
    "scores.csv": table(TEST @ GALLERY.T),
    "test.csv": table(TEST),
    "gallery.csv": table(GALLERY),
    "people.csv": table(PEOPLE, OWNERS),
    "subjects.csv": "\n".join(
        f"{line},{'subject' if i == 0 else f's{i % 4}'}" for i, line in enumerate(table(TEST @ GALLERY.T).split("\n"))
    ),
    "masked.csv": table(np.where(MASK, -np.inf, TEST @ GALLERY.T)),
    "groups.csv": "class,group\n" + "".join(f"c{c},g{c // 4}\n" for c in range(20)),
    "labels.csv": "y_true,y_pred\na,a\nb,b\nb,a\n",
    "run.txt": "".join(f"q{q} Q0 d{d} {d - q + 1} {-d} x\n" for q in range(6) for d in range(q, 150)),
    "qrels.txt": "".join(f"q{q} 0 d{d} 1\n" for q in range(6) for d in (4, 9)),
    "ranks.csv": "user,rank\n" + "".join(f"u{i},{1 + i % 6}\n" for i in range(20)),
    "nist.csv": "algorithm,N=1M,N=10M\na,0.02,0.03\nb,0.05,0.06\n",
    "choice.jsonl": "".join(
        f'{{"target": "{i % 4}", "filtered_resps": [["-1.{i}"], ["-2.5"], ["-3.{i}"], ["-9"]]}}\n' for i in range(20)
    ),
    "persons.csv": "age,occupation\n" + "".join(f"{age},{work}\n" for age, work in RNG.geometric(0.2, (90, 2))),
    "pairs.csv": "genuine,score\n1,.9\n1,.4\n0,.5\n0,.1\n0,.2\n",
    "models.jsonl": "".join(
        f'{{"task_id": {t}, "model": "{m}", "passed": {str(t % 3 > n).lower()}}}\n'
        for n, m in enumerate("ab")
        for t in range(9)
    ),
    "curve.csv": "n_classes,accuracy\n10,.9\n100,.7\n1000,.5\n",
    "counts.csv": "successes,trials\n1,10\n5,10\n",
    "samples.jsonl": '{"task_id": 0, "passed": true}\n{"task_id": 1, "passed": false}\n',
    "lists.csv": "search,candidate,score,label\n"
    + "".join(
        f"{i},c{c},{row[c]},{f'c{i}' if i < 20 else ''}\n"
        for i, row in enumerate(np.vstack([TEST, TEST[:10]]) @ GALLERY.T)
        for c in np.argsort(-row)
    ),
    "searches.csv": table(np.vstack([TEST, TEST[:10]]) @ GALLERY.T, [*LABELS, *range(90, 100)]),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the page names."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_entry_has_a_call_and_most_have_a_command():
    assert len(ENTRIES) >= 20
    assert [title for title, text in ENTRIES.items() if not blocks("python", text)] == []
    assert sum(bool(blocks("console", text)) for text in ENTRIES.values()) > 0.75 * len(ENTRIES)
    narrow = [text for title, text in ENTRIES.items() if title != "A classifier of scikit-learn"]
    blocks_of = [*blocks("python", "".join(narrow)), *blocks("console")]
    lines = [line for block in blocks_of for line in block.splitlines()]
    assert [line for line in lines if len(line) > WIDEST] == []


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("title", [title for title in ENTRIES if title not in APART])
@pytest.mark.usefixtures("folder")
def test_every_call_runs(title):
    names = dict(DATA)
    for block in blocks("python", ENTRIES[title]):
        *before, last = ast.parse(block).body
        exec(compile(ast.Module(before, []), "what_you_have.md", "exec"), names)
        assert isinstance(last, ast.Expr | ast.Assign)
        assert eval(compile(ast.Expression(last.value), "what_you_have.md", "eval"), names) is not None


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("folder")
def test_every_command_runs(command, capsys):
    program, *arguments = shlex.split(command)
    assert program == "classex"
    assert main(arguments) == 0
    assert len(capsys.readouterr().out) > 20


@pytest.mark.filterwarnings("ignore:standard errors over only 3 clusters")
def test_the_recipe_for_clusters():
    """Each of its results is over the three families."""
    (block,) = blocks("python", ENTRIES["Classes in clusters"])
    scores, labels = np.random.default_rng(0).normal(size=(12, 6)), np.arange(12) % 6
    names = {"cx": cx, "scores": scores, "labels": labels}
    exec(compile(block, "what_you_have.md", "exec"), names)
    assert names["result"].estimator.ranks_.n_units == names["curve"].n_units == 3


def test_the_recipes_for_scikit_learn(capsys):
    """Cross-validated scores, and a scorer; each model is scored on what it has not seen."""
    recipes = blocks("python", ENTRIES["A classifier of scikit-learn"])
    assert len(recipes) == 2
    names = {"cx": cx}
    for block in recipes:
        exec(compile(block, "what_you_have.md", "exec"), names)
    assert capsys.readouterr().out.startswith("With 10 classes and 1,797 test points")
    found = names["cross_val_score"](names["model"], names["X"], names["y"], scoring=names["accuracy_with_100"])
    assert ((found > 0.5) & (found < 1)).all()


def test_no_other_page_sends_the_reader_on():
    """Which data need which call is said here; other pages link to it."""
    others = [*BOOK.glob("*.md"), *(BOOK.parent / "notebooks").glob("*.md")]
    tables = [path.name for path in others if re.search(r"^\| [Yy]ou have \|", path.read_text("utf-8"), re.MULTILINE)]
    assert tables == []
    linking = [path.stem for path in others if "{ref}`what-you-have`" in path.read_text("utf-8")]
    assert {"first_use", "how_to_use", "which_method", "one_function", "api", "intro"} <= set(linking)
