"""Reader of repeated attempts at problems: a record each, a matrix of outcomes, counts, or solved ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classex._totals import refuse_totals
from classex._validation import as_finite_number, as_positive_int, listed, shown
from classex.io.archives import LOG, File, read_file
from classex.io.attempt_logs import BINARY, TASKS, Asked, LoadedAttempts, Read, name_of, outcome_of
from classex.io.ids import FEW, brief
from classex.io.tables import Table, read_table

if TYPE_CHECKING:
    from classex.io.formats import Head

__all__ = ["load_attempts", "read_counts", "read_matrix", "read_solved"]

# Problems from which on a column of 0 and 1 is hardly the sum of two others by chance
_SURE = 5
# Instances of a report: more than any benchmark has, and each gets a name
_MOST_INSTANCES = 10**6


def load_attempts(
    path: File | str | Path | Sequence[str | Path],
    *,
    format: str | None = None,
    task: str | None = None,
    outcome: str | None = None,
    group: str | None = None,
    by: str | None = None,
    threshold: float = 1.0,
    n_problems: int | None = None,
) -> Any:
    r"""Read the successes and trials of problems.

    Parameters
    ----------
    path : str or Path, or list of them
        The file; ``-`` is the standard input. Several reports of SWE-bench are several attempts. Columns are recognised
        by their names, in any order, in text, records of JSON (one a line, or a list), Parquet, or arrays of ``.npz``:

        - a record an attempt: a problem (``task_id``, ``instance_id``, ``problem``, ``problem_id``, ``question_id``,
          ``doc_id`` or ``id``) and an outcome (``passed``, ``score``, ``correct``, ``success``, ``resolved``,
          ``reward`` or ``status``). HumanEval, evalplus, SWE-bench, tau-bench, lm-evaluation-harness and inspect_ai
          write these, or records of JSON that contain them;
        - counts: columns ``successes`` and ``trials``, and a row a problem;
        - a matrix of outcomes: a row a problem and a column an attempt, beside a column that names it. In ``.npz`` it
          is the array ``passed``. An empty entry is an attempt that was not made;
        - reports of SWE-bench with the names of resolved instances.
    format : str, optional
        Name of the format, if several fit (see `classex.io.FORMATS`).
    task, outcome : str, optional
        Columns of the problem and of the outcome, if they have other names.
    group : str, optional
        Column of the groups in which problems come, such as repositories or contests.
    by : str, optional
        Column whose values are kept apart, such as the model.
    threshold : float
        An outcome that is a number counts as a success from here on. True, C, correct and pass are 1, P is .5, and
        False, I, N, incorrect, fail and timeout are 0.
    n_problems : int, optional
        Number of problems, where a report names only some of them.

    Returns
    -------
    LoadedAttempts, or dict of str to LoadedAttempts with `by`
        Problems of records are in the order of their names.

    Raises
    ------
    ValueError
        If the file has none of these formats or fits several, an outcome is no number, a problem belongs to two groups,
        or rows of a problem are not attempts of one kind: another model, task, filter, or the same attempt twice.
    OSError
        If the file cannot be opened.

    Warns
    -----
    UserWarning
        If a few problems have another number of attempts than most.

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
    from classex.io.formats import Head, chosen

    least = as_finite_number(threshold, "threshold")
    number = None if n_problems is None else as_positive_int(n_problems, "n_problems")
    asked = Asked(task, outcome, group, by, least, number)
    paths = [path] if isinstance(path, str | Path | File) else list(path)
    heads = [Head(read_file(one)) for one in paths]
    if not heads:
        raise ValueError("path must name a file")
    # a column that was named makes any table a log
    other = ("records", ("matrix", "counts")) if task or outcome else (None, ())
    kind = chosen(heads[0], "attempts", format, *other)
    if len(heads) > 1 and (
        kind.name != "swe-bench-report" or any(chosen(h, "attempts", format) != kind for h in heads)
    ):
        raise ValueError(f"give one file of attempts, not {len(heads)}: only reports of SWE-bench go together")
    found, columns = kind.read(heads if kind.name == "swe-bench-report" else heads[0], asked)
    for name, one in found.items():
        low, high = one.trials.min(), one.trials.max()
        each = f"{low} attempt{'s' if low != 1 else ''}" if low == high else f"{low} to {high} attempts"
        of = f" of {by} {name}" if by else ""
        what = f"{one.trials.size} problems{of}, {each} each"
        LOG.info("%s: %s, from %s (format %s)", heads[0].file.name, what, " and ".join(columns), kind.name)
        _warn_of_few(one)
    return found if by else found[""]


def _warn_of_few(found: LoadedAttempts) -> None:
    """Warn if a few problems have another number of attempts than most, as if rows were doubled or lost."""
    if found.problems is None or not found.trials.size:
        return
    usual = int(np.bincount(found.trials).argmax()) if found.trials.max() < found.trials.size * 1000 else 0
    other = np.flatnonzero(found.trials != usual)
    if usual and 0 < other.size <= FEW * found.trials.size:
        name, n = shown(str(found.problems[other[0]])), int(found.trials[other[0]])
        share = f"{found.trials.size - other.size} of {found.trials.size} problems have {usual} attempts"
        warnings.warn(f"{share}, but {name} has {n}: if rows are doubled or missing, mend the file", stacklevel=3)


