"""The students of a course, from the list that a learning platform exports."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # columns that its gradebook begins with
_NAME = re.compile(r"student|(?!.*\b(?:user|log|file)\b).*\b(?:sur|full|first|last)?name\b.*|surname", re.IGNORECASE)
_IDENTITY = re.compile(r".*\b(?:id|identifier|number|matric\w*|e-?mail|user ?name|login)\b.*", re.IGNORECASE)


@dataclass(frozen=True)
class Roster:
    """Students, a row for each under the columns of the file.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        The entries.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def find(self, name: str, numbers: Sequence[str]) -> int:
        """Return the row of the student with this name, or one of these numbers.

        Raises
        ------
        ValueError
            If no row, or more than one, fits.
        """
        named = {i for i in range(len(self.rows)) if letters(name) in self._names(i)}
        known = {i for i in range(len(self.rows)) if {one.casefold() for one in numbers if one} & self._identities(i)}
        fitting = named & known or named or known
        if len(fitting) == 1:
            return fitting.pop()
        what = f"{name!r} with the numbers {', '.join(filter(None, numbers)) or 'none'}"
        raise ValueError(f"{what} fits {'no row' if not fitting else f'{len(fitting)} rows'} of the roster")

    def student(self, row: int) -> str:
        """Name of a student, with an identity if others have the same name."""
        names = [self._shown(i) for i in range(len(self.rows))]
        alike = names.count(names[row]) > 1
        return f"{names[row]}_{min(sorted(self._identities(row)), key=len)}" if alike else names[row]

    def _parts(self, row: int, kind: re.Pattern[str]) -> list[str]:
        return [value for title, value in zip(self.columns, self.rows[row], strict=True) if kind.fullmatch(title)]

    def _shown(self, row: int) -> str:
        return " ".join(self._parts(row, _NAME)).strip()

    def _names(self, row: int) -> set[str]:
        """The name without spaces and accents, in both orders."""
        words = re.split(r",\s*", self._shown(row)) if "," in self._shown(row) else self._parts(row, _NAME)
        return {letters("".join(words)), letters("".join(reversed(words)))} - {""}

    def _identities(self, row: int) -> set[str]:
        """Numbers and addresses; of Moodle's "Participant 12345" the number."""
        return {value.split()[-1].casefold() for value in self._parts(row, _IDENTITY) if value.strip()}


def read_roster(path: str | Path) -> Roster:
    r"""Read a list of students: a file (CSV) with columns for the name and for at least one number or address.

    Raises
    ------
    ValueError
        If a column lacks, or a student has neither a number nor an address, or two students have the same.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex_book.course.roster import read_roster
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "students.csv"
    ...     _ = file.write_text(
    ...         "name,e-mail,id\nLi Wei,li@x.org,101\nLi Wei,wei@x.org,102\n"
    ...     )
    ...     roster = read_roster(file)
    >>> roster.find("Li Wei", ["102"])
    1
    """
    text = Path(path).read_bytes().decode("utf-8-sig")
    lines = list(csv.reader(text.splitlines(), delimiter=max(",;\t", key=text.partition("\n")[0].count)))
    titles, *rows = lines or [[]]
    rows = [row for row in rows if any(row) and row[0].strip() != "Points Possible"]
    width = len(titles)
    roster = Roster(tuple(titles), tuple(tuple([*row, *[""] * width][:width]) for row in rows))
    for kind, what in ((_NAME, "the name"), (_IDENTITY, "a number or an e-mail address")):
        if not any(map(kind.fullmatch, titles)):
            raise ValueError(f"{path} must have a column for {what} of each student, not only {', '.join(titles)}")
    for i in range(len(rows)):
        if not roster._identities(i):
            raise ValueError(f"{path} has no number and no address of {roster._shown(i)}")
    for title, values in zip(titles, zip(*roster.rows, strict=True), strict=False):
        twice = [one for one in values if one.strip() and values.count(one) > 1]
        if twice and _IDENTITY.fullmatch(title):
            raise ValueError(f"{path} has {twice[0]!r} twice in the column {title}")
    return roster


def letters(name: str) -> str:
    """Return the letters of a name, without accents."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in plain if letter.isalpha())
