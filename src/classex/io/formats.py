"""The formats of files: how each is recognised, by names and never by values, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, overload

from classex._checks import as_finite_number, as_positive_int, listed, one_of
from classex.io import attempts, candidates, files
from classex.io.archives import File, read_file
from classex.io.attempts import APART, OUTCOMES, TASKS, TRIALS, Asked, Log, read_log
from classex.io.candidates import Lists, LoadedPairs, LoadedRanks, check_values
from classex.io.files import LoadedScores, LoadedSearches, LoadedUnits, read_units
from classex.io.tables import Head, people_hint

__all__ = [
    "FORMATS",
    "Format",
    "load_attempts",
    "load_pairs",
    "load_ranks",
    "load_scores",
    "load_searches",
    "load_trec",
]


# what a file may hold
_ATTEMPTS, _RUN, _QRELS, _SEARCHES = ("attempts",), ("run",), ("qrels",), ("searches",)


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name : str
        Its name, for ``format=`` and ``--format``.
    of : tuple of str
        What it may be: attempts, run, qrels, scores, searches, ranks.
    fits : callable
        Whether the `Head` of a file is of this format.
    read : callable
        Its reader.
    example : str
        A file of this format, in ``tests/io/corpus.py`` or beside it.

    Examples
    --------
    >>> from classex.io import FORMATS
    >>> [one.name for one in FORMATS if "ranks" in one.of]
    ['ranks', 'lm-eval-options']
    """

    name: str
    of: tuple[str, ...]
    fits: Callable[[Head], bool]
    read: Callable[..., Any]
    example: str


# outcomes that logs and documents of the programs below have
_METRICS = ("exact_match", "acc", "acc_norm", "pass@1", "pass_at_1")
_KNOWN = (*OUTCOMES, *_METRICS, "*_status", "score_*", "graded_list")


def _log(name: str, tasks: Sequence[str], *outcomes: str, once: bool = False) -> Format:
    log = Log(tuple(tasks), outcomes, once)
    return Format(name, _ATTEMPTS, lambda head: log.fits(head.names), partial(read_log, log=log), f"{name}.jsonl")


def _nested(name: str, fits: Callable[[Head], bool], rows: Callable[[Any], Any], *outcomes: str) -> Format:
    log = Log(outcomes=outcomes)

    def read(head: Head, asked: Any) -> Any:
        try:
            every = rows(head.document)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError):
            raise ValueError(f"{head.file.name} does not have the form of {name}") from None
        header = list(dict.fromkeys(key for _, row in every for key in row))
        return read_log(head, asked, log, (header, every))

    return Format(name, _ATTEMPTS, fits, read, f"{name}.json")


def _is_matrix(head: Head) -> bool:
    """Whether no column has a name that means something else."""
    if head.file.is_archive:
        return head.has("passed")
    known = {*TRIALS, *APART, "successes", "trials"} & set(head.names) or Log(outcomes=_KNOWN).columns(head.names)[1]
    return not known and not head.document and len(set(head.names) - set(TASKS)) > 0


def _is_records(head: Head) -> bool:
    """Whether a log has names in a combination of no single program."""
    return Log().fits(head.names) and not any(log.fits(head) for log in _LOGS)


def _is_ranks(head: Head) -> bool:
    """Whether a file has ranks that are not those of candidates."""
    return head.has("rank") and not any(head.called("candidate", "score", "document"))


def _is_evals(head: Head) -> bool:
    """Whether a document holds lists of attempts, and nothing else."""
    lists = {} if _lists("results")(head) else head.document.get("eval", head.document)
    tasks = list(lists.values()) if isinstance(lists, dict) else []
    return bool(tasks) and all(isinstance(log, list) and log and isinstance(log[0], dict | list) for log in tasks)


def _lists(*names: str) -> Callable[[Head], bool]:
    """Whether a document has a list of one of these names."""
    return lambda head: any(isinstance(head.document.get(name), list) for name in names)


_LOGS = (
    _log("human-eval", ["task_id"], "passed"),
    _log("evalplus", ["task_id"], "status", "*_status"),
    _log("swe-bench", ["instance_id"], "resolved"),
    _log("tau-bench", ["task_id"], "reward"),
    _log("lm-eval", ["doc_id"], *_METRICS, once=True),
    _log("inspect", ["id"], "score", "score_*"),
    _log("livecodebench", ["question_id"], "graded_list"),
    _log("terminal-bench", ["task_id"], "is_resolved"),
)


