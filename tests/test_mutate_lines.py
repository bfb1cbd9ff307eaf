"""The tool that makes lines wrong at random: what it changes, and what it leaves alone."""

from __future__ import annotations

from tools import mutate_lines

TEXT = '''"""Numbers 1 + 2 of a docstring."""
LIMIT: int = 4
def f(x: "int" = 2) -> int:
    if x < 3 and x != 7:
        raise ValueError(f"x must be at least {x + 1}")
    return max(x - 1, LIMIT)
'''


def test_each_computation_is_made_wrong_once(tmp_path, monkeypatch):
    monkeypatch.setattr(mutate_lines, "SOURCES", tmp_path)
    (file := tmp_path / "one.py").write_text(TEXT, encoding="utf-8")
    found = [(one.line, one.old.strip(), one.new.strip()) for one in mutate_lines.mutants(file)]
    assert sorted(found) == [
        (2, "4", "5"),
        (3, "2", "3"),
        (4, "!=", "=="),
        (4, "3", "4"),
        (4, "7", "8"),
        (4, "<", "<="),
        (4, "and", "or"),
        (6, "-", "+"),
        (6, "1", "2"),
        (6, "max", "min"),
    ]
    for one in mutate_lines.mutants(file):
        data = TEXT.encode()
        assert data[one.start : one.end].decode() == one.old
