"""A folder of answers: what running returned notebooks recorded, a file for each, to be judged elsewhere."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from classex.io.tables import atomic_text
from classex_book.course.papers import Cell
from classex_book.course.returned import Notebook

_LONGEST_NAME = 60  # letters of a name in that of a file, which may have 255 bytes


def file_name(text: str) -> str:
    """Return a name for a file: letters, digits, dots and dashes, not too many."""
    return re.sub(r"[^\w.-]+", "_", text).strip("._")[:_LONGEST_NAME].strip("._") or "student"


def write_answers(folder: str | Path, notebooks: Iterable[Notebook]) -> None:
    """Write a file (JSON) for each notebook that was run."""
    for notebook in notebooks:
        number = hashlib.sha256(notebook.file.encode(errors="replace")).hexdigest()[:8]
        path = Path(folder) / f"{file_name(Path(notebook.source).stem)}-{number}.json"
        atomic_text(path, json.dumps(asdict(notebook)))


def read_answers(folder: str | Path) -> list[Notebook]:
    """Read what `write_answers` wrote; a file that is damaged says so in `error`.

    Raises
    ------
    ValueError
        If there is no such file.
    """
    files = sorted(file for file in Path(folder).glob("*.json") if file.is_file() and not file.is_symlink())
    if not files:
        raise ValueError(f"{folder} holds no answers (.json) that classex mark run wrote")
    return [_read(file) for file in files]


def _read(file: Path) -> Notebook:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        found["cells"] = [Cell(*map(str, cell)) for cell in found["cells"]]
        return Notebook(**found)
    except (ValueError, TypeError, KeyError, OSError, RecursionError):
        return Notebook(str(file), str(file), error=f"{file} holds no answers that classex mark run wrote")