def _table(*names: str) -> Callable[[Head], bool]:
    """Whether a table has these columns."""
    return lambda head: not head.file.is_archive and head.has(*names)


_is_beir = _table("query-id", "corpus-id", "score")


def _called(*meanings: str) -> Callable[[Head], bool]:
    """Whether a table has columns with these meanings, and is not one of BEIR."""
    return lambda head: not head.file.is_archive and all(head.called(*meanings)) and not _is_beir(head)


def _is_wide(head: Head) -> bool:
    """Whether a table has labels, and more columns than one of scores, or than one of records of scores."""
    one = any(head.called("score")) or head.has("scores")
    return not head.file.is_archive and head.has(head.label.lower()) and not one


def _arrays(*names: str) -> Callable[[Head], bool]:
    """Whether an archive has these arrays."""
    return lambda head: head.file.is_archive and head.has(*names)


def _is_pairs(head: Head) -> bool:
    """Whether a table has a score and whether a pair is genuine, and no candidates or classes."""
    return _called("genuine", "score")(head) and not any(head.called("candidate")) and not head.has("class")


def _is_trials(head: Head) -> bool:
    """Whether lines have no header, and hold a score and whether a pair is genuine."""
    return not head.file.is_archive and candidates.key_of(head.words) is not None


def _is_arrays(head: Head) -> bool:
    """Whether an archive has scores, or logits, and labels."""
    name = "labels" if head.label == "label" else head.label.lower()
    return head.file.is_archive and head.has(name) and (head.has("scores") or head.has("logits"))


def _lines(name: str, of: tuple[str, ...], width: int) -> Format:
    """Lines of so many entries, without a header."""

    def fits(head: Head) -> bool:
        return not head.file.is_archive and len(head.words) == width and candidates.is_line(head.words)

    return Format(name, of, fits, partial(candidates.read_lines, width=width), f"{name}.txt")


_SCORES, _RELEVANCES = (partial(candidates.read_columns, value=name) for name in ("score", "relevance"))
#: all formats
FORMATS: tuple[Format, ...] = (
    Format("counts", _ATTEMPTS, lambda head: head.has("successes", "trials"), attempts.read_counts, "counts.csv"),
    Format("matrix", _ATTEMPTS, _is_matrix, attempts.read_matrix, "matrix.csv"),
    *_LOGS,
    Format("records", _ATTEMPTS, _is_records, partial(read_log, log=Log()), "records.csv"),
    _nested("evalplus-json", _is_evals, attempts.rows_of_evals, "passed", "status", "*_status"),
    _nested("inspect-json", _lists("samples"), attempts.rows_of_inspect, "*"),
    _nested("tau2-bench", _lists("simulations"), attempts.rows_of_simulations, "reward"),
    _nested("terminal-bench-json", _lists("results"), attempts.rows_of_results, "is_resolved"),
    Format(
        "swe-bench-report", _ATTEMPTS, _lists("resolved_ids", "resolved"), attempts.read_solved, "swe-bench-report.json"
    ),
    _lines("trec-run", _RUN, 6),
    _lines("msmarco-run", _RUN, 3),
    Format("run-table", _RUN, _called("query", "document", "score"), _SCORES, "run-table.csv"),
    _lines("trec-qrels", _QRELS, 4),
    Format("beir-qrels", _QRELS, _is_beir, _SCORES, "beir-qrels.tsv"),
    Format("qrels-table", _QRELS, _called("query", "document", "relevance"), _RELEVANCES, "qrels-table.csv"),
    Format("json-lists", (*_RUN, *_QRELS), candidates.is_nested, candidates.read_nested, "json-lists.json"),
    Format("wide", ("scores",), _is_wide, files.read_wide, "wide.csv"),
    Format("long", ("scores",), _table("label", "class", "score"), files.read_long, "long.csv"),
    Format("arrays", ("scores",), _is_arrays, files.read_score_arrays, "arrays.npz"),
    Format("searches", _SEARCHES, _is_wide, files.read_searches, "searches.csv"),
    Format("search-arrays", _SEARCHES, _arrays("scores", "nonmated_scores"), files.read_search_arrays, "searches.npz"),
    Format(
        "candidates", _SEARCHES, _called("search", "candidate", "score"), candidates.read_candidates, "candidates.csv"
    ),
    Format("pairs", ("pairs",), _is_pairs, candidates.read_pairs, "pairs.csv"),
    Format("trials", ("pairs",), _is_trials, candidates.read_trials, "trials.txt"),
    Format("ranks", ("ranks",), _is_ranks, candidates.read_ranks, "ranks.csv"),
    Format("lm-eval-options", ("ranks",), _table("filtered_resps", "target"), candidates.read_options, "options.jsonl"),
)
# formats of a table, and of an archive, that are taken if none fits, so that their readers say what is missing
_USUAL = {"scores": ("wide", "arrays"), "searches": ("", "search-arrays")}
# what reads a file of another kind, by its format or by what it holds
_READS = {
    "attempts": "classex pass-at-k reads it",
    "lm-eval-options": "classex extrapolate reads it with --negatives M, the number of wrong options",
    "lm-eval": "classex pass-at-k reads it; for more options, --negatives M gives the number of wrong ones",
    **dict.fromkeys(("run", "qrels"), "classex extrapolate reads it with --qrels FILE and --corpus N"),
    **dict.fromkeys(("searches", "pairs"), "classex open-set reads it"),
    "scores": "classex extrapolate reads it",
    "ranks": "classex extrapolate reads it with --among K, or see ranks_from_wins(n_classes - rank, n_classes)",
}
# what a file of none of the formats may lack
_REMEDY = {
    "attempts": attempts.HINT,
    "run": "lines must read 'query Q0 document rank score tag'",
    "qrels": "lines must read 'query 0 document relevance'",
    "scores": "it must have one column 'label', and one of scores for each class",
    "searches": "it must have columns search, candidate, score and label, or label and one for each sample enrolled",
    "pairs": "it must have columns genuine and score",
    "ranks": "it must have one column 'rank'",
}


