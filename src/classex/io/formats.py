"""The formats of files: how each is recognised, by names and never by values, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from classex._validation import listed, one_of
from classex.io import attempts, candidates, files, trec
from classex.io.attempt_logs import (
    APART,
    OUTCOMES,
    TASKS,
    TRIALS,
    Log,
    read_log,
    rows_of_evals,
    rows_of_inspect,
    rows_of_simulations,
)
from classex.io.head import Head
from classex.io.rows import people_hint

__all__ = ["FORMATS", "Format", "chosen"]

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
_KNOWN = (*OUTCOMES, *_METRICS, "*_status", "score_*")


def _log(name: str, tasks: Sequence[str], *outcomes: str, once: bool = False) -> Format:
    log = Log(tuple(tasks), outcomes, once)
    return Format(name, _ATTEMPTS, lambda head: log.fits(head.names), partial(read_log, log=log), f"{name}.jsonl")


def _nested(name: str, fits: Callable[[Head], bool], rows: Callable[[Head], Any], *outcomes: str) -> Format:
    log = Log(outcomes=outcomes)

    def read(head: Head, asked: Any) -> Any:
        try:
            table = rows(head)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError):
            raise ValueError(f"{head.file.name} does not have the form of {name}") from None
        return read_log(head, asked, log, table)

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


def _is_report(head: Head) -> bool:
    """Whether a document lists the resolved instances."""
    return head.holds(list, "resolved_ids") or head.holds(list, "resolved")


_LOGS = (
    _log("human-eval", ["task_id"], "passed"),
    _log("evalplus", ["task_id"], "status", "*_status"),
    _log("swe-bench", ["instance_id"], "resolved"),
    _log("tau-bench", ["task_id"], "reward"),
    _log("lm-eval", ["doc_id"], *_METRICS, once=True),
    _log("inspect", ["id"], "score", "score_*"),
)


def _table(*names: str) -> Callable[[Head], bool]:
    """Whether a table has these columns."""
    return lambda head: not head.file.is_archive and head.has(*names)


_is_beir = _table("query-id", "corpus-id", "score")


def _called(*meanings: str) -> Callable[[Head], bool]:
    """Whether a table has columns with these meanings, and is not one of BEIR."""
    return lambda head: not head.file.is_archive and all(head.called(*meanings)) and not _is_beir(head)


def _is_wide(head: Head) -> bool:
    """Whether a table has labels, and more columns than one of scores."""
    return not head.file.is_archive and head.has("label") and not any(head.called("score"))


def _arrays(*names: str) -> Callable[[Head], bool]:
    """Whether an archive has these arrays."""
    return lambda head: head.file.is_archive and head.has(*names)


def _lines(name: str, of: tuple[str, ...], width: int) -> Format:
    """Lines of so many entries, without a header."""

    def fits(head: Head) -> bool:
        return not head.file.is_archive and len(head.words) == width and trec.is_line(head.words)

    return Format(name, of, fits, partial(trec.read_lines, width=width), f"{name}.txt")


_SCORES, _RELEVANCES = (partial(trec.read_columns, value=name) for name in ("score", "relevance"))

#: all formats
FORMATS: tuple[Format, ...] = (
    Format("counts", _ATTEMPTS, lambda head: head.has("successes", "trials"), attempts.read_counts, "counts.csv"),
    Format("matrix", _ATTEMPTS, _is_matrix, attempts.read_matrix, "matrix.csv"),
    *_LOGS,
    Format("records", _ATTEMPTS, _is_records, partial(read_log, log=Log()), "records.csv"),
    _nested("evalplus-json", lambda head: bool(head.tasks), rows_of_evals, "passed", "status", "*_status"),
    _nested("inspect-json", lambda head: head.holds(list, "samples"), rows_of_inspect, "*"),
    _nested("tau2-bench", lambda head: head.holds(list, "simulations"), rows_of_simulations, "reward"),
    Format("swe-bench-report", _ATTEMPTS, _is_report, attempts.read_solved, "swe-bench-report.json"),
    _lines("trec-run", _RUN, 6),
    _lines("msmarco-run", _RUN, 3),
    Format("run-table", _RUN, _called("query", "document", "score"), _SCORES, "run-table.csv"),
    _lines("trec-qrels", _QRELS, 4),
    Format("beir-qrels", _QRELS, _is_beir, _SCORES, "beir-qrels.tsv"),
    Format("qrels-table", _QRELS, _called("query", "document", "relevance"), _RELEVANCES, "qrels-table.csv"),
    Format("json-lists", (*_RUN, *_QRELS), trec.is_nested, trec.read_nested, "json-lists.json"),
    Format("wide", ("scores",), _is_wide, files.read_wide, "wide.csv"),
    Format("long", ("scores",), _table("label", "class", "score"), files.read_long, "long.csv"),
    Format("arrays", ("scores",), _arrays("scores", "labels"), files.read_score_arrays, "arrays.npz"),
    Format("searches", _SEARCHES, _is_wide, files.read_searches, "searches.csv"),
    Format("search-arrays", _SEARCHES, _arrays("scores", "nonmated_scores"), files.read_search_arrays, "searches.npz"),
    Format(
        "candidates", _SEARCHES, _called("search", "candidate", "score"), candidates.read_candidates, "candidates.csv"
    ),
    Format("pairs", ("pairs",), _called("genuine", "score"), candidates.read_pairs, "pairs.csv"),
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
    "attempts": "name its columns successes and trials, or for single attempts task_id and passed, or give --task and"
    " --outcome",
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
