"""The ways into a file: each recognises the format, reads it, and says in one line what was read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

from classex._validation import as_finite_number, as_positive_int, one_of
from classex.io.archives import LOG, File, read_file
from classex.io.attempt_logs import Asked
from classex.io.attempts import warn_of_few
from classex.io.candidates import LoadedPairs, LoadedRanks
from classex.io.files import LoadedScores, LoadedSearches, LoadedUnits, read_units
from classex.io.formats import chosen
from classex.io.head import Head
from classex.io.trec import Lists, check_values

__all__ = ["load_attempts", "load_pairs", "load_ranks", "load_scores", "load_searches", "load_trec"]


def load_attempts(
    path: File | str | Path | Sequence[str | Path],
    *,
    format: str | None = None,
    task: str | None = None,
    outcome: str | None = None,
    group: str | None = None,
    by: str | Sequence[str] | None = None,
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
    by : str or sequence of str, optional
        Column whose values are kept apart, such as the model, or several columns. Names of problems then begin with
        those of their task, dataset, benchmark or subset, if the file has such a column.
    threshold : float
        An outcome that is a number counts as a success from here on. True, C, correct and pass are 1, P is .5, and
        False, I, N, incorrect, fail and timeout are 0.
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
    least = as_finite_number(threshold, "threshold")
    number = None if n_problems is None else as_positive_int(n_problems, "n_problems")
    asked = Asked(task, outcome, group, (by,) if isinstance(by, str) else tuple(by or ()), least, number)
    paths = [path] if isinstance(path, str | Path | File) else list(path)
    heads = [Head(read_file(path)) for path in paths]
    if not heads:
        raise ValueError("path must name a file")
    # a column that was named makes any table a log
    other = ("records", ("matrix", "counts")) if task or outcome else (None, ())
    kind = chosen(heads[0], "attempts", format, *other)
    if len(heads) > 1 and (
        kind.name != "swe-bench-report" or any(chosen(h, "attempts", format) != kind for h in heads)
    ):
        raise ValueError(f"give one file of attempts, not {len(heads)}: only reports of SWE-bench go together")
    parts, columns = kind.read(heads if kind.name == "swe-bench-report" else heads[0], asked)
    for name, counts in parts.items():
        low, high = counts.trials.min(), counts.trials.max()
        each = f"{low} attempt{'s' if low != 1 else ''}" if low == high else f"{low} to {high} attempts"
        of = f" of {', '.join(asked.by)} {name}" if by else ""
        what = f"{counts.trials.size} problems{of}, {each} each"
        LOG.info("%s: %s, from %s (format %s)", heads[0].file.name, what, " and ".join(columns), kind.name)
        warn_of_few(counts)
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
    pairs: LoadedPairs = _loaded(path, "pairs", format)
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
    ranks: LoadedRanks = _loaded(path, "ranks", format, units)
    return ranks


def _loaded(
    path: File | str | Path, kind: str, name: str | None, units: str | None = None, gallery: int | None = None
) -> Any:
    """Read a file by its only format of this kind, or the one of this name."""
    head = Head(read_file(path), units, gallery)
    form = chosen(head, kind, name)
    if gallery is not None and form.name != "candidates":
        raise ValueError(f"gallery (--gallery) goes with lists of candidates: {form.name} has all people enrolled")
    loaded = form.read(head)
    if units is None or kind != "scores":
        return loaded
    return LoadedUnits(loaded.scores, loaded.labels, loaded.classes, read_units(head, long=form.name == "long"))


def load_searches(path: File | str | Path, *, format: str | None = None, gallery: int | None = None) -> LoadedSearches:
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
    searches: LoadedSearches = _loaded(path, "searches", format, gallery=number)
    return searches


@overload
def load_scores(path: File | str | Path, *, format: str | None = None, units: None = None) -> LoadedScores: ...
@overload
def load_scores(path: File | str | Path, *, format: str | None = None, units: str) -> LoadedUnits: ...
def load_scores(path: File | str | Path, *, format: str | None = None, units: str | None = None) -> Any:
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
    return _loaded(path, "scores", format, units)


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
    LOG.info("%s: lists of queries: %d, with %d entries (format %s)", head.file.name, len(lists), n, kind.name)
    return lists
