"""Damaged files of every format: an answer or one line about the file, never fewer or more records than it has.

A quick run is part of the tests; ``make fuzz`` and the variable CLASSEX_FUZZ say how many files are tried.
"""

from __future__ import annotations

import json
import os
import re
import time
import warnings

import numpy as np
import pytest

from classex.io import load_attempts, load_pairs, load_ranks, load_scores, load_searches, load_trec
from classex.io.archives import File
from tests.io.corpus import CASES

FILES = int(os.environ.get("CLASSEX_FUZZ", 20 * len(CASES)))
LOAD = {
    **dict.fromkeys(("attempts", "once", "filters"), load_attempts),
    **dict.fromkeys(("run", "qrels"), load_trec),
    "scores": load_scores,
    "searches": load_searches,
    "pairs": load_pairs,
    **dict.fromkeys(("ranks", "options"), load_ranks),
}
DATA = {name: case.write(case.rows) for name, case in CASES.items()}
PIECES = [
    *(b"", b'"', b"'", b",", b";", b"\t", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"#", b"{", b"}", b"[", b"]", b":"),
    *(b"nan", b"inf", b"-1", b"0", b"1", b"1e999", b"9" * 400, b"null", b"true", b"None", b"1_0", b"0x1", b".", b"-"),
    *(b"label", b"task_id", b"score", b"trial", b"\xff", b"\x00", "é".encode(), "\u2028".encode()),
    *(b"\\", b"\xef\xbb\xbf", b"PK", b"\x1f\x8b"),
]  # fmt: skip


def mutated(data, rng):
    """Change bytes, lines or pieces of a file, once or twice."""
    for _ in range(rng.integers(1, 3)):
        first, last = np.sort(rng.integers(0, len(data) + 1, 2)).tolist()
        lines = data.splitlines(keepends=True) or [b""]
        one, other = rng.integers(0, len(lines), 2).tolist()
        piece = PIECES[rng.integers(len(PIECES))]
        match rng.integers(8):
            case 0:
                data = data[:first]
            case 1:
                data = data[:first] + piece + data[first:]
            case 2:
                data = data[:first] + piece + data[first + 1 + len(piece) :]
            case 3:
                data = data[:first] + data[min(last, first + 20) :]
            case 4:
                data = data[:first] + bytes([rng.integers(256)]) + data[first + 1 :]
            case 5:
                data = b"".join([*lines[:one], lines[other], *lines[one:]])
            case 6:
                data = b"".join([*lines[:one], *lines[one + 1 :]])
            case _:
                lines[one], lines[other] = lines[other], lines[one]
                data = b"".join(lines)
    return data


def tried(data, outcome):
    """Attempts of a log in plain text, counted line by line; None if it is no such text."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    lines = [line for line in re.split("\r\n|\r|\n", text) if line.strip()]
    if lines and lines[0].lstrip().startswith("{"):
        values = [json.loads(line).get(outcome) for line in lines]
    else:
        while lines and lines[0].startswith("#"):
            del lines[0]
        mark = max(",\t;", key=lines[0].count)
        header = [name.strip() for name in lines[0].split(mark)]
        if '"' in text or outcome not in header:
            return None
        column = header.index(outcome)
        values = [line.split(mark)[column] for line in lines[1:]]
    values = [one for value in values for one in (value if isinstance(value, list) else [value])]
    values = [one.get("value") if isinstance(one, dict) else one for one in values]
    return sum(str(value).strip().lower() not in ("", "none", "nan", "null", "n/a", "<na>") for value in values)


def check(name, data):
    """Load a file; return what was found."""
    case = CASES[name]
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        try:
            found = LOAD[case.kind](File("the file", data), **case.options)
        except (ValueError, TypeError, ImportError) as error:
            message = str(error)
            assert "the file" in message or "every problem" in message or "reports must" in message, message
            assert "\n" not in message, message
            assert len(message) <= 300, message
            return None
    assert time.perf_counter() - begin < 20
    return found


@pytest.mark.timeout(0)
def test_mutated_files():
    rng = np.random.default_rng(None if "CLASSEX_FUZZ" in os.environ else 0)
    names, read, counted = list(CASES), 0, 0
    for n in range(FILES):
        name = names[n % len(names)]
        data = mutated(DATA[name], rng)
        try:
            found = check(name, data)
            if found is None:
                continue
            read += 1
            case = CASES[name]
            if case.kind == "attempts" and case.ending in ("csv", "jsonl") and case.format not in ("counts", "matrix"):
                outcome = case.options.get("outcome") or next(
                    one for one in case.rows[0] if one not in (*case.ids, "trial", "epoch", "completion_id")
                )
                expected = tried(data, outcome)
                assert expected is None or found.trials.sum() == expected
                counted += expected is not None
        except Exception:
            print(name, data)
            raise
    print(f"{FILES} files: {read} were read, {counted} of them counted")
    assert FILES / 10 < read < FILES
    assert counted > FILES / 200
