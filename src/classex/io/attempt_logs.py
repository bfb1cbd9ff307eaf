"""Logs of attempts, a record each, counted one after another in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from classex._validation import listed, one_line, shown
from classex.io.archives import LOG
from classex.io.head import Head
from classex.io.ids import brief
from classex.io.rows import records
from classex.io.tables import is_number

__all__ = [
    "APART",
    "BINARY",
    "OUTCOMES",
    "SETS",
    "TASKS",
    "TRIALS",
    "Asked",
    "LoadedAttempts",
    "Log",
    "Read",
    "in_sets",
    "name_of",
    "outcome_of",
    "read_log",
    "rows_of_evals",
    "rows_of_inspect",
    "rows_of_simulations",
]

# Names of the problem, of the outcome, of the number of an attempt, of the set of problems, and of what must not vary
# within a problem
TASKS = ("task_id", "instance_id", "problem", "problem_id", "question_id", "doc_id", "id")
OUTCOMES = ("passed", "score", "correct", "success", "resolved", "reward", "status")
TRIALS = ("trial", "epoch", "attempt", "completion_id", "sample_index", "repeat", "run_id")
SETS = ("task", "task_name", "dataset", "benchmark", "subset", "doc_hash")
APART = ("model", "model_name", "model_name_or_path", "eval_id", "filter", "solver", "agent", *SETS)
# What stands for a success and a failure besides numbers. C, I, P and N are those of inspect_ai
_WORDS = {"true": 1.0, "false": 0.0, "c": 1.0, "i": 0.0, "correct": 1.0, "incorrect": 0.0, "": np.nan, "none": np.nan}
_WORDS |= {"p": 0.5, "n": 0.0, "pass": 1.0, "fail": 0.0, "passed": 1.0, "failed": 0.0, "timeout": 0.0}
BINARY = {*_WORDS, "0", "1", "0.0", "1.0"}

# characters of a value in a message that shows several
_BRIEF = 40


class LoadedAttempts(NamedTuple):
    """Attempts that were read, one entry a problem.

    Attributes
    ----------
    successes, trials : ndarray of int of shape (n_problems,)
        Successes and trials.
    groups : ndarray of shape (n_problems,) or None
        Groups of the problems, if a column of groups was named.
    problems : ndarray of shape (n_problems,) or None
        Names of the problems, if the file has them.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> cx.io.LoadedAttempts(np.array([1, 0]), np.array([2, 1])).trials
    array([2, 1])
    """

    successes: NDArray[np.int64]
    trials: NDArray[np.int64]
    groups: NDArray[Any] | None = None
    problems: NDArray[Any] | None = None


# attempts by the values of a column, and the columns that they come from
Read: TypeAlias = tuple[dict[str, LoadedAttempts], list[str]]


@dataclass(frozen=True)
class Asked:
    """What is asked of a reader: columns of the problem, outcome, group and comparison, and the least success."""

    task: str | None
    outcome: str | None
    group: str | None
    by: tuple[str, ...]
    least: float
    n_problems: int | None


@dataclass(frozen=True)
class Log:
    """Names of a log with a record an attempt.

    Attributes
    ----------
    tasks, outcomes : tuple of str
        Columns of the problem and of the outcome; a star stands for anything.
    once : bool
        Whether a problem comes only once.
    """

    tasks: tuple[str, ...] = TASKS
    outcomes: tuple[str, ...] = OUTCOMES
    once: bool = False

    def columns(self, names: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the columns of problems, and those of outcomes, among the names of a file."""
        lower = {name.lower(): name for name in names}
        tasks = [lower[task] for task in self.tasks if task in lower]
        left = [column for column in lower if column not in (*self.tasks, *TRIALS)]
        return tasks, [lower[column] for column in left if any(fnmatchcase(column, known) for known in self.outcomes)]

    def fits(self, names: Iterable[str]) -> bool:
        """Whether a file with these names is such a log."""
        return all(self.columns(names))


@dataclass
class _Tally:
    """Successes and trials of problems, counted record by record in little memory."""

    number: dict[str, int] = field(default_factory=dict)
    wins: array[int] = field(default_factory=lambda: array("q"))
    tries: array[int] = field(default_factory=lambda: array("q"))
    first: list[tuple[Any, ...]] = field(default_factory=list)
    attempts: array[int] = field(default_factory=lambda: array("q"))
    owners: array[int] = field(default_factory=lambda: array("q"))


