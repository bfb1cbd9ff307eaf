"""Reader of repeated attempts at problems: a record each, a matrix of outcomes, counts, or solved ones."""

from __future__ import annotations

import warnings
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_positive_int, listed, one_line, refuse_totals, shown
from classex.io.checks import FEW, brief, check_outcomes, empty_outcomes, refuse_no_header
from classex.io.tables import Head, Table, is_number, people_hint, read_table, records

__all__ = ["LoadedAttempts"]


# Names of the problem, of the outcome, of the number of an attempt, of the set of problems, and of what must not vary
# within a problem
TASKS = ("task_id", "instance_id", "problem", "problem_id", "question_id", "doc_id", "id")
OUTCOMES = ("passed", "score", "correct", "success", "resolved", "is_resolved", "reward", "status")
TRIALS = ("trial", "epoch", "attempt", "completion_id", "sample_index", "repeat", "run_id")
SETS = ("task", "task_name", "dataset", "benchmark", "subset", "doc_hash")
APART = ("model", "model_name", "model_name_or_path", "eval_id", "filter", "solver", "agent", *SETS)
# What stands for no outcome, and for a success and a failure besides numbers. C, I, P and N are those of inspect_ai
_EMPTY = ("", "none", "nan", "null", "n/a", "<na>")
_WORDS = {"true": 1.0, "false": 0.0, "c": 1.0, "i": 0.0, "correct": 1.0, "incorrect": 0.0} | dict.fromkeys(
    _EMPTY, np.nan
)
_WORDS |= {"p": 0.5, "n": 0.0, "pass": 1.0, "fail": 0.0, "passed": 1.0, "failed": 0.0, "timeout": 0.0}
BINARY = {*_WORDS, "0", "1", "0.0", "1.0"}
# what a file of attempts may lack
HINT = "name its columns successes and trials, or for single attempts task_id and passed, or give --task and --outcome"
# characters of a value in a message that shows several
_BRIEF = 40
# values of a condition that all problems share: more are hardly tried several times each
_MOST_VALUES = 8


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
    """What is asked of a reader: columns of the problem, outcome, group and comparison, and what is a success."""

    task: str | None
    outcome: str | None
    group: str | None
    by: tuple[str, ...]
    least: float | None
    n_problems: int | None
    empty: str | None = None
    words: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether empty outcomes are failures."""
        return self.empty == "fail"

    @property
    def drops(self) -> bool:
        """Whether attempts that were not made are left out where they count as failures by default."""
        return self.empty == "drop"

    def outcome_of(self, entry: Any, where: str) -> float:
        """Outcome as a number, NaN where it is empty and does not count."""
        value = entry.get("value") if isinstance(entry, dict) else entry
        empty = str(value).strip().lower() in _EMPTY
        if self.words and not empty:
            return float(str(value).strip() in self.words)
        return outcome_of(value, where)


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


@dataclass
class _Outcomes:
    """Outcomes of a log: how many there are, are empty, succeed and lie between failure and success; the largest."""

    asked: Asked
    number: int = 0
    empty: int = 0
    won: int = 0
    partly: int = 0
    most: float = -np.inf

    def each(self, entry: Any, where: str, mean: bool) -> Iterator[tuple[bool, bool]]:
        """Whether an attempt counts, and succeeded; a list holds several attempts."""
        least = 1.0 if self.asked.least is None else self.asked.least
        for one in entry if isinstance(entry, list) else [entry]:
            value = self.asked.outcome_of(one, where)
            if mean and 0 < value < 1:
                raise ValueError(f"{where} is {value:g}, a mean over attempts: give the outcome of each attempt")
            empty, won = value != value, value >= least
            self.number += 1
            self.empty, self.won, self.partly = self.empty + empty, self.won + won, self.partly + (0 < value < least)
            self.most = max(self.most, value) if not empty else self.most
            yield not empty or self.asked.fails, won

    def say(self, file: Any) -> None:
        """Refuse a scale that is not 0 to 1, and note empty outcomes and those between failure and success."""
        least = check_outcomes(file.name, self.asked.least, self.most)
        if text := empty_outcomes(self.empty, self.number, self.won, self.asked.fails):
            file.note(text)
        if self.partly:
            what = f"outcomes between 0 and {least:g} (P is .5) count as failures: {self.partly}"
            file.note(f"{what}; threshold= (--threshold) changes that")


def read_log(head: Head, asked: Asked, log: Log, rows: Any = None) -> Read:
    """Count a record an attempt, or a list of attempts."""
    name = head.file.name
    header, every = rows or records(head.file)
    tasks, outcomes = log.columns(header)
    # a record may have a number of its own beside the name of its problem
    tasks = [task for task in tasks if task.lower() != "id"] or tasks
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
    late, counted = {*APART, *TRIALS} - set(lower) - set(asked.by), _Outcomes(asked)
    mean = outcome.lower().startswith(("pass@", "pass_at_"))
    conditions = _Conditions(header, {task, outcome, trial, *kept, *asked.by})
    for place, row in every:
        if len(row) != len(header) and (new := late & row.keys()):
            raise ValueError(f"{name}: {place} has {shown(min(new))}, which the first record lacks")
        if task not in row or outcome not in row:
            must = f"{name}: {place} must have {brief(task)} and {brief(outcome)}"
            raise ValueError(f"{must}, but has {listed(row) or 'nothing'}")
        tally = parts.setdefault(", ".join(str(row.get(column)).strip() for column in asked.by), _Tally())
        problem = name_of(row[task], f"{name}, {place}: {one_line(task, _BRIEF)}")
        i = tally.number.setdefault(problem, len(tally.wins))
        if i == len(tally.wins):
            tally.wins.append(0)
            tally.tries.append(0)
            tally.first.append((place, *(row.get(key) for key in kept)) if kept or log.once else ())
        elif kept or log.once:
            _refuse_pooled(name, problem, kept, tally.first[i], (place, *(row.get(key) for key in kept)), log, asked)
        for counts, won in counted.each(row[outcome], f"{name}, {place}: {one_line(outcome, _BRIEF)}", mean):
            tally.wins[i] += won
            tally.tries[i] += counts
        conditions.see(problem, row)
        if trial:
            tally.attempts.append(hash((problem, str(row.get(trial)))))
            tally.owners.append(i)
    if not parts:
        raise ValueError(f"{name} has a header but no rows")
    counted.say(head.file)
    conditions.warn(name)
    return {part: _of_tally(name, tally, trial, kept, asked) for part, tally in sorted(parts.items())}, [task, outcome]


class _Conditions:
    """Columns of a log that may be conditions, such as a temperature: few values, each of them in every problem."""

    def __init__(self, header: Iterable[str], known: Collection[str | None]) -> None:
        self.pairs: dict[str, Counter[Any]] = {column: Counter() for column in header if column not in known}
        self.values: dict[str, set[str]] = {column: set() for column in self.pairs}

    def see(self, problem: str, row: Mapping[str, Any]) -> None:
        """Count a row; a column with many values is no condition."""
        for column in list(self.pairs):
            value, values = str(row.get(column))[:_BRIEF], self.values[column]
            values.add(value)
            self.pairs[column][problem, value] += 1
            if len(values) > _MOST_VALUES:
                del self.pairs[column]

    def warn(self, name: str) -> None:
        """Warn of a column that has several values within every problem, each more than once."""
        for column, pairs in self.pairs.items():
            problems, values = {problem for problem, _ in pairs}, self.values[column]
            if len(values) > 1 and len(pairs) == len(problems) * len(values) and min(pairs.values()) > 1:
                what = f"{name}: {shown(column)} has {len(values)} values within every problem, which are pooled"
                warnings.warn(f"{what}: by={column!r} (--by {column}) keeps them apart", UserWarning, stacklevel=4)


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
        what = f"{name}: problem {brief(problem)} has {column} {brief(before)} and {brief(now)}, in {where}"
        raise ValueError(f"{what}: keep them apart with by={column!r} (--by {column})")
    if log.once:
        what = f"{name}: problem {shown(problem)} comes twice, in {where}"
        raise ValueError(f"{what}: keep apart what differs (--by COLUMN)")


def _of_tally(name: str, tally: _Tally, trial: str | None, kept: list[str], asked: Asked) -> LoadedAttempts:
    """Return the counts, problems in the order of their names; refuse an attempt that comes twice."""
    if tally.attempts:
        codes = np.frombuffer(tally.attempts, dtype=np.int64)
        ordered = np.sort(codes)
        if (ordered[1:] == ordered[:-1]).any():
            ordered = np.argsort(codes, kind="stable")
            same = np.flatnonzero(np.diff(codes[ordered]) == 0)
            whose = list(tally.number)[tally.owners[ordered[same].min()]]
            what = f"{same.size} of {codes.size} rows repeat a problem and its {trial}, such as problem {shown(whose)}"
            remedy = "drop stale rows, or keep apart what differs with by= (--by COLUMN)"
            raise ValueError(f"{name}: {what}: {remedy}")
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


def rows_of_evals(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Rows of evalplus and BigCodeBench: lists of attempts by problem, perhaps numbered."""
    rows = []
    for task, attempts in document.get("eval", document).items():
        for number, attempt in enumerate(attempts, 1):
            record = attempt[1] if isinstance(attempt, list) else attempt
            rows.append((f"attempt {number} at {one_line(task, _BRIEF)}", {**record, "task_id": task}))
    return rows


