"""Judgements and lists of search engines, in the formats of TREC."""

from __future__ import annotations

from pathlib import Path

from classex._validation import shown
from classex.io.archives import File, read_file
from classex.io.tables import is_number

__all__ = ["load_trec"]

# Position of the number in a line, by the number of its entries
_NUMBER = {4: 3, 6: 4}
_FORMS = "'query 0 document relevance' or 'query Q0 document rank score tag', the same in every line"


def load_trec(path: File | str | Path) -> dict[str, dict[str, float]]:
    r"""Read a file of relevance judgements (qrels), or of the lists that a search engine returned (a run).

    Parameters
    ----------
    path : str or Path
        Text, perhaps packed by gzip, bzip2, xz or zip, with entries separated by blanks: ``query 0 document relevance``
        in each line of judgements, ``query Q0 document rank score tag`` in each line of a run. Empty lines, and lines
        that begin with ``#``, are skipped. Ranks are ignored, as by trec_eval: the scores decide. ``-`` is the standard
        input.

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
    name, data = read_file(path)
    out: dict[str, dict[str, float]] = {}
    width = 0
    for at, line in enumerate(data.decode("utf-8-sig", errors="surrogateescape").splitlines(), start=1):
        entries = line.split()
        if not entries or line.startswith("#"):
            continue
        width = width or len(entries)
        if width not in _NUMBER or len(entries) != width or not is_number(entries[_NUMBER[width]]):
            raise ValueError(f"{name}, line {at} must read {_FORMS}, not {shown(line)}")
        listed = out.setdefault(entries[0], {})
        if entries[2] in listed:
            raise ValueError(f"{name}, line {at}: query {shown(entries[0])} has document {shown(entries[2])} twice")
        listed[entries[2]] = float(entries[_NUMBER[width]])
    return out
