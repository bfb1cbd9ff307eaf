"""How hard each exercise is, and how long it takes: difficulty 1 to 3, which is also its points, and minutes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Effort", "effort"]


@dataclass(frozen=True)
class Effort:
    """What an exercise asks of a student.

    Attributes
    ----------
    difficulty : int
        1 applies a formula, 2 combines two ideas or wants a function, 3 wants an idea or a study of one's own.
    minutes : int
        Time for a student who has read the chapter.
    """

    difficulty: int
    minutes: int

    @property
    def points(self) -> int:
        """Points of a solved exercise: its difficulty."""
        return self.difficulty


# chapter -> exercise -> (difficulty, minutes)
_TABLE = {
    "ch1": {
        "wins": (1, 10),
        "ties": (1, 10),
        "three-points": (2, 15),
        "budget": (2, 15),
        "copies": (2, 20),
        "every-subset": (2, 20),
        "marginal": (2, 25),
        "most-codewords": (2, 20),
        "circle": (2, 25),
        "crossing": (2, 20),
        "own-data": (3, 60),
    },
    "ch2": {
        "boxes": (1, 10),
        "unmistakable": (2, 20),
        "price": (2, 15),
        "budget": (1, 15),
        "coverage": (1, 15),
        "enumerate": (2, 20),
        "winner": (2, 20),
        "restless": (3, 30),
        "own-bound": (3, 45),
    },
    "ch3": {
        "two-kinds": (1, 10),
        "power": (1, 15),
        "room": (3, 30),
        "unbiased-power": (1, 10),
        "line": (2, 20),
        "top": (1, 10),
        "toy-d": (2, 15),
        "likelihood": (2, 20),
        "expected-powers": (1, 10),
        "thousand": (2, 25),
        "apart": (3, 30),
    },
    "ch4": {
        "short-list": (1, 10),
        "two-classes": (1, 15),
        "faint": (2, 20),
        "lottery": (2, 15),
        "ceiling": (3, 30),
        "functionals": (2, 25),
        "proof": (2, 20),
        "nearly-extremal": (3, 40),
        "guessing": (2, 25),
        "own-proof": (3, 45),
    },
    "ch5": {
        "two-candidates": (1, 10),
        "five-numbers": (2, 15),
        "tilt": (2, 15),
        "curve": (2, 25),
        "channels": (2, 15),
        "implied": (2, 20),
        "whiten": (2, 20),
        "easy-and-hard": (3, 40),
        "two-points": (2, 20),
    },
    "ch6": {
        "screening": (1, 10),
        "constants": (1, 10),
        "cost": (1, 10),
        "normal": (2, 15),
        "hundred": (1, 10),
        "folds": (1, 10),
        "advantage": (2, 20),
        "kappa": (2, 20),
        "above": (2, 20),
        "blind-entropy": (2, 20),
    },
}


def effort(name: str) -> Effort:
    """Say how hard an exercise is and how long it takes.

    Parameters
    ----------
    name : str
        Label of the exercise, such as ``"exr-ch1-wins"``.

    Raises
    ------
    ValueError
        If there is no such exercise.

    Examples
    --------
    >>> from classex_book.course.effort import effort
    >>> effort("exr-ch3-room")
    Effort(difficulty=3, minutes=30)
    """
    chapter, _, exercise = name.removeprefix("exr-").partition("-")
    try:
        return Effort(*_TABLE[chapter][exercise])
    except KeyError:
        raise ValueError(f"name must be the label of an exercise, such as 'exr-ch1-wins', not {name!r}") from None