def chosen(
    head: Head,
    of: str | tuple[str, ...],
    name: str | None = None,
    otherwise: str | None = None,
    but: Collection[str] = (),
) -> Format:
    """Return the format of a file.

    Parameters
    ----------
    head : Head
        The file.
    of : str or tuple of str
        What it may hold.
    name : str, optional
        The format, if it is known.
    otherwise : str, optional
        The format that is taken if none fits; by default the usual one of scores and searches.
    but : collection of str
        Formats that do not count.

    Returns
    -------
    Format
        The one with this name, or the only one that fits.

    Raises
    ------
    ValueError
        If no format has this name, or none fits, or several do.
    """
    kinds = (of,) if isinstance(of, str) else of
    accepted = [form for form in FORMATS if set(kinds) & set(form.of)]
    if name is not None:
        one_of(name, "format", tuple(form.name for form in accepted))
    fitting = [form for form in accepted if (form.name == name if name else form.name not in but and form.fits(head))]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        every = ", ".join(form.name for form in fitting)
        raise ValueError(f"{head.file.name} may be {every}: choose by format= (--format NAME)")
    # scores may lack searches of people who are not enrolled
    alike = ("matrix", "arrays") if "searches" in kinds else ("matrix",)
    other = next((form for form in FORMATS if form.name not in alike and form.fits(head)), None)
    if not otherwise and other is None and not any(head.called("score")):
        otherwise = _USUAL.get(kinds[0], ("", ""))[head.file.is_archive]
    return next((form for form in accepted if form.name == otherwise), None) or _none(head, kinds, other)


def _none(head: Head, kinds: tuple[str, ...], other: Format | None) -> NoReturn:
    if other is not None:
        what = f"{head.file.name} looks like {other.name} ({' or '.join(other.of)}), not like {' or '.join(kinds)}"
        swapped = {*kinds, *other.of} <= {"run", "qrels"}
        raise ValueError(
            f"{what}: {'were two files swapped?' if swapped else _READS.get(other.name, _READS[other.of[0]])}"
        )
    names = f"its columns are {listed(head.names)}" if head.names else "it names no columns"
    remedies = people_hint(head.names).removeprefix(": ") or "; or ".join(_REMEDY[kind] for kind in kinds)
    raise ValueError(f"{head.file.name} has none of the formats of {' and '.join(kinds)}; {names}: {remedies}")


