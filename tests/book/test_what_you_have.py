"""The page that says what to call for what data, and the recipes for scikit-learn: every call and command runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex.cli import main

BOOK = Path(__file__).parents[2] / "book"
ROWS = [
    [cell.strip().strip("`") for cell in line.strip("|").split("|")]
    for line in (BOOK / "what_you_have.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and "`" in line
]
RNG = np.random.default_rng(0)
LABELS = np.arange(20)
GALLERY = RNG.normal(size=(20, 6))
TEST = GALLERY + 0.6 * RNG.normal(size=(20, 6))
PEOPLE, OWNERS = np.concatenate([TEST, GALLERY]), np.tile(LABELS, 2)
MASK = np.roll(np.eye(20, dtype=bool), 3, axis=1)
DATA = {
    "cx": cx,
    "K": 1000,
    "k": 20,
    "scores": TEST @ GALLERY.T,
    "labels": LABELS,
    "test": TEST,
    "references": GALLERY,
    "people": PEOPLE,
    "owners": OWNERS,
    "mask": MASK,
    "rank": RNG.integers(1, 6, 20),
    "M": [[20, 3], [4, 30]],
    "y_true": [0, 1, 1, 0],
    "y_pred": [0, 1, 0, 0],
    "successes": [1, 5],
    "trials": [10, 10],
    "run": {query: {f"d{d}": -float(d) for d in range(q, 150)} for q, query in enumerate("abcdef")},
    "qrels": {query: {"d4": 1, "d9": 2} for query in "abcdef"},
    "genuine": [0.9, 0.4],
    "impostor": [0.5, 0.1, 0.2],
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
    "masked.csv": table(np.where(MASK, -np.inf, TEST @ GALLERY.T)),
    "labels.csv": "y_true,y_pred\na,a\nb,b\nb,a\n",
    "sampled.txt": "".join(f"q{q} Q0 d{d} {d - q + 1} {-d} x\n" for q in range(6) for d in range(q, 101)),
    "run.txt": "".join(f"q{q} Q0 d{d} {d - q + 1} {-d} x\n" for q in range(6) for d in range(q, 150)),
    "qrels.txt": "".join(f"q{q} 0 d{d} 1\n" for q in range(6) for d in (4, 9)),
    "ranks.csv": "user,rank\n" + "".join(f"u{i},{1 + i % 6}\n" for i in range(20)),
    "nist.csv": "algorithm,N=1M,N=10M\na,0.02,0.03\nb,0.05,0.06\n",
    "choice.jsonl": "".join(
        f'{{"target": "{i % 4}", "filtered_resps": [["-1.{i}"], ["-2.5"], ["-3.{i}"], ["-9"]]}}\n' for i in range(20)
    ),
    "pairs.csv": "genuine,score\n1,.9\n1,.4\n0,.5\n0,.1\n0,.2\n",
    "models.jsonl": "".join(
        f'{{"task_id": {t}, "model": "{m}", "passed": {str(t % 3 > n).lower()}}}\n'
        for n, m in enumerate("ab")
        for t in range(9)
    ),
    "counts.csv": "successes,trials\n1,10\n5,10\n",
    "samples.jsonl": '{"task_id": 0, "passed": true}\n{"task_id": 1, "passed": false}\n',
    "searches.csv": table(np.vstack([TEST, TEST[:10]]) @ GALLERY.T, [*LABELS, *range(90, 100)]),
}


def test_the_table_is_read():
    assert len(ROWS) >= 10
    assert all(len(row) == 4 and (row[2] or row[3]) for row in ROWS)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("call", [row[2] for row in ROWS if row[2]])
def test_every_call_runs(call):
    assert eval(call.replace("\\", ""), dict(DATA)) is not None


@pytest.mark.parametrize("command", [row[3] for row in ROWS if row[3]])
def test_every_command_runs(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    program, *arguments = shlex.split(command.replace(" K", " 1000"))
    assert program == "classex"
    assert main(arguments) == 0
    assert len(capsys.readouterr().out) > 20


@pytest.mark.filterwarnings("ignore:standard errors over only 3 clusters")
def test_the_recipe_for_clusters():
    """Each of its results is over the three families."""
    text = (BOOK / "how_to_use.md").read_text(encoding="utf-8")
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "clusters=" in block]
    scores, labels = np.random.default_rng(0).normal(size=(12, 6)), np.arange(12) % 6
    names = {"cx": cx, "scores": scores, "labels": labels, "ranks": cx.correct_ranks(scores, labels)}
    exec(compile(block, "how_to_use.md", "exec"), names)
    assert names["result"].estimator.ranks_.n_units == names["curve"].n_units == 3
    assert names["information"].n_classes == 6


def test_the_recipes_for_scikit_learn(capsys):
    """Cross-validated scores, and a scorer; each model is scored on what it has not seen."""
    text = (BOOK / "how_to_use.md").read_text(encoding="utf-8")
    blocks = [
        block
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        if "model" in block and "torch" not in block
    ]
    assert len(blocks) == 2
    names = {"cx": cx}
    for block in blocks:
        exec(compile(block, "how_to_use.md", "exec"), names)
    assert capsys.readouterr().out.startswith("With 10 classes and 1,797 test points")
    found = names["cross_val_score"](names["model"], names["X"], names["y"], scoring=names["accuracy_with_100"])
    assert ((found > 0.5) & (found < 1)).all()


def test_all_formats_are_listed():
    page = (BOOK / "what_you_have.md").read_text(encoding="utf-8")
    assert all(f"`{one.name}`" in page for one in cx.io.FORMATS)
