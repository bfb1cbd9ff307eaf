"""Whatever is given: an answer in its range, or one ValueError or TypeError that names an argument.

A quick run is part of the tests; ``make fuzz`` runs a million inputs (the variable CLASSEX_FUZZ says how many).
"""

from __future__ import annotations

import copy
import dataclasses
import os
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import classex as cx
from classex.cli import main
from classex.exceptions import LackOfFitWarning
from tests.fuzz.calls import CALLS, ODD, near

EXAMPLES = int(os.environ.get("CLASSEX_FUZZ", 40 * len(CALLS)))
SETTINGS = settings(
    max_examples=max(EXAMPLES // len(CALLS), 1),
    deadline=10_000,
    derandomize="CLASSEX_FUZZ" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    database=None,
)


def numbers(result):
    """Every number that a result holds, its ranks left out."""
    if isinstance(result, cx.CorrectRanks):
        return
    if dataclasses.is_dataclass(result):
        fields = (field.name for field in dataclasses.fields(result))
        names = {
            "groups",
            "n_classes",
            "confidence_level",
            "class_counts",
            "standard_error",
            "cost",
            "n_repeats",
            "n_points",
            "n_tested",
            "n_units",
            "seed",
            "most_trials",
        }
        result = [getattr(result, name) for name in fields if name not in names]
    if isinstance(result, list | tuple):
        for part in result:
            yield from numbers(part)
    elif isinstance(result, np.ndarray):
        yield from result.ravel().tolist()
    elif isinstance(result, float | int):
        yield result


def outcome(function, *values, **arguments):
    """Return the result and no message, or no result and the message of the one kind of error allowed.

    Messages to the user may come first, and a file may need a package that is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return function(*values, **arguments), None
        except ImportError:
            return None, None
        except (ValueError, TypeError) as error:
            return None, f"{type(error).__name__}: {error}"


def unchanged(before, after):
    """Whether an argument is what it was, NaN and all."""
    return isinstance(before, cx.CorrectRanks) or repr(before) == repr(after)


@pytest.mark.parametrize("name", CALLS)
@SETTINGS
@given(data=st.data())
def test_an_answer_or_one_clear_error(name, data):
    call = CALLS[name]
    changed = data.draw(st.lists(st.sampled_from(sorted(call.good)), min_size=1, max_size=3, unique=True))
    arguments = dict(call.good)
    for argument in changed:
        arguments[argument] = data.draw(st.one_of(ODD, near(call.good[argument])), label=argument)
    try:
        before = copy.deepcopy(arguments)
    except TypeError:  # a value that cannot be copied cannot be changed either
        before = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "the correct label beats only", UserWarning)
        warnings.simplefilter("ignore", LackOfFitWarning)
        result, message = outcome(call.function, **arguments)
    if message is not None:
        # where every row has the same truth there is no advantage to speak of, whatever the argument
        assert any(word in message for word in (*call.good, "the marginal risk is 0")), message
        assert len(message) < 1000
        return
    if before is not None:
        for argument in changed:
            assert unchanged(before[argument], arguments[argument]), f"{argument} was changed"
    for value in numbers(result):
        assert np.isnan(value) or call.low - 1e-12 <= value <= call.high + 1e-12, value


@SETTINGS
@given(content=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(str.encode)), table=st.booleans())
def test_any_bytes_as_a_file(content, table, tmp_path_factory):
    file = tmp_path_factory.mktemp("fuzz") / "scores"
    file.write_bytes(b"label,a,b\n" + content if table else content)
    for load in (cx.load_scores, cx.CorrectRanks.load):
        message = outcome(load, file)[1]
        assert message is None or (str(file) in message and "\n" not in message)


@SETTINGS
@given(place=st.integers(0, 10**6), bit=st.integers(0, 7), cut=st.booleans())
def test_damaged_archives(place, bit, cut, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    cx.ranks_from_wins([1, 2, 3, 0], 4, ties=[0, 1, 0, 0]).save(folder / "ranks.npz")
    data = bytearray((folder / "ranks.npz").read_bytes())
    place %= len(data)
    if cut:
        del data[place:]
    else:
        data[place] ^= 1 << bit
    (folder / "ranks.npz").write_bytes(bytes(data))
    for load in (cx.CorrectRanks.load, cx.load_scores):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            message = outcome(load, folder / "ranks.npz")[1]
        assert message is None or str(folder) in message


@SETTINGS
@given(
    options=st.lists(
        st.sampled_from(["--accuracy", "--classes", "--repeats", "--confidence-level", "--classifiers", "--json"]),
        max_size=6,
        unique=True,
    ),
    values=st.lists(
        st.sampled_from(["0", "1", "2", ".9", "5", "1e300", "-1", "nan", "inf", "x", "é", "1e15"]), min_size=6
    ),
)
def test_any_options_on_the_command_line(options, values):
    arguments = ["bound"]
    for option, value in zip(options, values, strict=False):
        arguments += [option] if option == "--json" else [f"{option}={value}"]
    assert main(arguments) in (0, 2)