def read_log(head: Head, asked: Asked, log: Log, rows: Any = None) -> Read:
    """Count a record an attempt."""
    name = head.file.name
    header, every = rows or records(head.file)
    tasks, outcomes = log.columns(header)
    task = _column(name, header, asked.task, tasks, "the problem", "task")
    outcome = _column(name, header, asked.outcome, outcomes, "the outcome", "outcome")
    lower = {column.lower(): column for column in header}
    trial = next((lower[column] for column in TRIALS if column in lower and lower[column] not in (task, outcome)), None)
    apart = [lower[column] for column in APART if column in lower and lower[column] not in (task, outcome)]
    kept = [*apart, *([asked.group] if asked.group else [])]
    for column in (*([asked.group] if asked.group else []), *asked.by):
        if column not in header:
            raise ValueError(f"{name} must have a column {column!r}, but its header is {listed(header)}")
    parts: dict[str, _Tally] = {}
    width, partly, late = len(header), 0, {*APART, *TRIALS} - set(lower) - set(asked.by)
    for place, row in every:
        if len(row) != width and (new := late & row.keys()):
            raise ValueError(f"{name}: {place} has {shown(min(new))}, which the first record lacks")
        if task not in row or outcome not in row:
            raise ValueError(
                f"{name}: {place} must have {brief(task)} and {brief(outcome)}, but has {listed(row) or 'nothing'}"
            )
        tally = parts.setdefault(", ".join(str(row.get(column)).strip() for column in asked.by), _Tally())
        problem = name_of(row[task], f"{name}, {place}: {one_line(task, _BRIEF)}")
        value = outcome_of(row[outcome], f"{name}, {place}: {one_line(outcome, _BRIEF)}")
        i = tally.number.setdefault(problem, len(tally.wins))
        if i == len(tally.wins):
            tally.wins.append(0)
            tally.tries.append(0)
            tally.first.append((place, *(row.get(key) for key in kept)) if kept or log.once else ())
        elif kept or log.once:
            _refuse_pooled(name, problem, kept, tally.first[i], (place, *(row.get(key) for key in kept)), log, asked)
        tally.wins[i] += value >= asked.least
        tally.tries[i] += value == value
        partly += 0 < value < asked.least
        if trial:
            tally.attempts.append(hash((problem, str(row.get(trial)))))
            tally.owners.append(i)
    if not parts:
        raise ValueError(f"{name} has a header but no rows")
    if partly:
        what = "%s: outcomes between 0 and %g (P is .5) count as failures: %d; --threshold changes that"
        LOG.info(what, name, asked.least, partly)
    return {part: _of_tally(name, tally, trial, kept, asked) for part, tally in sorted(parts.items())}, [task, outcome]


def _column(name: str, header: Sequence[str], given: str | None, columns: list[str], what: str, argument: str) -> str:
    """Choose the one column of a kind."""
    if given is not None:
        columns = [key for key in header if key == given] or [key for key in header if key.lower() == given.lower()]
    if len(columns) == 1 and list(header).count(columns[0]) == 1:
        return columns[0]
    if not columns or given is not None:
        sought = f"one column {brief(given)}" if given else f"a column of {what}, named by {argument}= (--{argument})"
        raise ValueError(f"{name} must have {sought}, but its header is {listed(header)}")
    raise ValueError(f"{name} has several columns of {what}, {listed(columns)}: choose by {argument}= (--{argument})")


def _refuse_pooled(
    name: str, problem: str, kept: list[str], first: tuple[Any, ...], row: tuple[Any, ...], log: Log, asked: Asked
) -> None:
    """Refuse a row of a problem that differs from the first one in what must not vary."""
    where = f"{first[0]} and {row[0]}"
    for column, before, now in zip(kept, first[1:], row[1:], strict=True):
        if before == now:
            continue
        if column == asked.group:
            raise ValueError(f"every problem must belong to one group, but {shown(problem)} belongs to two, in {where}")
        raise ValueError(
            f"{name}: problem {brief(problem)} has {column} {brief(before)} and {brief(now)}, in {where}: keep them"
            f" apart with by={column!r} (--by {column})"
        )
    if log.once:
        raise ValueError(
            f"{name}: problem {shown(problem)} comes twice, in {where}: keep apart what differs (--by COLUMN)"
        )


