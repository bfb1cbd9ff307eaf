"""Write the files of the page *First use*: two tests on sixty Telugu syllables, and the ranks among all 468.

Run as ``python scripts/example_files.py`` from the root of the sources.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import classex as cx
from classex_book.data import glyph_scores, load_telugu

FOLDER = Path(__file__).parents[1] / "src" / "classex" / "io" / "examples"
N_CLASSES, N_REPEATS = 60, 3  # classes of a test, and images of each
# Of the seven disjoint sets of sixty, in the random order of the syllables: the interval for 468 syllables covers the
# truth in the third set and, of all seven, misses it in the second alone.
SETS = {"syllables.csv": 2, "easy-syllables.csv": 1}


def texts() -> dict[str, str]:
    """The text of each file, by its name."""
    glyphs = load_telugu()
    scores, labels = glyph_scores("nearest centroid", glyphs, glyphs.n_classes)
    names = np.array(glyphs.transliterations)
    first = np.concatenate([np.flatnonzero(labels == c)[:N_REPEATS] for c in range(glyphs.n_classes)])
    found = {}
    for file, number in SETS.items():
        drawn = np.arange(number * N_CLASSES, (number + 1) * N_CLASSES)
        rows = first[np.isin(labels[first], drawn)]
        lines = [",".join(["label", *names[drawn]])]
        # one digit is enough: the scores have a standard deviation of 1.2
        lines += [",".join([names[labels[row]], *(f"{score:.1f}" for score in scores[row, drawn])]) for row in rows]
        found[file] = "\n".join(lines) + "\n"
    ranks = glyphs.n_classes - cx.correct_ranks(scores, labels).wins
    ranked = (f"{names[labels[row]]},{ranks[row]}" for row in range(len(labels)))
    return {**found, "all-syllables.csv": "\n".join(["label,rank", *ranked]) + "\n"}


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
