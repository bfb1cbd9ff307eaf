"""The names of things that the suite reads from Babel."""

from __future__ import annotations

from benchmarks.suite.recipes.names import names


def test_names_in_other_languages_by_english_name():
    found = names()
    assert len(found) > 1_350
    assert {"deutschland", "allemagne", "tyskland", "saksa", "německo"} <= set(found["germany"])
    for english, others in found.items():
        assert len(set(others) - {english}) == len(others) >= 20
