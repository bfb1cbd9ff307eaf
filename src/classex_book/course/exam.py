"""Exams: papers whose numbers only the lecturer's key knows, and what marks them."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import secrets
import sys
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from classex._checks import as_positive_int
from classex.io.tables import atomic_text
from classex_book.course.exercises import Exercise, exercise, numbers, variation, variation_names
from classex_book.course.papers import WORDS_HERE
from classex_book.course.texts import CHAPTERS

_TRIES = 30
_RULES = (
    "Write your name and number into the first cell. Put each answer in the place of the three dots of its cell, as an "
    "expression or with at least {}. Leave the first line of the cell as it is. A helper may stand in any cell. Of an "
    "answer with several numbers, each right one counts; a construction must meet the conditions of its text. {}"
)
_SILENT = "Nothing here says whether an answer is right."
_SPEAKING = "The last line of a cell says whether the answer is right."
_KEY = "The answers to paper {}, each with how it was worked out. Do not give it out."
_FIELDS = 'student_name = ""\nstudent_number = ""\n\n'
_SETUP = "import numpy as np"
_CHECKING = "import numpy as np\nfrom scipy.stats import norm\n\nfrom classex_book import check"


@dataclass(frozen=True)
class Written:
    """A question of your own that is answered in words, such as a proof, and marked by hand."""

    title: str
    points: int
    minutes: int
    text: str
    solution: str = ""


@dataclass(frozen=True)
class Key:
    """What marks an exam.

    Attributes
    ----------
    papers : dict
        For each paper the variant of each of its exercises.
    digits : int, optional
        Significant digits to which an answer must be right; by default as in the book.
    written : dict of str to Written
        Questions that are marked by hand.
    """

    papers: dict[str, dict[str, int]]
    digits: int | None = None
    written: dict[str, Written] = field(default_factory=dict)


def secret_word(seed: str | None) -> str:
    """Return the seed, or one that nobody can guess."""
    if seed is not None and not str(seed).strip():
        raise ValueError(f"seed must be a word or more, not {seed!r}")
    return secrets.token_hex(8) if seed is None else str(seed)


def secret_number(seed: str, *purpose: object) -> int:
    """Number of a variant that follows from a seed, and from which the seed does not follow.

    Examples
    --------
    >>> from classex_book.course.exam import secret_number
    >>> secret_number("autumn", "paper", 1) == secret_number("autumn", "paper", 2)
    False
    """
    words = json.dumps([seed, *map(str, purpose)]).encode()
    return 1 + int.from_bytes(hashlib.sha256(words).digest()[:16], "big")


def distinct_variants(name: str, seed: str, count: int) -> list[int]:
    """Variants of an exercise whose numbers differ from one another, as far as it has so many.

    Parameters
    ----------
    name : str
        Label of the exercise.
    seed : str
        The seed.
    count : int
        How many.
    """
    variants: list[int] = []
    seen: set[str] = set()
    for index in range(count):
        tries = [secret_number(seed, name, index, attempt) for attempt in range(_TRIES)]
        fresh = next((one for one in tries if repr(numbers(name, one)) not in seen), tries[0])
        seen.add(repr(numbers(name, fresh)))
        variants.append(fresh)
    return variants


def chosen_exercises(seed: int, chapters: Sequence[str] | None, n_exercises: int | None) -> list[str]:
    """Choose exercises that have variants, spread over the chapters, in the order of the book."""
    chosen = CHAPTERS if chapters is None else chapters
    pools = []
    rng = np.random.default_rng([seed, 18])
    for chapter in chosen:
        names = list(variation_names(chapter))
        if not names:
            raise ValueError(f"chapters must be among ch1, ..., ch6, not {chapter!r}")
        pools.append([names[i] for i in rng.permutation(len(names))])
    dealt = [name for turn in zip_longest(*pools) for name in turn if name]  # one of each chapter in turn
    count = as_positive_int(len(dealt) if n_exercises is None else n_exercises, "n_exercises")
    if count > len(dealt):
        raise ValueError(f"n_exercises must be at most {len(dealt)} for these chapters, not {count}")
    return [name for name in variation_names() if name in dealt[:count]]


def write_exam(
    folder: str | Path,
    *,
    papers: int = 1,
    seed: str | None = None,
    chapters: Sequence[str] | None = None,
    n_exercises: int | None = None,
    digits: int | None = None,
    written: str | Path | None = None,
    checks: bool = False,
) -> list[Path]:
    """Write the papers of an exam, each with its own numbers, and the lecturer's key to them.

    Parameters
    ----------
    folder : str or Path
        Where ``papers/paper-1.ipynb``, ..., ``key-1.ipynb``, ... and ``key.json`` are written. Give out papers alone:
        the key holds the seed.
    papers : int
        How many papers: the same exercises with other numbers.
    seed : str, optional
        A word that only you know: the same one makes the same exam again. By default one is drawn and kept in
        ``key.json``.
    chapters : sequence of str, optional
        Such as ``["ch1", "ch3"]``; by default all six.
    n_exercises : int, optional
        How many exercises to choose, spread over the chapters; by default all that have variants.
    digits : int, optional
        Significant digits to which an answer must be right; by default as in the book, to a millionth or so.
    written : str or Path, optional
        A file (TOML) of questions that are answered in words and marked by hand: a table for each, with ``title``,
        ``points``, ``minutes``, ``text`` and perhaps ``solution``. They come last.
    checks : bool
        Whether students can check themselves, to seven decimals. Such papers are exercises with other numbers and not
        an exam: they hold the numbers of their variants, from which anybody can work out the key.

    Returns
    -------
    list of Path
        The papers, their keys, and ``key.json``, which `read_key` and ``classex mark --exam`` read.

    Raises
    ------
    ValueError
        If an argument is out of range, the seed is empty, the file of questions lacks something, or the folder has the
        key of another exam, which would be lost.
    """
    enough = "seven decimals" if digits is None else f"{as_positive_int(digits, 'digits')} significant digits"
    questions = {} if written is None else _read_written(Path(written))
    count = as_positive_int(papers, "papers")
    secret = secret_word(seed)
    names = chosen_exercises(secret_number(secret, "choice"), chapters, n_exercises)
    variants = {name: distinct_variants(name, secret, count) for name in names}
    target = Path(folder)
    (target / "papers").mkdir(parents=True, exist_ok=True)
    own = {str(i + 1): {name: variants[name][i] for name in names} for i in range(count)}
    words = _RULES.format(enough, _SPEAKING if checks else _SILENT)
    key = target / "key.json"
    if key.exists() and not read_key(key).papers.items() <= own.items():
        raise ValueError(f"{key} is the key of another exam: give its seed and choices, or name another folder")
    # the key first: no paper is ever without one
    files: dict[Path, Any] = {key: {"seed": secret} | asdict(Key(own, digits, questions))}
    for paper in own:
        file = target / "papers" / f"paper-{paper}.ipynb"
        files[file] = _notebook(f"Exam, paper {paper}", words, own[paper], questions, paper=paper, checks=checks)
    for paper in own:
        file = target / f"key-{paper}.ipynb"
        files[file] = _notebook(f"Key to paper {paper}", _KEY.format(paper), own[paper], questions)
    for path, content in files.items():
        atomic_text(path, json.dumps(content, indent=1) + "\n")
    return [*[path for path in files if path != key], key]


def read_key(path: str | Path) -> Key:
    """Read ``key.json``.

    Raises
    ------
    ValueError
        If the file is not the key of an exam.
    OSError
        If it cannot be read.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        papers = {str(one): {str(name): int(n) for name, n in own.items()} for one, own in found["papers"].items()}
        written = {label: Written(**one) for label, one in found.get("written", {}).items()}
        key = Key(papers, found.get("digits"), written)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is not the key.json of an exam") from None
    for own in key.papers.values():
        for name in own:
            variation(name)
    return key


