"""The steps of ``classex mark``: from notebooks to answers, from answers to tables."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from classex_book.course.exam import read_key
from classex_book.course.marking import Asked, asked_exercises, judge_notebook, mark_notebooks
from classex_book.course.marks import MarkedNotebook, printable
from classex_book.course.recorded import read_answers, write_answers
from classex_book.course.reports import read_marks, write_feedback, write_gradebook, write_marks
from classex_book.course.returned import Notebook
from classex_book.course.roster import Roster, read_roster
from classex_book.course.running import run_notebooks
from classex_book.course.students import name_students, read_all


def collect(arguments: argparse.Namespace, paths: list[str]) -> int:
    """Run notebooks and write their answers; return how many could not be run."""
    notebooks, folder = read_all(paths), Path(arguments.answers)
    folder.mkdir(parents=True, exist_ok=True)
    known = {(one.file, one.digest): one for one in (read_answers(folder) if any(folder.glob("*.json")) else ())}
    if known and not arguments.resume:
        raise ValueError(f"{folder} has answers already: add --resume, or name another folder")
    ran = [known[one.file, one.digest] for one in notebooks if (one.file, one.digest) in known]
    fresh = [one for one in notebooks if (one.file, one.digest) not in known]
    runs = run_notebooks(fresh, time_limit=arguments.time_limit, jobs=arguments.jobs or os.cpu_count() or 1)
    try:
        for notebook in runs:
            ran.append(notebook)
            print(printable(f"[{len(ran)}/{len(notebooks)}] {notebook.error or notebook.file}"), flush=True)
            write_answers(folder, [notebook])
    finally:
        runs.close()
        write_answers(folder, ran)  # again, now that no process runs that might have changed them
    return sum(bool(one.error) for one in ran)


def mark(arguments: argparse.Namespace, paths: list[str], have_run: bool) -> int:
    """Judge notebooks, after running them if they have not run; return how many were set aside or not written."""
    if arguments.exam and arguments.set:
        raise ValueError("--set must not be given with --exam: the key names the exercises of each paper")
    asked = asked_exercises(arguments.set) if arguments.exam is None else read_key(arguments.exam)
    roster = None if arguments.roster is None else read_roster(arguments.roster)
    if arguments.resume and not arguments.csv:
        raise ValueError("--resume must be given with --csv, the file of the marks that there are")
    _try_outputs(arguments)
    known = read_marks(arguments.csv) if arguments.csv and Path(arguments.csv).exists() else {}
    if not arguments.resume and any(mark.of and mark.share is not None for old in known.values() for mark in old.marks):
        raise ValueError(f"{arguments.csv} has points entered by hand: add --resume, or name another file")
    read = [one for path in paths for one in read_answers(path)] if have_run else read_all(paths)
    versions = [(one, student, _version(one, asked)) for one, student in name_students(read, roster)]
    kept = {version for version, old in known.items() if arguments.resume and not old.error}
    done = [
        replace(known[version], student=student, late=_late(notebook, arguments.deadline))
        for notebook, student, version in versions
        if version in kept and not notebook.error
    ]
    fresh = [(one, student) for one, student, version in versions if version not in kept or one.error]
    run = {"time_limit": arguments.time_limit, "jobs": arguments.jobs or os.cpu_count() or 1}
    judged = (judge_notebook(*one, asked) for one in fresh) if have_run else mark_notebooks(fresh, asked=asked, **run)
    try:
        for (notebook, _), result in zip(fresh, judged, strict=True):
            late, version = _late(notebook, arguments.deadline), _version(notebook, asked)
            done.append(replace(result, late=late, version=version))
            _report(done[-1], f"[{len(done)}/{len(versions)}] ")
            if arguments.csv:  # whatever happens later, what is marked is on the disk
                write_marks(arguments.csv, done)
    finally:
        judged.close()
        failed = _write_each(arguments, done, roster)
    if not asked and len(chapters := Counter(chapter for one in done for chapter in one.chapters)) > 1:
        counts = ", ".join(f"{chapter} ({count})" for chapter, count in chapters.items())
        print(f"The notebooks check exercises of {counts}: name with --set those that count")
    aside = [one.error for one in done if one.error]
    if aside:
        print("\n  ".join([f"To look at: {len(aside)} of {len(versions)}", *map(printable, aside)]))
    return len(aside) + failed


def _try_outputs(arguments: argparse.Namespace) -> None:
    """Raise, before the work, if an output could not be written."""
    if arguments.feedback:
        Path(arguments.feedback).mkdir(parents=True, exist_ok=True)
    for path in (Path(one) for one in (arguments.csv, arguments.gradebook) if one):
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise ValueError(f"{path} must be a file in a folder that exists and can be written")


def _write_each(arguments: argparse.Namespace, done: list[MarkedNotebook], roster: Roster | None) -> int:
    """Write each output whatever becomes of the others; return how many failed."""
    outputs: list[tuple[str, Callable[[str], object]]] = [
        (arguments.csv, lambda path: write_marks(path, done)),
        (arguments.gradebook, lambda path: write_gradebook(path, done, roster, arguments.item)),
        (arguments.feedback, lambda path: write_feedback(path, done, arguments.book)),
    ]
    failed = 0
    for path, write in outputs:
        try:
            if path:
                write(path)
        except OSError as error:
            failed += 1
            print(f"classex mark: {path} is not written: {error}", file=sys.stderr)
    return failed


def _version(notebook: Notebook, asked: Asked) -> str:
    """Digest of a file and of what it is marked for."""
    return hashlib.sha256(repr((notebook.digest, notebook.file, asked)).encode(errors="replace")).hexdigest()[:16]


def _late(notebook: Notebook, deadline: datetime | None) -> bool:
    """Whether the platform says so, or the file's time is after the deadline."""
    return "_LATE_" in Path(notebook.file).name or (deadline is not None and notebook.time > deadline.timestamp())


def _report(result: MarkedNotebook, number: str) -> None:
    lines = [f"{number}{result.error}"]
    if not result.error:
        passed = sum(mark.passed for mark in result.marks)
        points = f"{result.points:g} of {result.worth} points{', late' if result.late else ''}"
        width = max(len(mark.exercise) for mark in result.marks)
        lines = [f"{number}{result.file}: {passed} of {len(result.marks)} passed, {points}"]
        for mark in result.marks:
            verdict = "passed" if mark.passed else "by hand" if mark.of else f"failed  {mark.message}"
            lines.append(f"  {mark.exercise:<{width}}  {verdict}")
    print("\n".join(map(printable, lines)), flush=True)
