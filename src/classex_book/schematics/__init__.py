"""The ideas of the book as small drawings, made by code: ``schematic("sampling")`` shows one.

Each is a function that draws into one set of axes without frame, in the unit of a box 10 wide, with a description in
words. They use the colours of `classex_book.figures`: blue for what was observed or trained, orange for the rest, green
for the truth.
"""

from __future__ import annotations

from classex_book.figures import Drawing
from classex_book.schematics import classification, information  # noqa: F401  (register their drawings)
from classex_book.schematics._drawing import SCHEMATICS, Schematic

__all__ = ["SCHEMATICS", "Schematic", "schematic"]


def schematic(name: str) -> Drawing:
    """A drawing by name, shown as the result of a cell.

    Parameters
    ----------
    name : str
        One of ``SCHEMATICS``.

    Returns
    -------
    Drawing

    Raises
    ------
    ValueError
        If there is no such drawing.

    Examples
    --------
    >>> from classex_book.schematics import schematic
    >>> [picture.theme for picture in schematic("sampling").pictures]
    ['light', 'dark']
    """
    if name not in SCHEMATICS:
        raise ValueError(f"name must be one of {sorted(SCHEMATICS)}, not {name!r}")
    return SCHEMATICS[name].drawn()
