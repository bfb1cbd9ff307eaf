"""Names: languages, places, scripts and currencies under their English name and in a few hundred other languages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._extras import needed_for
from classex._validation import as_positive_int

__all__ = ["Names", "load_names"]

_KINDS = ("languages", "territories", "scripts", "currencies", "variants")
_CITIES = "cities"
_SEED = 20260419

DESCRIPTION = """Names
=====
What is called Germany in English is called Duitsland, Alemanya, Ujerumani, Německo elsewhere. A class is an English
name in the Common Locale Data Repository of the Unicode Consortium: a language, a territory, a script, a currency, a
variant of a language, or the city that stands for a time zone. Its other names are the names of the same thing in the
other languages of the repository that use Latin letters; each is counted once, without regard to capitals, and names
that equal the English one are left out. The task: which English name does this foreign name belong to?

Two things of the same English name (the Greek language, the Greek script) are one class. The classes come in a fixed
random order, and so do the names of a class.

The names are read from the `babel` package, which ships the repository's data; nothing of them is stored here, and
another version of `babel` holds other names. The repository is copyright 1991 and later by Unicode, Inc., under the
Unicode Licence v3; `babel` itself is under the BSD 3-clause licence.
"""


@dataclass(frozen=True)
class Names:
    """English names and their counterparts in other languages.

    Attributes
    ----------
    references : tuple of str
        The classes: English names, in small letters.
    names : tuple of str
        Names in other languages, in small letters, those of class 0 first.
    labels : ndarray of int64 of shape (n_names,)
        Class of each name.
    kinds : tuple of str
        Kind of thing that each class is.
    version : str
        Version of `babel` that the names were read from.
    DESCR : str
        What the data are, where they are from, and their licence.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.datasets import Names
    >>> names = Names(
    ...     ("germany",),
    ...     ("alemanya", "duitsland"),
    ...     np.array([0, 0]),
    ...     ("countries",),
    ...     version="2.17",
    ... )
    >>> names.n_classes, names.references[names.labels[1]], names.names[1]
    (1, 'germany', 'duitsland')
    """

    references: tuple[str, ...]
    names: tuple[str, ...]
    labels: NDArray[np.int64]
    kinds: tuple[str, ...]
    version: str
    DESCR: str = field(default=DESCRIPTION, repr=False)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.references)


def load_names(*, at_least: int = 20) -> Names:
    """Read the names of the Common Locale Data Repository from the `babel` package.

    Parameters
    ----------
    at_least : int
        Classes with fewer names in other languages are left out.

    Returns
    -------
    Names
        English names, their counterparts, and which belongs to which.

    Raises
    ------
    ImportError
        If `babel` is not installed. It comes with the book's requirements, not with the library.
    TypeError, ValueError
        If `at_least` is not a positive integer, or no two classes have so many names.

    Examples
    --------
    >>> from classex.datasets import load_names
    >>> names = load_names()
    >>> names.n_classes > 1_300, bool(np.bincount(names.labels).min() >= 20)
    (True, True)
    >>> germany = names.references.index("germany")
    >>> {"duitsland", "alemanya", "ujerumani"} <= {
    ...     names.names[i] for i in np.flatnonzero(names.labels == germany)
    ... }
    True
    """
    with needed_for("load_names"):
        import babel

    fewest = as_positive_int(at_least, "at_least")
    entities, found = _read()
    kept = sorted(name for name, others in found.items() if len(others) >= fewest)
    if len(kept) < 2:
        raise ValueError(f"at_least must leave two classes, but {len(kept)} have {fewest} names")
    rng = np.random.default_rng(_SEED)
    order = [kept[place] for place in rng.permutation(len(kept))]
    others = [[names[place] for place in rng.permutation(len(names))] for names in (found[n] for n in order)]
    kind_of = {name: key[0] for key, name in reversed(entities.items())}
    return Names(
        tuple(order),
        tuple(name for names in others for name in names),
        np.repeat(np.arange(len(order)), [len(names) for names in others]),
        tuple(kind_of[name] for name in order),
        babel.__version__,
    )


@cache
def _read() -> tuple[dict[tuple[str, str], str], dict[str, list[str]]]:
    """Return the English name of every entity, and the other names of every English one: seconds, so once a process."""
    entities = _english()
    found: dict[str, set[str]] = {name: set() for name in entities.values()}
    for locale in _locales():
        for key, name in _entries(locale):
            english = entities.get(key)
            if english is not None and name not in (english, key[1].casefold()):
                found[english].add(name)
    return entities, {name: _latin(others) for name, others in found.items()}


def _locales() -> list[Any]:
    """Return every locale but the English ones, in a fixed order."""
    from babel import Locale
    from babel.localedata import locale_identifiers

    return [Locale.parse(name) for name in sorted(locale_identifiers()) if name.split("_")[0] != "en"]


def _entries(locale: Any) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield kind and code of every entity the locale names, and the name."""
    for kind in _KINDS:
        for code, name in getattr(locale, kind).items():
            yield (kind, code), unicodedata.normalize("NFC", name).casefold()
    for zone, names in locale.time_zones.items():
        if "city" in names:
            yield (_CITIES, zone), unicodedata.normalize("NFC", names["city"]).casefold()


def _english() -> dict[tuple[str, str], str]:
    """Return the English name of every entity; a city's is the last part of its time zone unless English says more."""
    from babel import Locale

    english = dict(_entries(Locale.parse("en")))
    zones = {zone for locale in _locales() if locale.territory is None for zone in locale.time_zones}
    for zone in sorted(zones):
        english.setdefault((_CITIES, zone), zone.split("/")[-1].replace("_", " ").casefold())
    return english


def _latin(names: set[str]) -> list[str]:
    """Return the names whose letters are all Latin, sorted."""
    return sorted(name for name in names if _is_latin(name))


def _is_latin(name: str) -> bool:
    letters = [character for character in name if character.isalpha()]
    return bool(letters) and all("LATIN" in unicodedata.name(character, "") for character in letters)
