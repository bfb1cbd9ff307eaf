"""Reader of repeated attempts at problems: a record each, a matrix of outcomes, counts, or solved ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._totals import refuse_totals
from classex._validation import as_positive_int, listed, shown
from classex.io.attempt_logs import BINARY, SETS, TASKS, Asked, LoadedAttempts, Read, in_sets, name_of, outcome_of
from classex.io.head import Head
from classex.io.ids import FEW, brief
from classex.io.rows import people_hint
from classex.io.tables import Table, read_table

__all__ = ["read_counts", "read_matrix", "read_solved"]

# Problems from which on a column of 0 and 1 is hardly the sum of two others by chance
_SURE = 5
# Instances of a report: more than any benchmark has, and each gets a name
_MOST_INSTANCES = 10**6


def warn_of_few(counts: LoadedAttempts) -> None:
    """Warn if a few problems have another number of attempts than most, as if rows were doubled or lost."""
    if counts.problems is None or not counts.trials.size:
        return
    usual = int(np.bincount(counts.trials).argmax()) if counts.trials.max() < counts.trials.size * 1000 else 0
    other = np.flatnonzero(counts.trials != usual)
    if usual and 0 < other.size <= FEW * counts.trials.size:
        name, n = shown(str(counts.problems[other[0]])), int(counts.trials[other[0]])
        share = f"{counts.trials.size - other.size} of {counts.trials.size} problems have {usual} attempts"
        warnings.warn(f"{share}, but {name} has {n}: if rows are doubled or missing, mend the file", stacklevel=3)


def _problems(table: Table, asked: Asked) -> NDArray[Any] | None:
    """Names of the problems of a table with a row each; none may come twice."""
    column = asked.task or next((name for name in table.header if name.lower() in TASKS), None)
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
    table = read_table(head.file, *wanted, *(column for column in (asked.group, *asked.by) if column))
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
    named = [column for column in (asked.task, asked.group, *asked.by) if column]
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
                f"{table.name} has columns {listed(table.header)}, which are not outcomes"
                + (
                    people_hint(table.header)
                    or ": name its columns successes and trials, or for single attempts task_id and passed, or give"
                    " --task and --outcome"
                )
            )
    outcomes = np.array([outcome_of(entry, table.name) for entry in table.entries[:, columns].flat])
    outcomes = outcomes.reshape(len(table.entries), -1)
    if len(outcomes) >= _SURE:
        refuse_totals(outcomes, f"{table.name}: the table")
    counts = np.stack([(outcomes >= asked.least).sum(axis=1), (~np.isnan(outcomes)).sum(axis=1)])
    row = {place: i for i, place in enumerate(table.places)}
    parts = _counted(table, asked, lambda part: counts[:, [row[place] for place in part.places]])
    return parts, [f"{len(columns)} columns of outcomes"]


def _counted(table: Table, asked: Asked, count: Callable[[Table], Any]) -> dict[str, LoadedAttempts]:
    """Return successes and trials of a table with a row a problem, for each part of it that is kept apart."""
    names = np.array(
        [", ".join(row) for row in zip(*map(table.texts, asked.by), strict=True)] or [""] * len(table.places)
    )
    sets = [column for column in table.header if asked.by and column.lower() in SETS and column != asked.task]
    out = {}
    for name in np.unique(names):
        part = table.only(names == name)
        groups, problems = np.array(part.texts(asked.group)) if asked.group else None, _problems(part, asked)
        problems = None if problems is None else in_sets(problems, map(part.texts, sets))
        successes, trials = count(part)
        out[str(name)] = LoadedAttempts(successes, trials, groups, problems)
    return out


def read_solved(heads: Sequence[Head], asked: Asked) -> Read:
    """Read reports of SWE-bench, each an attempt at every instance; an instance that is not resolved failed."""
    solved, every, totals = [], set(), set()
    for head in heads:
        lists = {key: value for key, value in (head.document or {}).items() if isinstance(value, list)}
        if any(not isinstance(name, str) for value in lists.values() for name in value):
            raise ValueError(f"{head.file.name} must hold lists of names of instances")
        won = lists["resolved_ids" if "resolved_ids" in lists else "resolved"]
        if len(set(won)) < len(won):
            raise ValueError(f"{head.file.name} names an instance twice among the resolved ones")
        solved.append(set(won))
        every |= {name for value in lists.values() for name in value}
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
    wins = np.array([sum(name in report for report in solved) for name in names], dtype=np.int64)
    trials = np.full(len(names), len(heads), dtype=np.int64)
    return {"": LoadedAttempts(wins, trials, None, np.array(names))}, ["lists of resolved instances"]
