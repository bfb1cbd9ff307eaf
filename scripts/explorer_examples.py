"""Write the examples of the explorer (Telugu glyphs, as wins and as scores that tie) and of the first page (words).

Run as ``python scripts/explorer_examples.py`` from the root of the sources.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import classex as cx
from classex_book.case import words_case
from classex_book.data import glyph_scores, load_telugu

OUT = Path(__file__).parents[1] / "book" / "_static" / "explorer" / "examples.js"
N_WINS, N_SCORES = 100, 40  # classes of the two examples


def examples() -> dict[str, dict[str, object]]:
    """Wins of a marginal classifier, three test images a class; counts of nearest neighbours, two images a class."""
    glyphs = load_telugu()
    scores, labels = glyph_scores("nearest centroid", glyphs, N_WINS)
    rows = first_of_each_class(labels, 3)
    wins = cx.correct_ranks(scores[rows], labels[rows]).wins
    lines = ["label,wins", *(f"{label},{win}" for label, win in zip(labels[rows], wins, strict=True))]
    counts, labels = glyph_scores("eps-nearest neighbours", glyphs, N_SCORES)
    rows = first_of_each_class(labels, 2)
    table = [["label", *(f"c{c}" for c in range(N_SCORES))]]
    table += [[str(labels[row]), *(f"{count:g}" for count in counts[row])] for row in rows]
    return {
        "wins": {"kind": "wins", "nClasses": N_WINS, "text": "\n".join(lines)},
        "scores": {"kind": "scores", "nClasses": N_SCORES, "text": "\n".join(",".join(row) for row in table)},
        "words": running_case(),
    }


def running_case() -> dict[str, object]:
    """Wins of the 500 words that chapters 1 to 4 follow, and the true average accuracy from there to all words."""
    case = words_case()
    wins = "\n".join(["wins", *(f"{win}" for win in case.ranks.wins)])
    truth = [
        [int(k), round(float(accuracy), 4)]
        for k, accuracy in zip(case.n_classes, case.accuracy, strict=True)
        if k >= case.ranks.n_classes
    ]
    return {"kind": "wins", "nClasses": case.ranks.n_classes, "text": wins, "truth": truth}


def first_of_each_class(labels: np.ndarray, count: int) -> np.ndarray:
    """Rows of the first `count` test points of every class, class by class."""
    return np.concatenate([np.flatnonzero(labels == c)[:count] for c in range(labels.max() + 1)])


def as_script(data: dict[str, dict[str, object]]) -> str:
    """Return the text of the script."""
    return (
        "// Written by scripts/explorer_examples.py: test results on Telugu glyphs and on words.\n"
        f"window.classexExplorer.examples = {json.dumps(data)};\n"
    )


if __name__ == "__main__":
    OUT.write_text(as_script(examples()), encoding="utf-8")
