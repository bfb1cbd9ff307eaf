"""Files that the library's own wheel contains, for a first use."""

from __future__ import annotations

from pathlib import Path

from classex._checks import one_of

__all__ = ["example_file"]

EXAMPLE_FILES = (
    "syllables.csv",
    "easy-syllables.csv",
    "all-syllables.csv",
    "predictions.csv",
    "searches.csv",
    "attempts.csv",
    "people.csv",
)


def example_file(name: str = "syllables.csv") -> Path:
    """Return the path of a small file to try the library on.

    A classifier of printed Telugu syllables (`classex_book.data.load_telugu`), the nearest centroid, was tested on two
    random sets of sixty syllables, with three images of each. It was also tested on all 468, with fifty images of each,
    so that predictions can be compared with the truth.

    Parameters
    ----------
    name : str
        ``"syllables.csv"`` and ``"easy-syllables.csv"`` contain the scores of a set of sixty, to one digit after the
        point; ``"all-syllables.csv"`` contains the rank of the correct syllable among all 468, ``"predictions.csv"``
        the best of sixty for each image of the first file, and ``"searches.csv"`` its scores for the first forty, as
        if the other twenty were not enrolled. ``"attempts.csv"`` and ``"people.csv"`` are simulated: ten attempts at
        each of 60 problems, and 500 people with their ages, sexes and towns.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If there is no file of this name.

    Examples
    --------
    >>> import classex as cx
    >>> scores, labels, classes = cx.load_scores(cx.io.example_file())
    >>> scores.shape, len(classes), str(labels[0])
    ((180, 60), 60, 'thō')
    """
    return Path(__file__).with_name("examples") / str(one_of(name, "name", EXAMPLE_FILES))
