"""What one correction is: a number of the list, a quantity, and how it comes out printed, right and in truth."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from classex_book.tables import markdown_table

TOPICS = (
    "ranks",
    "favourability",
    "extrapolation",
    "estimation",
    "bayes",
    "information",
    "identification",
    "advantage",
)
# of a bound, the printed one is refuted when the truth lies beyond it
KINDS = ("value", "upper bound", "lower bound")


@dataclass(frozen=True)
class Comparison:
    """A quantity as a source prints it, as it should be, and as it is.

    Attributes
    ----------
    number : str
        Number of the correction on the errata page.
    quantity : str
        What is compared, in Markdown.
    kind : str
        ``"value"``, or ``"upper bound"`` or ``"lower bound"`` where the formulas bound the truth.
    printed, right, truth : float
        By the printed formula, by the right one, and by a way that uses neither (enumeration, simulation,
        quadrature).
    error : float
        Uncertainty of the truth and of the right value together: a standard error where they are simulated, a
        tolerance where they are approximated, otherwise 0.
    """

    number: str
    quantity: str
    kind: str
    printed: float
    right: float
    truth: float
    error: float


Values = tuple[Any, Any, Any, Any]
Rule = TypeVar("Rule", bound=Callable[[], Values])
_rules: dict[str, list[tuple[str, str, Callable[[], Values]]]] = {}


def erratum(number: str, kind: str = "value") -> Callable[[Rule], Rule]:
    """Enter a function under its topic: it returns printed value, right value, truth and standard error.

    Its docstring names the quantity.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")

    def enter(rule: Rule) -> Rule:
        topic = rule.__module__.rpartition(".")[2]
        _rules.setdefault(topic, []).append((number, kind, rule))
        return rule

    return enter


def comparisons(topic: str) -> list[Comparison]:
    """Evaluate all corrections of a topic, in their order on the page.

    Examples
    --------
    >>> from classex_book.errata import comparisons
    >>> first = comparisons("bayes")[0]
    >>> first.printed, first.right, first.truth
    (1.0, 0.0625, 0.0625)
    """
    if topic not in TOPICS:
        raise ValueError(f"topic must be one of {', '.join(TOPICS)}, not {topic!r}")
    import_module(f"classex_book.errata.{topic}")
    return [
        Comparison(number, (inspect.getdoc(rule) or "").rstrip("."), kind, *(float(value) for value in rule()))
        for number, kind, rule in _rules[topic]
    ]


def source_of(topic: str) -> str:
    """Code of a topic's rows as a Markdown block, for the page to show."""
    source = inspect.getsource(import_module(f"classex_book.errata.{topic}"))
    return "```python\n" + source[source.index("\n@erratum") :].strip() + "\n```"


def numbers_table(topic: str) -> str:
    """Write the numbers of a topic as a Markdown table."""
    header = ["", "quantity", "printed", "right", "truth", "uncertainty"]
    return markdown_table(header, [_row(row) for row in comparisons(topic)])


def _row(row: Comparison) -> list[object]:
    quantity = row.quantity if row.kind == "value" else f"{row.quantity} ({row.kind})"
    error = _short(row.error) if row.error else "exact"
    return [row.number, quantity, _short(row.printed), _short(row.right), _short(row.truth), error]


def _short(value: float) -> str:
    """A number with four significant digits, very large and very small ones by powers of ten."""
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return rf"${mantissa} \cdot 10^{{{int(exponent)}}}$"
