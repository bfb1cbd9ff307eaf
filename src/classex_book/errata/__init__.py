"""The formulas that the sources print wrongly, as printed, each beside the right one and an independent truth.

The errata page shows these numbers. Nothing here is meant for use: the right formulas are those of the library.
"""

from __future__ import annotations

from classex_book.errata._entry import TOPICS, Comparison, comparisons, numbers_table, source_of

__all__ = ["TOPICS", "Comparison", "comparisons", "numbers_table", "source_of"]