def rows_of_inspect(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Rows of a log of inspect_ai: samples with an outcome for each scorer."""
    scorers = sorted({name for sample in document["samples"] for name in sample.get("scores") or {}})
    rows = []
    for number, sample in enumerate(document["samples"], 1):
        values = {name: (sample.get("scores") or {}).get(name) for name in scorers}
        rows.append((f"sample {number}", {"id": sample["id"], "epoch": sample.get("epoch", 1), **values}))
    return rows


def rows_of_results(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Rows of Terminal-Bench: results with a task each."""
    return [
        (f"result {number}", {name: row.get(name) for name in ("task_id", "trial_name", "is_resolved")})
        for number, row in enumerate(document["results"], 1)
    ]


def rows_of_simulations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Rows of tau2-bench: simulations with a reward."""
    rows = []
    for number, run in enumerate(document["simulations"], 1):
        reward = (run.get("reward_info") or {}).get("reward")
        rows.append((f"simulation {number}", {"task_id": run["task_id"], "trial": run.get("trial"), "reward": reward}))
    return rows


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
    parts = _counted(table, asked, np.stack([table.wholes(name, 0) for name in wanted]))
    for part in parts.values():
        refuse_totals(np.stack(part[:2], axis=1), f"{table.name}: the table", rows_only=True)
    return parts, wanted


def read_matrix(head: Head, asked: Asked) -> Read:
    """Read a matrix of outcomes, one row a problem."""
    named = [column for column in (asked.task, asked.group, *asked.by) if column]
    if head.file.is_archive:
        table = read_table(head.file, "passed", *named)
        columns = [i for i, name in enumerate(table.header) if name.startswith("passed")]
    else:
        table = read_table(head.file, *named)
        refuse_no_header(table.name, table.header)
        columns = table.others(*named, *(name for name in table.header if name.lower() in TASKS))
        found = {str(entry).strip().lower() for entry in table.entries[:, columns].flat}
        if not found <= BINARY and not all(map(is_number, found)) and not asked.words:
            what = f"{table.name} has columns {listed(table.header)}, which are not outcomes"
            raise ValueError(what + (people_hint(table.header) or f": {HINT}"))
    outcomes = np.array([asked.outcome_of(entry, table.name) for entry in table.entries[:, columns].flat])
    outcomes = outcomes.reshape(len(table.entries), -1)
    if len(outcomes) >= _SURE:
        refuse_totals(outcomes, f"{table.name}: the table")
    empty = np.isnan(outcomes)
    won = outcomes >= check_outcomes(table.name, asked.least, float(np.nanmax(outcomes, initial=0.0)), f"; or {HINT}")
    if text := empty_outcomes(int(empty.sum()), empty.size, int(won.sum()), asked.fails):
        head.file.note(text)
    counts = np.stack([won.sum(axis=1), (~empty | asked.fails).sum(axis=1)])
    return _counted(table, asked, counts), [f"{len(columns)} columns of outcomes"]


def _counted(table: Table, asked: Asked, counts: NDArray[np.int64]) -> dict[str, LoadedAttempts]:
    """Return successes and trials of a table with a row a problem, for each part of it that is kept apart."""
    apart = map(table.texts, asked.by)
    names = np.array([", ".join(row) for row in zip(*apart, strict=True)] or [""] * len(table.places))
    sets = [column for column in table.header if asked.by and column.lower() in SETS and column != asked.task]
    out = {}
    for name in np.unique(names):
        part = table.only(names == name)
        groups, problems = np.array(part.texts(asked.group)) if asked.group else None, _problems(part, asked)
        problems = None if problems is None else in_sets(problems, map(part.texts, sets))
        successes, trials = counts[:, names == name]
        out[str(name)] = LoadedAttempts(successes, trials, groups, problems)
    return out


def read_solved(heads: Sequence[Head], asked: Asked) -> Read:
    """Read reports of SWE-bench, each an attempt at every instance; an instance that is not resolved failed."""
    solved, submitted, every, totals = [], [], set(), set()
    for head in heads:
        lists = {key: value for key, value in head.document.items() if isinstance(value, list)}
        if any(not isinstance(name, str) for value in lists.values() for name in value):
            raise ValueError(f"{head.file.name} must hold lists of names of instances")
        won = lists["resolved_ids" if "resolved_ids" in lists else "resolved"]
        if len(set(won)) < len(won):
            raise ValueError(f"{head.file.name} names an instance twice among the resolved ones")
        solved.append(set(won))
        submitted.append(set(lists.get("submitted_ids", [])) | set(won))
        every |= {name for value in lists.values() for name in value}
        total = head.document.get("total_instances", asked.n_problems)
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
    n_made, n_won = sum(map(len, submitted)), int(wins.sum())
    if all("submitted_ids" in head.document for head in heads) and n_made < trials.sum():
        what = f"{trials.sum() - n_made} of {trials.sum()} instances were never submitted"
        rates = f"{n_won / trials.sum():.3g} of all, {n_won / max(n_made, 1):.3g} of those submitted are resolved"
        how = "left out" if asked.drops else "count as failures (empty='drop', --empty drop, leaves them out)"
        heads[0].file.note(f"{what} and {how}: {rates}")
        if asked.drops:
            trials = np.array([sum(name in report for report in submitted) for name in names], dtype=np.int64)
    tried = trials > 0
    return {"": LoadedAttempts(wins[tried], trials[tried], None, np.array(names)[tried])}, [
        "lists of resolved instances"
    ]


def together(every: Sequence[Read], names: Sequence[str]) -> Read:
    """Add up files of attempts at the same problems."""
    totals: dict[str, dict[str, NDArray[np.int64]]] = {}
    for (parts, _), name in zip(every, names, strict=True):
        for part, counts in parts.items():
            if counts.problems is None or counts.groups is not None:
                raise ValueError(f"several files of attempts must name their problems, and no groups, unlike {name}")
            own = totals.setdefault(part, {})
            for problem, both in zip(counts.problems.tolist(), np.stack(counts[:2], axis=1), strict=True):
                own[problem] = own.get(problem, 0) + both
    out = {}
    for part, own in totals.items():
        successes, trials = np.array(list(own.values())).T
        out[part] = LoadedAttempts(successes, trials, None, np.array(list(own)))
    return out, every[0][1]