def _problems(table: Table, asked: Asked) -> NDArray[Any] | None:
    """Names of the problems of a table with a row each; none may come twice."""
    column = asked.task or next((one for one in table.header if one.lower() in TASKS), None)
    if column is None:
        return None
    names = [name_of(entry, f"{table.name}: {brief(column)}") for entry in table.entries[:, table.header.index(column)]]
    if len(set(names)) < len(names):
        seen: dict[str, int] = {}
        twice = next(i for i, name in enumerate(names) if seen.setdefault(name, i) != i)
        where = f"{table.places[seen[names[twice]]]} and {table.places[twice]}"
        remedy = "keep apart what differs with by= (--by COLUMN), or name the format"
        raise ValueError(f"{table.name}: problem {brief(names[twice])} comes twice, in {where}: {remedy}")
    return np.array(names)


def read_counts(head: Head, asked: Asked) -> Read:
    """Read columns of successes and trials."""
    wanted = ["successes", "trials"]
    table = read_table(head.file, *wanted, *(one for one in (asked.group, asked.by) if one))
    return _counted(table, asked, lambda part: _whole(part.name, part.numbers(wanted))), wanted


def _whole(name: str, counts: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Check columns of successes and trials."""
    for title, number in zip(("successes", "trials"), counts.T, strict=True):
        # beyond 2^53 not all whole numbers exist
        if (broken := ~((number >= 0) & (number <= 2.0**53)) | (number != np.floor(number))).any():
            raise ValueError(f"{name}: {title} must hold whole numbers, not {number[broken][0]:g}")
    refuse_totals(counts, f"{name}: the table", rows_only=True)
    return counts[:, 0].astype(np.int64), counts[:, 1].astype(np.int64)


def read_matrix(head: Head, asked: Asked) -> Read:
    """Read a matrix of outcomes, one row a problem."""
    named = [one for one in (asked.task, asked.group, asked.by) if one]
    if head.file.is_archive:
        table = read_table(head.file, "passed", *named)
        columns = [i for i, name in enumerate(table.header) if name.startswith("passed")]
    else:
        table = read_table(head.file, *named)
        columns = table.others(*named, *(name for name in table.header if name.lower() in TASKS))
        if (
            not {str(entry).strip().lower() for entry in table.entries[:, columns].flat} <= BINARY
            and asked.least == 1.0
        ):
            raise ValueError(
                f"{table.name} has columns {listed(table.header)}, which are not outcomes: name its columns successes"
                " and trials, or for single attempts task_id and passed, or give --task and --outcome"
            )
    outcomes = np.array([outcome_of(entry, table.name) for entry in table.entries[:, columns].flat])
    outcomes = outcomes.reshape(len(table.entries), -1)
    if len(outcomes) >= _SURE:
        refuse_totals(outcomes, f"{table.name}: the table")
    counts = np.stack([(outcomes >= asked.least).sum(axis=1), (~np.isnan(outcomes)).sum(axis=1)])
    row = {place: i for i, place in enumerate(table.places)}
    found = _counted(table, asked, lambda part: counts[:, [row[place] for place in part.places]])
    return found, [f"{len(columns)} columns of outcomes"]


def _counted(table: Table, asked: Asked, count: Callable[[Table], Any]) -> dict[str, LoadedAttempts]:
    """Return successes and trials of a table with a row a problem, for each part of it that is kept apart."""
    names = np.array(table.texts(asked.by) if asked.by else [""] * len(table.entries))
    out = {}
    for name in np.unique(names):
        part = table.only(names == name)
        groups = np.array(part.texts(asked.group)) if asked.group else None
        successes, trials = count(part)
        out[str(name)] = LoadedAttempts(successes, trials, groups, _problems(part, asked))
    return out


def read_solved(heads: Sequence[Head], asked: Asked) -> Read:
    """Read reports of SWE-bench, each an attempt at every instance; an instance that is not resolved failed."""
    solved, every, totals = [], set(), set()
    for head in heads:
        lists = {key: value for key, value in (head.document or {}).items() if isinstance(value, list)}
        if any(not isinstance(one, str) for value in lists.values() for one in value):
            raise ValueError(f"{head.file.name} must hold lists of names of instances")
        won = lists["resolved_ids" if "resolved_ids" in lists else "resolved"]
        if len(set(won)) < len(won):
            raise ValueError(f"{head.file.name} names an instance twice among the resolved ones")
        solved.append(set(won))
        every |= {one for value in lists.values() for one in value}
        total = (head.document or {}).get("total_instances", asked.n_problems)
        if total is None:
            remedy = "give n_problems= (--problems N)"
            raise ValueError(f"{head.file.name} names resolved instances, but not how many there were: {remedy}")
        totals.add(as_positive_int(total, f"{head.file.name}: total_instances", maximum=_MOST_INSTANCES))
    if len(totals) > 1 or len(every) > min(totals):
        counts = f"{len(every)} instances are named, of {' or '.join(map(str, sorted(totals)))}"
        raise ValueError(f"reports must be of the same instances, but {counts}")
    # instances that no report names were never resolved
    names = [*sorted(every), *(f"instance {n}" for n in range(len(every) + 1, min(totals) + 1))]
    wins = np.array([sum(name in one for one in solved) for name in names], dtype=np.int64)
    trials = np.full(len(names), len(heads), dtype=np.int64)
    return {"": LoadedAttempts(wins, trials, None, np.array(names))}, ["lists of resolved instances"]
