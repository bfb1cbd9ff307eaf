"""Reader of repeated attempts at problems: a record an attempt, a matrix of outcomes, or counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_finite_number, shown
from classex.io.archives import File, read_arrays, read_file
from classex.io.files import load_columns
from classex.io.tables import is_number, read_table

__all__ = ["LoadedAttempts", "load_attempts"]

# Columns of the layouts in use: HumanEval has task_id and passed, SWE-bench instance_id and resolved, frames of
# inspect_ai id and score_ with the scorer's name (their sample_id differs between the attempts at one problem)
_TASKS = ("task_id", "instance_id", "problem", "problem_id", "question_id", "id")
_OUTCOMES = ("passed", "score", "correct", "success", "resolved")
# What stands for a success and a failure besides numbers; C and I are inspect_ai's
_WORDS = {"true": 1.0, "false": 0.0, "c": 1.0, "i": 0.0, "correct": 1.0, "incorrect": 0.0, "": np.nan, "none": np.nan}
_BINARY = {*_WORDS, "0", "1", "0.0", "1.0"}


class LoadedAttempts(NamedTuple):
    """Attempts that were read, one entry a problem.

    Attributes
    ----------
    successes, trials : ndarray of int of shape (n_problems,)
        Successes and trials.
    groups : ndarray of shape (n_problems,) or None
        Groups of the problems, if a column of groups was named.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> cx.io.LoadedAttempts(np.array([1, 0]), np.array([2, 1]), None).trials
    array([2, 1])
    """

    successes: NDArray[np.int64]
    trials: NDArray[np.int64]
    groups: NDArray[Any] | None


def load_attempts(
    path: File | str | Path,
    *,
    task: str | None = None,
    outcome: str | None = None,
    group: str | None = None,
    threshold: float = 1.0,
) -> LoadedAttempts:
    r"""Read the successes and trials of problems.

    Parameters
    ----------
    path : str or Path
        The file; ``-`` is the standard input. One of three layouts, as text, records of JSON (one a line), a
        ``.parquet`` file or arrays of a ``.npz`` file:

        - a record an attempt: a column that names the problem (``task_id``, ``instance_id``, ``problem``,
          ``problem_id``, ``question_id`` or ``id``) and one with the outcome (``passed``, ``score``, ``correct``,
          ``success`` or ``resolved``). HumanEval and SWE-bench write these. Not for ``.npz``;
        - counts: columns ``successes`` and ``trials``, and a row a problem;
        - a matrix of outcomes: a row a problem and a column an attempt, beside a column that names it. In ``.npz`` it
          is the array ``passed``. An empty entry is an attempt that was not made.
    task, outcome : str, optional
        Columns of the problem and of the outcome, if they have other names.
    group : str, optional
        Column of the groups in which problems come, such as repositories or contests.
    threshold : float
        An outcome that is a number counts as a success from here on. True, C and correct are 1, False, I and incorrect
        are 0.

    Returns
    -------
    LoadedAttempts
        ``successes``, ``trials`` and ``groups``; problems of records in the order of their names.

    Raises
    ------
    ValueError
        If the file has none of these layouts, an outcome is no number, or a problem belongs to two groups.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import classex as cx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "log.jsonl"
    ...     _ = file.write_text(
    ...         '{"id": 1, "epoch": 1, "score": "C"}\n'
    ...         '{"id": 1, "epoch": 2, "score": "I"}\n'
    ...         '{"id": 2, "epoch": 1, "score": "I"}\n'
    ...     )
    ...     found = cx.io.load_attempts(file)
    >>> found.successes, found.trials
    (array([1, 0]), array([2, 1]))
    """
    file = read_file(path)
    least = as_finite_number(threshold, "threshold")
    named = [group] if group else []
    if file.is_archive:
        found = read_arrays(file, *named, optional=("passed",))
        groups = found[group] if group else None
        if "passed" in found:
            return _counted(found["passed"], least, groups)
    else:
        table = read_table(file, *named)
        groups = np.array(table.texts(group)) if group else None
        names = [name.lower() for name in table.header]
        task = task or next((one for one in _TASKS if one in names), None)
        outcome = outcome or next((one for one in _OUTCOMES if one in names), None)
        if task is not None and outcome is not None:
            table = read_table(file, task, outcome)
            passed = _numbers(table.entries[:, table.header.index(outcome)], f"{table.name}: {outcome}")
            return _of_records(np.array(table.texts(task)), passed >= least, ~np.isnan(passed), groups)
        columns = table.others(*named, *(name for name in table.header if name.lower() in _TASKS))
        if {str(entry).strip().lower() for entry in table.entries[:, columns].flat} <= _BINARY:
            return _counted(_numbers(table.entries[:, columns], table.name), least, groups)
    counts = load_columns(file, "successes", "trials")
    for name, number in zip(("successes", "trials"), counts, strict=True):
        if (broken := number != np.floor(number)).any():
            raise ValueError(f"{file.name}: {name} must hold whole numbers, not {number[broken][0]:g}")
    return LoadedAttempts(counts[0].astype(np.int64), counts[1].astype(np.int64), groups)


def _numbers(entries: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Outcomes as numbers, NaN where no attempt was made."""
    words = np.vectorize(lambda entry: _WORDS.get(str(entry).strip().lower(), entry), otypes=[object])(entries)
    bad = next((one for one in words.flat if not is_number(one)), None)
    if bad is not None:
        raise ValueError(f"{name} must be true or false, C or I, or a number, not {shown(bad)}")
    out: NDArray[np.float64] = words.astype(np.float64)
    return out


def _counted(passed: NDArray[Any], least: float, groups: NDArray[Any] | None) -> LoadedAttempts:
    """Count a matrix of outcomes, one row a problem."""
    number = passed.astype(np.float64)
    return LoadedAttempts((number >= least).sum(axis=1), (~np.isnan(number)).sum(axis=1), groups)


def _of_records(
    task: NDArray[Any], passed: NDArray[np.bool_], made: NDArray[np.bool_], groups: NDArray[Any] | None
) -> LoadedAttempts:
    """Count a column of outcomes for each problem."""
    _, first, problem = np.unique(task, return_index=True, return_inverse=True)
    if groups is not None and (other := groups != groups[first][problem]).any():
        raise ValueError(f"every problem must belong to one group, but {shown(str(task[other][0]))} belongs to two")
    successes, trials = (np.bincount(problem, weight).astype(np.int64) for weight in (passed, made))
    return LoadedAttempts(successes, trials, None if groups is None else groups[first])
