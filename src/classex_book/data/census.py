"""Census: what other people may know about each of 149,642 people asked in the United States in March 1995."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["CensusPeople", "load_census"]

DESCRIPTION = """Census
======
Fourteen attributes of the 149,642 people in the March 1995 Current Population Survey of the US Census Bureau, as
published in the Census-Income (KDD) table of the UCI repository: five that an acquaintance knows, five more that a
colleague knows, and four more that a relative knows. Ages from 90 on are coded as 90, and "?" is an unknown country.

Each attribute is stored as the number of its value. The rows are sorted. They carry no survey weights, so shares
describe the table and not the country. The survey draws households, so relatives are in the table together. The licence
and the origin are in CENSUS-LICENSE.md beside the data.
"""


@dataclass(frozen=True)
class CensusPeople:
    """Attributes of people, in coded form.

    Attributes
    ----------
    codes : ndarray of uint8 of shape (149642, 14)
        Number of each person's value of each attribute. An acquaintance knows the first 5 attributes, a colleague the
        first 10, and a relative all 14.
    attributes : tuple of str
        Names of the attributes.
    values : tuple of tuple of str
        The values of each attribute, in the order of their numbers.
    DESCR : str
        What the data are and how they were made.

    Examples
    --------
    >>> from classex_book.data import load_census
    >>> census = load_census()
    >>> census.words(126_435)[:5]
    ('Male', 'White', 'All other', 'Never married', '11')
    """

    codes: NDArray[np.uint8]
    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    DESCR: str = field(default=DESCRIPTION, repr=False)

    def words(self, person: int) -> tuple[str, ...]:
        """Return the attributes of one row in words."""
        return tuple(values[code] for values, code in zip(self.values, self.codes[person], strict=True))


def load_census() -> CensusPeople:
    """Load the people of the census table that comes with the package.

    Returns
    -------
    CensusPeople
        Coded attributes and their names.

    Notes
    -----
    Made by the script ``scripts/build_census.py``.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.data import load_census
    >>> known = load_census().codes[:, :5]
    >>> len(known), len(np.unique(known, axis=0))
    (149642, 7410)
    """
    with (files(__package__) / "census.npz").open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        values = json.loads(stored["about"].tobytes())["values"]
        codes = np.ascontiguousarray(stored["codes"].T)
    return CensusPeople(codes, tuple(values), tuple(tuple(texts) for texts in values.values()))
