"""Messages of a program: a class is a message, its reference in one language, its test point in another.

Languages that are close to each other, and languages in which only names and numbers are the same.
"""

from __future__ import annotations

import gettext

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import ROOT
from benchmarks.suite.recipes.texts import rarity, sample

SOURCES = (("debian: krita-l10n 5.1.5", "GPL-2+, GPL-3+"),)
_PAIRS = (("pt_BR", "pt"), ("ca", "es"), ("fr", "it"), ("de", "ja"))
_MOST, _FEWEST_LETTERS = 6_000, 12


def recognisers() -> dict[str, Pair]:
    """One recogniser for each pair of languages; strings of one to three letters."""
    found = {}
    for one, other in _PAIRS:
        here, there = _catalogue(one), _catalogue(other)
        common, seen = [], set()
        for message in sorted(here.keys() & there.keys()):
            if here[message] not in seen and len(message) >= _FEWEST_LETTERS:
                seen.add(here[message])
                common.append(message)
        chosen = [common[i] for i in sample(len(common), _MOST)]
        tests, references = ([of[message] for message in chosen] for of in (there, here))
        found[f"{other} as {one}"] = rarity(tests, references, analyzer="char_wb", ngrams=(1, 3))
    return found


def _catalogue(language: str) -> dict[str, str]:
    """Translation of every message that is translated, without marks of keys."""
    with (ROOT / "usr/share/locale" / language / "LC_MESSAGES/krita.mo").open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    plain = {key: value.replace("&", "") for key, value in catalogue.items() if isinstance(key, str)}
    return {key: value for key, value in plain.items() if key and value and value != key}
