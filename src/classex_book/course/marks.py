"""Marks of a returned notebook."""

from __future__ import annotations

from dataclasses import dataclass

from classex_book.course.exercises import exercise


def printable(text: str) -> str:
    r"""Return a text in which nothing commands a terminal: escapes and marks of direction are shown as such.

    Examples
    --------
    >>> from classex_book.course.marks import printable
    >>> print(printable("Zo\u00eb\x1b[2K"))
    Zoë\x1b[2K
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


@dataclass(frozen=True)
class Mark:
    """Whether an exercise of a returned notebook was solved.

    Attributes
    ----------
    exercise : str
        Label of the exercise.
    passed : bool
        Whether the checker accepted the answer.
    message : str
        Why not, in the checker's words; empty if it did. Of a question that is marked by hand, the answer.
    share : float, optional
        Share of the points that is won: by default all or nothing. None if it is still to be marked by hand.
    of : int
        Points of a question that is marked by hand; 0 if it is an exercise of the book.

    Examples
    --------
    >>> from classex_book import Mark
    >>> mark = Mark("exr-ch1-wins", passed=True, message="")
    >>> (
    ...     mark.points == mark.worth,
    ...     Mark("exr-ch1-wins", False, "there is no answer yet").points,
    ... )
    (True, 0.0)
    """

    exercise: str
    passed: bool
    message: str
    share: float | None = 0.0
    of: int = 0

    @property
    def worth(self) -> int:
        """Points of the exercise."""
        return self.of or exercise(self.exercise).points

    @property
    def points(self) -> float:
        """Points won, to two decimals."""
        return self.worth if self.passed else round(self.worth * (self.share or 0.0), 2)


@dataclass(frozen=True)
class MarkedNotebook:
    """A returned notebook with its marks.

    Attributes
    ----------
    file : str
        Its path.
    student : str
        Whose it is, by the name of the folder or file.
    marks : tuple of Mark
        One for each exercise of its chapters; empty if it could not be marked.
    error : str
        Why it could not be marked, or nothing.
    late : bool
        Whether it was returned after the deadline.
    version : str
        Changes with the file and with what it was marked for.

    Examples
    --------
    >>> from classex_book.course.marks import Mark, MarkedNotebook
    >>> marks = (
    ...     Mark("exr-ch1-wins", True, ""),
    ...     Mark("exr-ch1-ties", False, "there is no answer yet"),
    ... )
    >>> marked = MarkedNotebook("ada/ch1.ipynb", "ada", marks)
    >>> (
    ...     marked.points == marks[0].worth,
    ...     marked.worth == marks[0].worth + marks[1].worth,
    ... )
    (True, True)
    """

    file: str
    student: str
    marks: tuple[Mark, ...]
    error: str = ""
    late: bool = False
    version: str = ""

    @property
    def chapters(self) -> set[str]:
        """Chapters of its exercises."""
        return {mark.exercise.split("-")[1] for mark in self.marks}

    @property
    def points(self) -> float:
        """Points won."""
        return round(sum(mark.points for mark in self.marks), 2)

    @property
    def worth(self) -> int:
        """Points of all its exercises."""
        return sum(mark.worth for mark in self.marks)
