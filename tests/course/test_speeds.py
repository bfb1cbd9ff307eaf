"""What the measured speeds say, whatever they are."""

from __future__ import annotations

import pytest

from classex_book import load_study
from classex_book.studies.speeds import limits, reached


@pytest.mark.parametrize(
    ("required", "value", "expected"),
    [
        ("at least 10", "10", True),
        ("at least 10", "9.99", False),
        ("under 0.25", "0.2", True),
        ("under 0.25", "0.25", False),
        ("0", "0", True),
        ("0", "3", False),
        ("1", "1.02", None),
        ("completes", "21", None),
        ("", "5", None),
    ],
)
def test_targets(required, value, expected):
    assert reached({"value": value, "required": required}) is expected


def test_limits_of_the_stored_rows_whatever_they_are():
    rows = load_study("speed/speed")
    assert len(limits(rows)) == sum(reached(row) is False for row in rows)
    # as if nothing had reached its target, and as if everything had
    worst = [
        row | {"value": {"at least": "0.001", "under": "1e9"}.get(row["required"].rpartition(" ")[0], row["value"])}
        for row in rows
    ]
    texts = limits(worst)
    assert len(texts) == sum(row["required"].startswith(("at least", "under")) for row in rows)
    assert all("the target is" in text and text.endswith(".") for text in texts)
    best = [row | {"value": row["required"].rpartition(" ")[2]} if reached(row) is False else row for row in rows]
    best = [row | {"value": "0.01"} if row["required"].startswith("under") else row for row in best]
    assert limits(best) == []


def test_a_limit_is_computed_from_what_was_measured():
    def row(quantity: str, value: str, required: str = "") -> dict[str, str]:
        return {"name": "kernel-density", "quantity": quantity, "value": value, "required": required, "load": "0.2"}

    rows = [
        row("KernelDensityExtrapolator, the bandwidths given", "0.1"),
        row("loop over rows with numpy and scipy", "2"),
        row("of the loop, inside compiled code of numpy and scipy", "0.5"),
        row("speed against the loop", "10", "at least 20"),
    ]
    (text,) = limits(rows)
    assert "10, the target is at least 20" in text
    assert "would be 4 times as fast" in text
    assert "would make it 20 times as fast" in text
