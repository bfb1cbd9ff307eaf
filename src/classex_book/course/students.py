"""Whose a returned notebook is: no two students are taken for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from classex_book.course.returned import read_returned

# What learning platforms add to the names of folders and files that they collect; the number tells namesakes apart
_MOODLE = re.compile(r"(.+?_[0-9]+)_assignsubmission_.*")
_CANVAS = re.compile(r"(.+?)(?:_LATE)?(_[0-9]+)_[0-9]+_.*")
# Names under which the book hands out notebooks, which say nothing of whoever returns them
_HANDED_OUT = re.compile(
    r"(?:[0-9]{2}[a-z]?_[a-z_]+|ch[0-9]+|(?:exercises|key|paper)-\w+)(?:[ _-]*(?:Copy[0-9]*|\([0-9]+\)))*",
    re.IGNORECASE,
)
_COPY = re.compile(r"-Copy[0-9]*$")  # Jupyter's own
_LONGEST_PATH = 60

_Labels = frozenset[str] | None  # exercises that a notebook checks; None where reading does not tell


@dataclass(frozen=True)
class _Found:
    """A notebook, its student, and the folder or file whose name says so."""

    file: Path
    student: str
    source: Path
    platform: bool = False


def find_notebooks(paths: Iterable[str | Path]) -> list[tuple[Path, str]]:
    """List the notebooks among files and folders, each with the name of its student.

    A notebook in a folder's subfolder belongs to the student after whom the subfolder is named; any other to the one
    after whom the file is named. Files that are named one by one belong to the student after whom their folder is
    named, if several have one name or if it is that under which the notebook was handed out. Of what learning
    platforms append to these names the student's number is kept, because two students may have one name.

    Parameters
    ----------
    paths : iterable of str or Path
        Notebooks, and folders in which all files that end in ``.ipynb`` are found.

    Raises
    ------
    ValueError
        If a folder holds no notebook, or two notebooks would count as one student's although they may be those of
        two: both check one exercise, and they are neither in one student's folder under one name nor told by a
        platform's number to be of one student.

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
    found: dict[Path, _Found] = {}
    named: list[Path] = []
    checked: dict[Path, _Labels] = {}
    for path in map(Path, paths):
        if not path.is_dir():
            named.append(path)
            continue
        inside = sorted(file for file in path.rglob("*.ipynb") if ".ipynb_checkpoints" not in file.parts)
        if not inside:
            raise ValueError(f"{path} holds no notebook (.ipynb)")
        nested = [file for file in inside if len(file.relative_to(path).parts) > 1]
        belongs = [_in_folder(file, path / file.relative_to(path).parts[0]) for file in nested]
        belongs += _beside([file for file in inside if file not in nested], checked)
        for one in sorted(belongs, key=lambda one: one.file):
            found.setdefault(one.file.resolve(), one)
    fresh = [file for file in dict.fromkeys(named) if file.resolve() not in found]
    for one in _beside(fresh, checked):
        found.setdefault(one.file.resolve(), one)
    everything = list(found.values())
    _refuse_collisions(everything, checked)
    return [(one.file, one.student) for one in everything]


def _in_folder(file: Path, folder: Path) -> _Found:
    name, platform = _without_platform(folder.resolve().name)
    return _Found(file, name, folder.resolve(), platform)


def _without_platform(name: str) -> tuple[str, bool]:
    """The name with its number, and whether a learning platform made it."""
    moodle, canvas = _MOODLE.fullmatch(name), _CANVAS.fullmatch(name)
    if moodle:
        return moodle[1], True
    return (canvas[1] + canvas[2], True) if canvas else (name, False)


def _beside(files: Sequence[Path], checked: dict[Path, _Labels]) -> list[_Found]:
    """Files that no subfolder tells apart: named after themselves, or after their folder where it says more."""
    stems = [file.stem for file in files]
    folders = {file.resolve().parent for file in files if stems.count(file.stem) > 1}
    folders |= {file.resolve().parent for file in files if _MOODLE.fullmatch(file.resolve().parent.name)}
    for folder in {file.resolve().parent for file in files} - folders:
        own = [file for file in files if file.resolve().parent == folder]
        pairs = combinations(own, 2)
        if all(_HANDED_OUT.fullmatch(file.stem) for file in own) and not any(_both(*pair, checked) for pair in pairs):
            folders.add(folder)
    found = []
    for file in files:
        name, platform = _without_platform(file.stem)
        if platform:
            found.append(_Found(file, name, file.resolve().parent / name, True))
        elif file.resolve().parent in folders:
            found.append(_in_folder(file, file.resolve().parent))
        else:
            found.append(_Found(file, name, file.resolve()))
    return found


def _checked(file: Path, known: dict[Path, _Labels]) -> _Labels:
    """Exercises that a notebook checks, as far as reading tells; of what is no notebook none is marked."""
    path = file.resolve()
    if path not in known:
        try:
            known[path] = read_returned(file).mentioned
        except (ValueError, OSError):
            known[path] = frozenset()
    return known[path]


def _both(first: Path, second: Path, checked: dict[Path, _Labels]) -> str:
    """What two notebooks both check, in words; nothing if they have no exercise in common."""
    one, other = _checked(first, checked), _checked(second, checked)
    if one is None or other is None:
        return "" if frozenset() in (one, other) else "an exercise, perhaps"
    return min(one & other, default="")


def _refuse_collisions(found: Sequence[_Found], checked: dict[Path, _Labels]) -> None:
    """Raise where two notebooks of one name hold the same exercise and may be those of two students."""
    students: dict[str, list[_Found]] = {}
    for one in found:
        students.setdefault(one.student, []).append(one)
    problems = []
    for student, own in students.items():
        for first, second in combinations(own, 2):
            both = "" if _are_versions(first, second) else _both(first.file, second.file, checked)
            if both:
                problems.append(f"{_shown(first.file)} and {_shown(second.file)} (both {student!r}, {both})")
    if problems:
        more = f"; and {len(problems) - 1} more such pairs" if len(problems) > 1 else ""
        raise ValueError(
            f"two notebooks of one name hold the same exercise: {problems[0]}{more}. Put those of each student into a "
            "folder of their own and give classex mark the folder above"
        )


def _are_versions(first: _Found, second: _Found) -> bool:
    """Whether it is certain that both are of one student."""
    if first.source != second.source:
        return False
    return first.platform or _COPY.sub("", first.file.stem) == _COPY.sub("", second.file.stem)


def _shown(file: Path) -> str:
    text = str(file)
    return text if len(text) <= _LONGEST_PATH else f"...{text[-_LONGEST_PATH:]}"
