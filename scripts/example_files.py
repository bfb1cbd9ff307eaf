"""Write the files of `classex example`: tests on Telugu syllables, and simulated attempts and people.

Run as ``python scripts/example_files.py`` from the root of the sources.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import classex as cx
from classex_book.data import glyph_scores, load_telugu

FOLDER = Path(__file__).parents[1] / "src" / "classex" / "io" / "examples"
N_CLASSES, N_REPEATS = 60, 3  # classes of a test, and images of each
N_ENROLLED = 40  # of sixty syllables, in the example of searches
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
    found["all-syllables.csv"] = "\n".join(["label,rank", *ranked]) + "\n"
    return {**found, **of_syllables(found["syllables.csv"]), **simulated()}


def of_syllables(text: str) -> dict[str, str]:
    """The best syllable of each image, and searches among the first forty: those for the others are non-mated."""
    header, *rows = (line.split(",") for line in text.split())
    best = [f"{row[0]},{header[1 + int(np.argmax(np.array(row[1:], float)))]}" for row in rows]
    searches = [",".join(row[: 1 + N_ENROLLED]) for row in (header, *rows)]
    return {
        "predictions.csv": "\n".join(["y_true,y_pred", *best]) + "\n",
        "searches.csv": "\n".join(searches) + "\n",
    }


def simulated() -> dict[str, str]:
    """Ten attempts at each of sixty problems, whose chances are Beta(.4, 1), and five hundred people of ten towns."""
    rng = np.random.default_rng(0)
    passed = rng.random((60, 10)) < rng.beta(0.4, 1.0, 60)[:, np.newaxis]
    attempts = [f"p{i},{int(one)}" for i, row in enumerate(passed, 1) for one in row]
    town = rng.choice(10, 500, p=np.arange(10, 0, -1) / 55)
    people = zip(rng.integers(18, 90, 500), rng.choice(["f", "m"], 500), town, strict=True)
    return {
        "attempts.csv": "\n".join(["task_id,passed", *attempts]) + "\n",
        "people.csv": "\n".join(["age,sex,town", *(f"{age},{sex},town {name}" for age, sex, name in people)]) + "\n",
    }


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
