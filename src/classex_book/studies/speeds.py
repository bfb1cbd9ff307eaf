"""What the measured speeds say: which targets were reached, and what limits the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["limits", "reached"]

Rows = Sequence[dict[str, str]]


def reached(row: dict[str, str]) -> bool | None:
    """Whether a measured value meets its target; None where there is no target to compare with.

    Parameters
    ----------
    row : dict
        A row of ``load_study("speed/speed")``: ``value``, and ``required`` such as "at least 10", "under 0.5" or "0".

    Returns
    -------
    bool or None
        None also for targets that are no number.

    Examples
    --------
    >>> from classex_book.studies.speeds import reached
    >>> (
    ...     reached({"value": "12.5", "required": "at least 10"}),
    ...     reached({"value": "0.6", "required": "under 0.5"}),
    ... )
    (True, False)
    """
    kind, _, limit = row["required"].rpartition(" ")
    value = float(row["value"])
    if kind == "at least":
        return value >= float(limit)
    if kind == "under":
        return value < float(limit)
    return value == float(limit) if limit == "0" else None


def limits(rows: Rows) -> list[str]:
    """Say, for every target that was not reached, what was measured of its limit.

    Parameters
    ----------
    rows : sequence of dict
        The rows of ``load_study("speed/speed")``.

    Returns
    -------
    list of str
        A text for each target that was not reached, in the order of the rows.

    Examples
    --------
    >>> from classex_book.studies.speeds import limits
    >>> row = {
    ...     "name": "many-dimensions",
    ...     "quantity": "share",
    ...     "value": "0.6",
    ...     "required": "at least 0.7",
    ...     "load": "2.0",
    ... }
    >>> limits([row])
    ['*share*: 0.6, the target is at least 0.7. The load was 2.0.']
    """
    texts = []
    for row in rows:
        if reached(row) is not False:
            continue
        text = f"*{row['quantity']}*: {float(row['value']):.3g}, the target is {row['required']}."
        if row["name"] in _REASONS:
            beside = {other["quantity"]: float(other["value"]) for other in rows if other["name"] == row["name"]}
            text += " " + _REASONS[row["name"]](beside.__getitem__)
        texts.append(f"{text} The load was {row['load']}.")
    return texts


def _ranks(value: Callable[[str], float]) -> str:
    one, two = (value(f"correct_ranks_from_embeddings, {count}") for count in ("one thread", "two threads"))
    rate = value("multiplications and additions on one thread")
    alone = value("those of numpy's matrix product alone, one thread")
    return (
        f"On one thread the ranks, comparisons and counts included, make {rate:.3g} billion multiplications and "
        f"additions a second, the matrix product alone, which compares nothing, {alone:.3g}. "
        f"Two threads took {two / one:.2f} of the time of one: the checks of the input, the choice of the method and "
        "the sums over blocks are one thread's work."
    )


def _density(value: Callable[[str], float]) -> str:
    loop = value("loop over rows with numpy and scipy")
    compiled = value("of the loop, inside compiled code of numpy and scipy")
    given = value("KernelDensityExtrapolator, the bandwidths given")
    return (
        f"The loop spends {compiled:.3g} of its {loop:.3g} seconds inside compiled code of numpy and scipy: the same "
        f"operations without the interpreter would be {loop / compiled:.3g} times as fast. With the bandwidths given, "
        f"so that only densities are left to compute, the library takes {given:.3g} seconds: a choice of bandwidths "
        f"that cost nothing would make it {loop / given:.3g} times as fast as the loop."
    )


def _regression(value: Callable[[str], float]) -> str:
    ranks, work = value("ranks among 120 halves of the classes alone"), value("the same in processor seconds")
    return (
        f"The bandwidth and the interval rest on 120 halves of the classes, whose ranks alone take {ranks:.3g} seconds "
        f"to count. It was {work:.3g} processor seconds, which a busy machine stretches less."
    )


def _first_call(value: Callable[[str], float]) -> str:
    compiler = value("a process that loads one cached function of the compiler, which adds up three numbers")
    alone = value("a process that imports numpy")
    return (
        f"A process that does nothing but load one cached function of the compiler takes {compiler:.3g} seconds, of "
        f"which {alone:.3g} are Python's start and the import of numpy: this is the least for whatever calls "
        "compiled code."
    )


def _dask(value: Callable[[str], float]) -> str:
    busy = value("share of the time in which a worker computes")
    return (
        f"The workers computed during {busy:.2g} of the time. In the rest a worker waits for the references, which lie "
        f"with the other one, or for the other's last block: a larger share of a job of "
        f"{value('two Dask workers'):.2g} seconds than of one of hours."
    )


_REASONS: dict[str, Callable[[Callable[[str], float]], str]] = {
    "few-dimensions": _ranks,
    "kernel-density": _density,
    "regression": _regression,
    "first-call": _first_call,
    "dask": _dask,
}
