"""Every format and variant: the right number, and never silently another one when the file is damaged."""

from __future__ import annotations

import logging
import warnings
from functools import partial

import pytest

from classex.io import FORMATS
from classex.io.archives import read_file
from classex.io.formats import Head, chosen
from tests.io.corpus import CASES, READ, right
from tests.io.writers import Case

OF = {"once": "attempts", "filters": "attempts", "options": "ranks"}


def saved(case: Case, folder, data=None):
    path = folder / f"file.{case.ending}"
    path.write_bytes(case.write(case.rows) if data is None else data)
    return path


def result(case, path, read=None):
    """The result and the warnings, or the message of an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return (read or partial(READ[case.kind], **case.options))(path), [str(one.message) for one in caught]
        except (ValueError, TypeError) as error:
            message = str(error).replace(str(path), "file")
            assert "\n" not in message
            assert len(message) <= 300, message
            return None, [message]


def same(found, expected):
    return found is not None and flat(found) == pytest.approx(flat(expected), rel=1e-12, abs=1e-12)


def flat(value):
    """All numbers of a result."""
    if isinstance(value, dict):
        value = [value[name] for name in sorted(value)]
    return [number for one in value for number in flat(one)] if isinstance(value, list | tuple) else [value]


def test_the_corpus_covers_all_formats():
    assert len(CASES) >= 60
    for one in FORMATS:
        assert CASES[one.example].format == one.name


@pytest.mark.parametrize("name", CASES)
def test_the_right_number(name, tmp_path):
    case = CASES[name]
    path = saved(case, tmp_path)
    found, said = result(case, path)
    assert same(found, right(case.kind)), said
    assert said == []
    if case.format != "records":
        assert chosen(Head(read_file(path)), OF.get(case.kind, case.kind)).name == case.format
    assert same(
        result(case, path, lambda one: READ[case.kind](one, format=case.format, **case.options))[0], right(case.kind)
    )


def rows_renamed(case, key):
    """Bytes with another name for a column or an entry."""
    if case.ending == "json":
        return case.write(case.rows).replace(f'"{key}"'.encode(), f'"x{key}"'.encode())
    rows = [{("x" + name if name == key else name): one for name, one in row.items()} for row in case.rows]
    return case.write(rows)


def other_type(value):
    """3 for "3", 7.0 for 7, a number for any other name."""
    if isinstance(value, int):
        return float(value)
    return int(value) if str(value).isdecimal() else sum(map(ord, str(value)))


def cut(case):
    """The file without the second half of a line in its middle; other files without their last third."""
    data = case.write(case.rows)
    if case.ending in ("csv", "tsv", "txt", "jsonl"):
        lines = data.splitlines(keepends=True)
        middle = len(lines) // 2
        lines[middle] = lines[middle][: len(lines[middle].rstrip()) // 2] + b"\n"
        return b"".join(lines)
    return data[: len(data) * 2 // 3]


def damaged(case):
    """Bytes with each kind of damage."""
    for key in case.rows[0]:
        yield f"{key!r} renamed", rows_renamed(case, key)
    middle = len(case.rows) // 2
    if not case.unnamed:
        yield "a row doubled", case.write([*case.rows[:middle], *case.rows[middle - 1 :]])
    for key in case.ids:
        yield f"{key!r} of another type", case.write([{**row, key: other_type(row[key])} for row in case.rows])
    yield "a line cut", cut(case)


@pytest.mark.parametrize("name", CASES)
def test_damage_never_gives_another_number_silently(name, tmp_path, caplog):
    case, expected = CASES[name], right(CASES[name].kind)
    for what, data in damaged(case):
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="classex"):
            found, said = result(case, saved(case, tmp_path, data))
        # whether a person is enrolled is known by the names of columns alone: their number is said
        said += [one for one in caplog.messages if "whose labels name no column" in one]
        assert said or same(found, expected), f"{what}: {found}, not {expected}"


@pytest.mark.parametrize("name", CASES)
def test_a_file_in_the_place_of_another(name, tmp_path):
    case = CASES[name]
    path = saved(case, tmp_path)
    kind = OF.get(case.kind, case.kind)
    for other, read in READ.items():
        if OF.get(other, other) != kind:
            found, said = result(case, path, read)
            assert said or (found is not None and {kind, other} == {"scores", "searches"}), (other, found)
