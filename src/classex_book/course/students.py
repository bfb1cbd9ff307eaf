"""Whose a returned notebook is: no two students are taken for one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from classex._checks import shown
from classex_book.course.returned import Notebook, read_notebook
from classex_book.course.roster import Roster, letters

# What learning platforms add to the names of folders and files that they collect; the number tells namesakes apart
_PLATFORMS = (
    re.compile(r"(?P<name>.+?)_(?P<number>[0-9]+)_assignsubmission_.*"),  # Moodle
    re.compile(r"(?P<name>.+?)(?:_LATE)?_(?P<number>[0-9]+)_[0-9]+_.*"),  # Canvas
)
# Names under which the book hands out notebooks, which say nothing of whoever returns them
_HANDED_OUT = re.compile(
    r"([0-9]{2}[a-z]?_[a-z_]+|ch[0-9]+|(?:exercises|key|paper)(?=-))(?:-\w+)?(?:[ _-]*(?:Copy[0-9]*|\([0-9]+\)))*",
    re.IGNORECASE,
)
_COPY = re.compile(r"-Copy[0-9]*$")  # Jupyter's own
_LONGEST_PATH = 60
_LONGEST_STUDENT = 200  # letters of a name with its number; no platform has longer ones


@dataclass(frozen=True)
class _Found:
    """A notebook, its student, and the number that a platform gave the student."""

    notebook: Notebook
    student: str
    number: str


def read_all(paths: Iterable[str | Path]) -> list[Notebook]:
    """Read all notebooks among files and folders.

    A notebook in a folder's subfolder belongs to the student after whom the subfolder is named; any other to the one
    after whom the file is named. Files that are named one by one belong to the student after whom their folder is
    named, if several have one name or if it is that under which the notebook was handed out. What is no regular file,
    such as a link, is not followed, and has an `error`.

    Parameters
    ----------
    paths : iterable of str or Path
        Notebooks, and folders in which all files that end in ``.ipynb`` are found.

    Raises
    ------
    ValueError
        If a folder holds no notebook.
    """
    sources: dict[Path, Path] = {}
    named = []
    for path in map(Path, paths):
        if not path.is_dir():
            named.append(path)
            continue
        inside = sorted(_inside(path))
        if not inside:
            raise ValueError(f"{path} holds no notebook (.ipynb)")
        own = {file: path / file.relative_to(path).parts[0] for file in inside if file.parent != path}
        own |= _beside([file for file in inside if file not in own])
        sources |= {file: own[file] for file in inside}
    known = {file.absolute() for file in sources}
    sources |= _beside([file for file in dict.fromkeys(named) if file.absolute() not in known])
    distinct = {file.absolute(): (file, source.absolute()) for file, source in sources.items()}
    return [read_notebook(file, file if source == file.absolute() else source) for file, source in distinct.values()]


def _inside(folder: Path) -> Iterator[Path]:
    """Notebooks below a folder, and links to folders, which may lead to the work of another student."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".ipynb_checkpoints"]
        own = Path(place)
        yield from (own / name for name in files if name.endswith(".ipynb"))
        yield from (own / name for name in folders if name.endswith(".ipynb") or (own / name).is_symlink())


def _beside(files: Sequence[Path]) -> dict[Path, Path]:
    """Files that no subfolder tells apart: named after themselves, or after their folder where it says more."""
    stems = [file.stem for file in files]
    found: dict[Path, Path] = {}
    for folder in dict.fromkeys(file.absolute().parent for file in files):
        own = [file for file in files if file.absolute().parent == folder]
        handed_out = [match[1].lower() for file in own if (match := _HANDED_OUT.fullmatch(file.stem))]
        says_more = (
            _PLATFORMS[0].fullmatch(folder.name) is not None
            or any(stems.count(file.stem) > 1 for file in own)
            or len(set(handed_out)) == len(own)
        )
        found |= {file: folder if says_more else file for file in own}
    return found


def name_students(notebooks: Iterable[Notebook], roster: Roster | None = None) -> list[tuple[Notebook, str]]:
    """Tell whose each notebook is; one of which that is not certain is set aside, with an `error` and no student.

    Of what learning platforms append to the names of folders and files the student's number is kept, because two
    students may have one name. A paper that says its student's name or number belongs to that student, unless a
    platform's name says whose it is.

    Parameters
    ----------
    notebooks : iterable of Notebook
        As `read_all` lists them.
    roster : Roster, optional
        The students: each notebook belongs to the one whose name and number fit, and has the name of the roster.
        A notebook that fits none, or more than one, is set aside.

    Notes
    -----
    Two notebooks of one name are set aside if they may be those of two students: both check one exercise, and they are
    neither in one student's folder under one name nor told by a platform's number to be of one student. If the folder
    or the file of only one of them has the student's name, that one is kept.
    """
    found = [_identified(notebook, roster) for notebook in notebooks]
    collisions: dict[int, str] = {}
    for first, second in combinations([one for one in found if not one.notebook.error], 2):
        if both := _collide(first, second):
            words = (
                f"two notebooks of one name hold the same exercise: {{}} and {{}} (both {shown(first.student)}, {both})"
            )
            true = [one for one in (first, second) if _is_named(one)]
            for one, other in ((first, second), (second, first)):
                if true != [one]:
                    collisions[id(one)] = words.format(_short(one.notebook.file), _short(other.notebook.file))
    return [
        (replace(one.notebook, error=collisions[id(one)]), "") if id(one) in collisions else (one.notebook, one.student)
        for one in found
    ]


def _identified(notebook: Notebook, roster: Roster | None) -> _Found:
    """The notebook with its student: by the name of the source, the paper's first cell, or the roster."""
    source = Path(notebook.source)
    name = source.stem if notebook.source == notebook.file else source.name
    platform = next(filter(None, (form.fullmatch(name) for form in _PLATFORMS)), None)
    said, number = notebook.fields.get("number", ""), platform["number"] if platform else ""
    name = platform["name"] if platform else notebook.fields.get("name", name)
    student = "_".join(filter(None, [name, number or said]))
    try:
        if len(student) > _LONGEST_STUDENT:
            raise ValueError(f"the name of the student is {shown(student)}")
        if roster is not None:
            student = roster.student(roster.find(name, [number, said]))
    except ValueError as error:
        return _Found(replace(notebook, error=f"{_short(notebook.file)}: {error}"), "", "")
    return _Found(notebook, student, number)


def _collide(first: _Found, second: _Found) -> str:
    """The exercise that two notebooks of one name hold, which may be those of two students; or nothing."""
    one, other = first.notebook.mentioned, second.notebook.mentioned
    if first.student != second.student or _are_versions(first, second) or frozenset() in (one, other):
        return ""
    return "an exercise, perhaps" if one is None or other is None else min(one & other, default="")


def _are_versions(first: _Found, second: _Found) -> bool:
    """Whether it is certain that both are of one student."""
    if first.number:
        return first.number == second.number
    one, other = Path(first.notebook.file), Path(second.notebook.file)
    same = _COPY.sub("", one.stem) == _COPY.sub("", other.stem)
    return first.notebook.source == second.notebook.source and same


def _is_named(found: _Found) -> bool:
    """Whether the student's name is that of the folder or file, whatever the notebook says."""
    source = Path(found.notebook.source)
    return letters(found.student) in (letters(source.name), letters(source.stem))


def _short(file: str) -> str:
    return file if len(file) <= _LONGEST_PATH else f"...{file[-_LONGEST_PATH:]}"