def load_attempts(
    path: File | str | Path | Sequence[str | Path],
    *,
    format: str | None = None,
    task: str | None = None,
    outcome: str | None = None,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
    threshold: float | None = None,
    success: str | Sequence[str] = (),
    empty: str | None = None,
    n_problems: int | None = None,
) -> Any:
    r"""Read the successes and trials of problems.

    Parameters
    ----------
    path : str or Path, or list of them
        The file; ``-`` is the standard input. Several files hold several attempts each. Columns are recognised by
        their names, in any order, in text, records of JSON (one a line, or a list), Parquet, or arrays of ``.npz``:

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
    by : str or sequence of str, optional
        Column whose values are kept apart, such as the model, or several columns. Names of problems then begin with
        those of their task, dataset, benchmark or subset, if the file has such a column.
    threshold : float, optional
        An outcome that is a number counts as a success from here on, by default from 1 on where none is above 1. True,
        C, correct and pass are 1, P is .5, and False, I, N, incorrect, fail and timeout are 0.
    success : str or sequence of str
        Words that stand for a success; all others are then failures.
    empty : {"drop", "fail"}, optional
        Whether attempts with an empty outcome are left out (default) or failed. Instances that a report of SWE-bench
        says were never submitted fail by default.
    n_problems : int, optional
        Number of problems, where a report names only some of them.

    Returns
    -------
    LoadedAttempts, or dict of str to LoadedAttempts with `by`
        Problems of records are in the order of their names. Values of several columns are joined by ", ".

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
    least = None if threshold is None else as_finite_number(threshold, "threshold")
    number = None if n_problems is None else as_positive_int(n_problems, "n_problems")
    if empty is not None:
        one_of(empty, "empty", ("drop", "fail"))
    asked = Asked(task, outcome, group, _names(by or ()), least, number, empty, _names(success))
    paths = [path] if isinstance(path, str | Path | File) else list(path)
    heads = [Head(read_file(path)) for path in paths]
    if not heads:
        raise ValueError("path must name a file")
    # a column that was named makes any table a log
    other = ("records", ("matrix", "counts")) if task or outcome else (None, ())
    kind = chosen(heads[0], "attempts", format, *other)
    if heads[1:] and len({head.file.data for head in heads}) < len(heads):
        raise ValueError("files of attempts must differ, but two are the same")
    if any(chosen(head, "attempts", format, *other) != kind for head in heads[1:]):
        raise ValueError(f"files of attempts must have one format, that of {heads[0].file.name}, {kind.name}")
    if kind.name == "swe-bench-report":
        parts, columns = kind.read(heads, asked)
    else:
        every = [kind.read(head, asked) for head in heads]
        parts, columns = attempts.together(every, [head.file.name for head in heads]) if heads[1:] else every[0]
    for name, counts in parts.items():
        low, high = counts.trials.min(), counts.trials.max()
        each = f"{low} attempt{'s' if low != 1 else ''}" if low == high else f"{low} to {high} attempts"
        of = f" of {', '.join(asked.by)} {name}" if by else ""
        what = f"{counts.trials.size} problems{of}, {each} each, from {' and '.join(columns)} (format {kind.name})"
        heads[0].file.note(what, first=len(parts) == 1)
        attempts.warn_of_few(counts)
    for head in heads:
        if head.file.notes:
            head.file.say()
    return parts if by else parts[""]


def load_pairs(path: File | str | Path, *, format: str | None = None) -> LoadedPairs:
    r"""Read scores of genuine and impostor pairs.

    Parameters
    ----------
    path : str or Path
        A table with columns ``score`` (higher is more similar) and ``genuine``: 1 or true for two samples of one
        person, 0 or false for two people; ``-`` is the standard input.
    format : str, optional
        Name of the format (see `classex.io.FORMATS`).

    Returns
    -------
    LoadedPairs

    Raises
    ------
    ValueError
        If a column is missing, an entry is neither, or there are no pairs of a kind.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.io import load_pairs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "trials.csv"
    ...     _ = file.write_text("genuine,score\n1,.9\n0,.2\n1,.4\n0,.5\n")
    ...     found = load_pairs(file)
    >>> found.genuine, found.impostor
    (array([0.9, 0.4]), array([0.2, 0.5]))
    """
    pairs: LoadedPairs = _loaded(Head(read_file(path)), "pairs", format)
    return pairs


def load_ranks(path: File | str | Path, *, format: str | None = None, units: str | None = None) -> LoadedRanks:
    r"""Read ranks of the correct label.

    Parameters
    ----------
    path : str or Path
        A table, or arrays, with a column ``rank``, from 1, and perhaps one of ``ties``; or the samples of multiple
        choice that lm-evaluation-harness logs; ``-`` is the standard input.
    format : str, optional
        Name of the format (see `classex.io.FORMATS`).
    units : str, optional
        Column that names the unit of each test point, such as the user.

    Returns
    -------
    LoadedRanks

    Raises
    ------
    ValueError
        If there is no such column, or a rank is no whole number of at least 1.
    OSError
        If the file cannot be opened.

    Warns
    -----
    UserWarning
        If the options of questions are letters: the prompt lists them, and a choice may depend on those listed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import classex as cx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "ranks.csv"
    ...     _ = file.write_text("user,rank\na,1\nb,7\n")
    ...     found = cx.io.load_ranks(file)
    >>> cx.ranks_from_wins(101 - found.ranks, 101).wins
    array([100,  94])
    """
    ranks: LoadedRanks = _loaded(Head(read_file(path), units), "ranks", format)
    return ranks


def _loaded(head: Head, kind: str, name: str | None) -> Any:
    """Read a file by its only format of this kind, or the one of this name, and say what its rows are."""
    form = chosen(head, kind, name)
    if head.gallery is not None and form.name != "candidates":
        raise ValueError(f"gallery (--gallery) goes with lists of candidates: {form.name} has all people enrolled")
    loaded, rows = form.read(head), {"pairs": "pairs", "ranks": "ranks", "scores": "test points"}
    if head.units is not None and kind == "scores":
        loaded = LoadedUnits(loaded.scores, loaded.labels, loaded.classes, read_units(head, long=form.name == "long"))
    if kind in rows:
        number = sum(map(len, loaded[:2])) if kind == "pairs" else len(loaded[0])
        units = None if head.units is None else loaded.units
        of = "" if units is None else f" of {len(set(units.tolist()))} units ({head.units})"
        head.file.note(f"{number} {rows[kind]}{of}", first=True)
    head.file.say()
    return loaded


def load_searches(
    path: File | str | Path,
    *,
    format: str | None = None,
    gallery: int | None = None,
    label: str = "label",
    drop: str | Sequence[str] = (),
    classes: str | Sequence[str] | None = None,
) -> LoadedSearches:
    r"""Read open-set searches.

    Parameters
    ----------
    path : str or Path
        A ``.npz`` file with the arrays of `LoadedSearches`, the last two if there are any. Or a table, as in
        `load_scores`, with a column ``label`` and a column of scores for each enrolled image, named by its identity.
        Two columns of one name are two images of one identity. A row whose label names no column is a non-mated
        search. Or candidate lists as NIST's evaluations have them: a row for each search and candidate, with columns
        ``search``, ``candidate`` and ``score``, and ``label`` with the person searched for, empty where this person is
        not enrolled. A person who is not in the list counts as scored below all that are. A search that returned
        nobody, which happens if the system has a threshold, is a row with an empty candidate and an empty score, or
        -inf; a search without a row is not known.
    format : str, optional
        Name of the format, if several fit (see `classex.io.FORMATS`).
    gallery : int, optional
        Number of people who were enrolled when candidate lists were made. Lists name some of them; the others count as
        scored below all that are listed, in 8 bytes of memory for each search. If all are listed, labels that no list
        names are those of strangers. By default it is the number of people who are listed or labelled.

    Returns
    -------
    LoadedSearches
        For candidate lists each non-mated search is that of another person.

    Raises
    ------
    ValueError
        If the file is none of these, is damaged, or holds no mated or no non-mated search, or names more people than
        `gallery`.
    OSError
        If the file cannot be opened.

    Warns
    -----
    UserWarning
        If lists name people only once, so that more must be enrolled, and `gallery` is not given; or if labels are in
        no list, and count as people enrolled.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.io import load_searches
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "searches.csv"
    ...     _ = file.write_text(
    ...         "label,ann,ann,bob\nann,.9,.7,.2\nbob,.3,.2,.8\nzoe,.4,.1,.3\n"
    ...     )
    ...     found = load_searches(file)
    >>> found.enrolled_labels.tolist(), found.nonmated_labels.tolist()
    (['ann', 'ann', 'bob'], ['zoe'])
    """
    number = None if gallery is None else as_positive_int(gallery, "gallery")
    head = Head(read_file(path), gallery=number, label=label, drop=_names(drop), classes=_classes(classes))
    searches: LoadedSearches = _loaded(head, "searches", format)
    return searches


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(map(str, given))


def _classes(given: str | Sequence[str] | None) -> Any:
    return given if given in (None, "all") else _names(given)


@overload
def load_scores(
    path: File | str | Path,
    *,
    format: str | None = None,
    units: None = None,
    label: str = ...,
    drop: str | Sequence[str] = ...,
    classes: str | Sequence[str] | None = ...,
) -> LoadedScores: ...


@overload
def load_scores(
    path: File | str | Path,
    *,
    format: str | None = None,
    units: str,
    label: str = ...,
    drop: str | Sequence[str] = ...,
    classes: str | Sequence[str] | None = ...,
) -> LoadedUnits: ...


def load_scores(
    path: File | str | Path,
    *,
    format: str | None = None,
    units: str | None = None,
    label: str = "label",
    drop: str | Sequence[str] = (),
    classes: str | Sequence[str] | None = None,
) -> Any:
    r"""Read a matrix of scores, the labels, and the names of the classes if there are any.

    The first bytes of the file, not its name, decide how it is read.

    Parameters
    ----------
    path : str or Path
        A ``.npz`` file with arrays ``scores`` of shape (n_test, n_classes), ``labels`` of shape (n_test,) and, if
        labels are names, ``classes`` of shape (n_classes,). Or a table with a column ``label`` and one column of
        scores per class: text in UTF-8 with a header, separated by commas, semicolons or tabs; or records of JSON, one
        a line; both perhaps packed by gzip, bzip2, xz or zip; or a ``.parquet`` file, which pandas reads. In a table,
        labels are names of columns or, if they are not, numbers of columns from 0. A first column without a name (the
        row names that pandas writes) is skipped, and one with a name that numbers the rows is refused. ``-`` is the
        standard input. Or a table with a row for each test point and class: columns ``label``, ``class``, ``score``
        and one that names the test point.
    format : str, optional
        Name of the format, if several fit (see `classex.io.FORMATS`).
    units : str, optional
        Column, or array, that names the unit of each test point, such as ``subject``; it is then no class.
    label : str
        Column, or array, of the labels (of arrays, ``labels`` by default).
    drop : str or sequence of str
        Columns that are left out.
    classes : sequence of str or "all", optional
        Columns that are classes. By default a column is a class because a label names it. One that no label names
        competes too, but is refused where it looks like something else; ``"all"`` says that all are classes.

    Returns
    -------
    LoadedScores, or LoadedUnits with `units`
        ``scores``, ``labels`` and ``classes``, in this order, and ``units``.

    Raises
    ------
    ValueError
        If the file is none of these, is damaged, lacks an array or a column, or would need unpickling.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import classex as cx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "scores.csv"
    ...     _ = file.write_text(
    ...         "label,ant,bee,cat\nbee,0.1,0.7,0.2\nant,0.5,0.2,0.3\n"
    ...     )
    ...     scores, labels, classes = cx.load_scores(file)
    >>> cx.correct_ranks(scores, labels, classes=classes).wins
    array([2, 2])
    """
    head = Head(read_file(path), units, None, label, _names(drop), _classes(classes))
    return _loaded(head, "scores", format)


def load_trec(path: File | str | Path, *, format: str | None = None, holds: str | None = None) -> Lists:
    r"""Read a file of relevance judgements (qrels), or of the lists that a search engine returned (a run).

    Parameters
    ----------
    path : str or Path
        The file, perhaps packed; ``-`` is the standard input. Text with entries separated by blanks:
        ``query 0 document relevance`` in each line of judgements, ``query Q0 document rank score tag`` in each line of
        a run (TREC), or ``query document rank`` (MS MARCO). Empty lines, and lines that begin with ``#``, are skipped.
        TREC's ranks are ignored, as by trec_eval: the scores decide. Or a table with a header: ``query-id corpus-id
        score`` (judgements of BEIR and MTEB), or a query, a document, and a score or a relevance. Or JSON as
        pytrec_eval and ranx write it: ``{query: {document: number}}``.
    format : str, optional
        Name of the format, if several fit (see `classex.io.FORMATS`).
    holds : {"run", "qrels"}, optional
        What the file should hold; another one is refused.

    Returns
    -------
    dict of dict
        The relevance or the score of each document, by query: the form that pytrec_eval and ranx take.

    Raises
    ------
    ValueError
        If a line has another form, or a query has a document twice.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.io import load_trec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "run.txt"
    ...     _ = file.write_text("q1 Q0 d7 1 0.9 bm25\nq1 Q0 d2 2 0.4 bm25\n")
    ...     lists = load_trec(file)
    >>> lists
    {'q1': {'d7': 0.9, 'd2': 0.4}}
    """
    kinds = ("run", "qrels") if holds is None else (one_of(holds, "holds", ("run", "qrels")),)
    head = Head(read_file(path))
    kind = chosen(head, kinds, format)
    lists: Lists = kind.read(head)
    check_values(head.file.name, lists, holds)
    n = sum(map(len, lists.values()))
    head.file.note(f"lists of {len(lists)} queries, with {n} entries (format {kind.name})")
    head.file.say()
    return lists