def _read_written(path: Path) -> dict[str, Written]:
    try:
        return {label: Written(**one) for label, one in tomllib.loads(path.read_text(encoding="utf-8")).items()}
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} must have a title, points, minutes and a text for each question: {error}") from None


def _notebook(
    title: str, words: str, own: Mapping[str, int], written: Mapping[str, Written], paper: str = "", checks: bool = True
) -> dict[str, Any]:
    """A paper, which without checks holds neither the seed nor a variant; or the key, which is no paper."""
    asked: list[Exercise | Written] = [*map(exercise, own), *written.values()]
    total, minutes = sum(one.points for one in asked), sum(one.minutes for one in asked)
    setup = (_FIELDS if paper else "") + (_CHECKING if checks else _SETUP)
    heading = f"# {title}\n\n{total} points, about {minutes} minutes. {words}"
    cells = [_cell("markdown", heading), _cell("code", setup)]
    for number, (name, variant) in enumerate(own.items(), 1):
        varied, values = variation(name), numbers(name, variant)
        text, code = varied.statement(values), f"# {name}: {varied.expects}\nanswer = ..."
        if not paper:
            text += _worked(name, values)
            code = f"answer = {json.dumps(varied.key(**values), default=float)}"
        if checks:
            code += f'\n\ncheck("{name}", answer, variant={variant})'
        cells += [_question(number, varied.title, exercise(name).points, text), _cell("code", code)]
        cells[-1]["metadata"]["classex"] = {"exercise": name}  # by which `classex mark` knows an answer without a label
    for number, one in enumerate(written.values(), len(own) + 1):
        below = _cell("markdown", WORDS_HERE if paper else one.solution)
        cells += [_question(number, one.title, one.points, one.text.strip()), below]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "classex": ({"paper": paper} if paper else {}) | {"exercises": list(own)},
    }
    cells = [cell | {"id": f"cell-{index}"} for index, cell in enumerate(cells)]
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _worked(name: str, values: Mapping[str, Any]) -> str:
    """How the key is worked out, as text below the question."""
    key = variation(name).key
    code = textwrap.dedent(inspect.getsource(key))
    if key.__name__ == "<lambda>":
        tree = ast.walk(ast.parse(inspect.getsource(sys.modules[key.__module__])))
        *_, found = (one for one in tree if isinstance(one, ast.Lambda) and one.lineno == key.__code__.co_firstlineno)
        code = f"key = {ast.unparse(found)}"
    return (
        f"\n\n**Solution.** The answer below is what this code returns for {values}:\n\n```python\n{code.strip()}\n```"
        f"\n\nThe book derives it with its own numbers at `{exercise(name).page}.html#{name}`."
    )


def _question(number: int, title: str, points: int, text: str) -> dict[str, Any]:
    return _cell("markdown", f"## {number}. {title} ({points} point{'s' if points > 1 else ''})\n\n{text}")


def _cell(kind: str, source: str) -> dict[str, Any]:
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **more}
