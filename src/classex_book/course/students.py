"""Whose a returned notebook is: no two students are taken for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from classex_book.course.returned import Returned, read_returned
from classex_book.course.roster import Roster

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


@dataclass(frozen=True)
class _Found:
    """A notebook, its student, the folder or file that says so, and the number that a platform gave the student."""

    file: Path
    student: str
    source: Path
    number: str
    mentioned: frozenset[str] | None


def find_notebooks(paths: Iterable[str | Path], roster: Roster | None = None) -> list[tuple[Path, str]]:
    """List the notebooks among files and folders, each with the name of its student.

    A notebook in a folder's subfolder belongs to the student after whom the subfolder is named; any other to the one
    after whom the file is named. Files that are named one by one belong to the student after whom their folder is
    named, if several have one name or if it is that under which the notebook was handed out. Of what learning
    platforms append to these names the student's number is kept, because two students may have one name. A paper that
    says its student's name or number belongs to that student, unless a platform's name says whose it is.

    Parameters
    ----------
    paths : iterable of str or Path
        Notebooks, and folders in which all files that end in ``.ipynb`` are found.
    roster : Roster, optional
        The students: each notebook belongs to the one whose name and number fit, and has the name of the roster.

    Raises
    ------
    ValueError
        If a folder holds no notebook, or two notebooks would count as one student's although they may be those of
        two: both check one exercise, and they are neither in one student's folder under one name nor told by a
        platform's number to be of one student. If a notebook fits no student of the roster, or more than one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex_book.course.students import find_notebooks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (pathlib.Path(folder) / "ada").mkdir()
    ...     (pathlib.Path(folder) / "ada" / "ch1.ipynb").touch()
    ...     (pathlib.Path(folder) / "ben.ipynb").touch()
    ...     found = find_notebooks([folder])
    >>> [student for file, student in found]
    ['ada', 'ben']
    """
    sources: dict[Path, Path] = {}
    named = []
    for path in map(Path, paths):
        if not path.is_dir():
            named.append(path)
            continue
        inside = sorted(file for file in path.rglob("*.ipynb") if ".ipynb_checkpoints" not in file.parts)
        if not inside:
            raise ValueError(f"{path} holds no notebook (.ipynb)")
        own = {file: path / file.relative_to(path).parts[0] for file in inside if file.parent != path}
        own |= _beside([file for file in inside if file not in own])
        sources |= {file: own[file] for file in inside}
    known = {file.resolve() for file in sources}
    sources |= _beside([file for file in dict.fromkeys(named) if file.resolve() not in known])
    distinct = {file.resolve(): (file, source.resolve()) for file, source in sources.items()}
    found = [_identified(file, source, roster) for file, source in distinct.values()]
    _refuse_collisions(found)
    return [(one.file, one.student) for one in found]


def _beside(files: Sequence[Path]) -> dict[Path, Path]:
    """Files that no subfolder tells apart: named after themselves, or after their folder where it says more."""
    stems = [file.stem for file in files]
    found: dict[Path, Path] = {}
    for folder in dict.fromkeys(file.resolve().parent for file in files):
        own = [file for file in files if file.resolve().parent == folder]
        handed_out = [match[1].lower() for file in own if (match := _HANDED_OUT.fullmatch(file.stem))]
        says_more = (
            _PLATFORMS[0].fullmatch(folder.name) is not None
            or any(stems.count(file.stem) > 1 for file in own)
            or len(set(handed_out)) == len(own)
        )
        found |= {file: folder if says_more else file for file in own}
    return found


def _identified(file: Path, source: Path, roster: Roster | None) -> _Found:
    """The notebook with its student: by the name of the source, the paper's first cell, or the roster."""
    name = source.stem if source == file.resolve() else source.name
    platform = next(filter(None, (form.fullmatch(name) for form in _PLATFORMS)), None)
    returned = Returned((), ())  # of what is no notebook nothing is marked
    with suppress(ValueError, OSError):
        returned = read_returned(file)
    said, number = returned.fields.get("number", ""), platform["number"] if platform else ""
    name = platform["name"] if platform else returned.fields.get("name", name)
    student = "_".join(filter(None, [name, number or said]))
    if roster is not None:
        try:
            student = roster.student(roster.find(name, [number, said]))
        except ValueError as error:
            raise ValueError(f"{_shown(file)}: {error}") from None
    return _Found(file, student, source, number, returned.mentioned)


def _refuse_collisions(found: Sequence[_Found]) -> None:
    """Raise where two notebooks of one name hold the same exercise and may be those of two students."""
    problems = []
    for first, second in combinations(found, 2):
        if first.student != second.student or _are_versions(first, second):
            continue
        one, other = first.mentioned, second.mentioned
        both = "an exercise, perhaps" if one is None or other is None else min(one & other, default="")
        if both and frozenset() not in (one, other):
            problems.append(f"{_shown(first.file)} and {_shown(second.file)} (both {first.student!r}, {both})")
    if problems:
        more = f"; and {len(problems) - 1} more such pairs" if len(problems) > 1 else ""
        raise ValueError(
            f"two notebooks of one name hold the same exercise: {problems[0]}{more}. Put those of each student into a "
            "folder of their own and give classex mark the folder above"
        )


def _are_versions(first: _Found, second: _Found) -> bool:
    """Whether it is certain that both are of one student."""
    if first.number:
        return first.number == second.number
    same = _COPY.sub("", first.file.stem) == _COPY.sub("", second.file.stem)
    return first.source == second.source and same


def _shown(file: Path) -> str:
    text = str(file)
    return text if len(text) <= _LONGEST_PATH else f"...{text[-_LONGEST_PATH:]}"
