"""What is in a file: what a row is, which columns are used, the commands that fit; and files to try them on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classex._checks import listed, one_of
from classex.io.archives import File, read_file
from classex.io.formats import FORMATS, load_attempts, load_pairs, load_ranks, load_scores, load_searches, load_trec
from classex.io.summaries import load_cells, load_curve
from classex.io.tables import Head, read_table

__all__ = ["Contents", "example_file", "look"]


@dataclass(frozen=True)
class Contents:
    r"""What a file holds, by one reading of it.

    Attributes
    ----------
    kind : str
        Name of the format, or of the command that takes the file.
    ledger : str
        What a row is, and what is left out; or why this reading fails.
    columns : list of str
        Names of the columns, arrays or entries.
    commands : list of str
        Commands that take the file; none if this reading fails.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.io import look
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "counts.csv"
    ...     _ = file.write_text("problem,successes,trials\na,1,4\nb,0,4\n")
    ...     found = look(file)[0]
    >>> found.kind, found.ledger
    ('counts', '2 problems, 4 attempts each, from successes and trials (format counts)')
    """

    kind: str
    ledger: str
    columns: list[str]
    commands: list[str]

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.ledger}", f"  columns: {listed(self.columns)}"]
        return "\n".join([*lines, *(f"  {command}" for command in self.commands)])


def _predictions(file: File) -> None:
    """Count the rows of a table of predictions."""
    file.note(f"{len(read_table(file, 'y_true', 'y_pred').places)} predictions")


# how a file of a kind is read, and the commands that take it
_KINDS: dict[str, tuple[Callable[[File], Any], tuple[str, ...]]] = {
    "attempts": (load_attempts, ("pass-at-k {file} --to 1 10 100",)),
    "scores": (load_scores, ("extrapolate {file} --to {more}", "bound {file}")),
    "searches": (load_searches, ("open-set {file} --fpir 0.01 --to {more}",)),
    "pairs": (load_pairs, ("open-set {file} --eer",)),
    "ranks": (load_ranks, ("extrapolate {file} --among K --to {more}",)),
    "run": (load_trec, ("extrapolate {file} --qrels QRELS --corpus N --metric recall@10 --to K",)),
    "qrels": (load_trec, ("extrapolate RUN --qrels {file} --corpus N --metric recall@10 --to K",)),
    "curve": (load_curve, ("extrapolate --curve {file} --points N --to K",)),
    "predictions": (_predictions, ("advantage {file}",)),
    "people": (load_cells, ("unique {file} --to N",)),
}


def _kinds(head: Head) -> Iterator[tuple[str, str]]:
    """Names and kinds of the readings of a file; a matrix of outcomes, or people, only where there is no other."""
    found = [(form.name, form.of[0]) for form in FORMATS if form.name != "matrix" and form.fits(head)]
    found += [("curve", "curve")] * all(head.called("n_classes", "accuracy"))
    found += [("predictions", "predictions")] * head.has("y_true", "y_pred")
    yield from found
    if not found:
        yield from (("matrix", "attempts"), ("people", "people"))


def look(path: File | str | Path) -> list[Contents]:
    r"""Say what a file holds: what a row is, the columns, and the commands that take it.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    list of Contents
        One for each reading that succeeds or, if none does, for each that fails. A matrix of outcomes, and people, are
        tried where the columns have no other meaning.

    Raises
    ------
    ValueError
        If the file is damaged, or is no table, archive or JSON.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.io import look
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "curve.csv"
    ...     _ = file.write_text("k,acc\n10,91%\n100,74%\n")
    ...     [(found.kind, found.ledger) for found in look(file)]
    [('curve', '2 accuracies with 10 to 100 classes')]
    """
    file = read_file(path)
    head = Head(file)
    found = [_read(name, kind, file, head.names) for name, kind in _kinds(head)]
    return [one for one in found if one.commands] or found


def _read(name: str, kind: str, file: File, columns: list[str]) -> Contents:
    """Read a file as one kind, and say what came of it."""
    own, (read, commands), more = File(file.name, file.source), _KINDS[kind], "K"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = read(own)
            n = found.scores.shape[1] if hasattr(found, "scores") else int(max(getattr(found, "ranks", [0])))
            more = f"{10 * n} {100 * n}" if n else more
            said = [*own.notes, *(str(one.message) for one in caught)]
        except (ValueError, TypeError) as error:
            said, commands = [str(error).removeprefix(f"{file.name}: ")], ()
    lines = [f"classex {command.format(file=file.name, more=more)}" for command in commands]
    return Contents(name, "; ".join(said), columns, lines)


#: files that the library's own wheel contains, for a first use
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