def _of_tally(name: str, tally: _Tally, trial: str | None, kept: list[str], asked: Asked) -> LoadedAttempts:
    """Return the counts, problems in the order of their names; refuse an attempt that comes twice."""
    if tally.attempts:
        codes = np.frombuffer(tally.attempts, dtype=np.int64)
        ordered = np.sort(codes)
        if (ordered[1:] == ordered[:-1]).any():
            ordered = np.argsort(codes, kind="stable")
            same = np.flatnonzero(np.diff(codes[ordered]) == 0)
            whose = list(tally.number)[tally.owners[ordered[same].min()]]
            raise ValueError(
                f"{name}: {same.size} of {codes.size} rows repeat a problem and its {trial}, such as problem"
                f" {shown(whose)}: drop stale rows, or keep apart what differs with by= (--by COLUMN)"
            )
    problems = np.array(list(tally.number))
    order = np.argsort(problems, kind="stable")
    groups = np.array([str(row[-1]).strip() for row in tally.first])[order] if asked.group else None
    wins, tries = (np.array(counts, dtype=np.int64)[order] for counts in (tally.wins, tally.tries))
    sets = [[row[i] for row in tally.first] for i, column in enumerate(kept, 1) if asked.by and column.lower() in SETS]
    return LoadedAttempts(wins, tries, groups, in_sets(problems, sets)[order])


def in_sets(problems: NDArray[Any], sets: Iterable[Iterable[Any]]) -> NDArray[Any]:
    """Names of problems after those of their tasks: problem 1 of two tasks is not the same problem."""
    return np.array([" ".join(map(str, names)) for names in zip(*sets, problems, strict=True)])


def outcome_of(entry: Any, where: str) -> float:
    """Outcome as a number, NaN where no attempt was made."""
    value = entry.get("value") if isinstance(entry, dict) else entry
    number: Any = _WORDS.get(str(value).strip().lower(), value)
    if not is_number(number) or abs(float(number)) == np.inf:
        accepted = "true or false, pass or fail, C, I, P or N, or a number"
        raise ValueError(f"{where} must be {accepted}, not {brief(value)}")
    return float(number)


def name_of(entry: Any, where: str) -> str:
    """Name of a problem; 7.0, as pandas writes it beside empty entries, is 7."""
    if entry is None or isinstance(entry, dict | list) or (text := str(entry).strip()) in ("", "nan"):
        raise ValueError(f"{where} must be a name, not {brief(entry)}")
    return text[:-2] if text.endswith(".0") and text[:-2].isdecimal() else text


def rows_of_evals(head: Head) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    """Rows of evalplus and BigCodeBench: lists of attempts by problem, perhaps numbered."""
    whole = head.document or {}
    lists = whole.get("eval", whole)
    rows = []
    for task, attempts in lists.items():
        for number, attempt in enumerate(attempts):
            record = attempt[1] if isinstance(attempt, list) else attempt
            rows.append((f"attempt {number + 1} at {one_line(task, _BRIEF)}", {**record, "task_id": task}))
    return sorted({key for _, row in rows for key in row}), iter(rows)


def rows_of_inspect(head: Head) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    """Rows of a log of inspect_ai: samples with an outcome for each scorer."""
    samples = (head.document or {})["samples"]
    scorers = sorted({name for sample in samples for name in sample.get("scores") or {}})
    rows = []
    for number, sample in enumerate(samples, 1):
        values = {name: (sample.get("scores") or {}).get(name) for name in scorers}
        rows.append((f"sample {number}", {"id": sample["id"], "epoch": sample.get("epoch", 1), **values}))
    return ["id", "epoch", *scorers], iter(rows)


def rows_of_simulations(head: Head) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    """Rows of tau2-bench: simulations with a reward."""
    rows = []
    for number, run in enumerate((head.document or {})["simulations"], 1):
        reward = (run.get("reward_info") or {}).get("reward")
        rows.append((f"simulation {number}", {"task_id": run["task_id"], "trial": run.get("trial"), "reward": reward}))
    return ["task_id", "trial", "reward"], iter(rows)
