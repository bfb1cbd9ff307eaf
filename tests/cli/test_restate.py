"""``classex restate``: the same numbers as the function, one line about bad input."""

from __future__ import annotations

import json

import pytest

import classex as cx
from classex.cli import main


def test_the_command_gives_the_numbers_of_the_function(capsys):
    arguments = ["restate", "50:1:62%:3%", "50:5:.9", "--to", "20", "200", "--top", "2", "--confidence-level", ".9"]
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    found = cx.restate([(50, 1, 0.62, 0.03), (50, 5, 0.9)], n_classes=[20, 200], top=2, confidence_level=0.9)
    assert result["limits"] == found.limits.tolist()
    assert result["information"] == found.nats
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"{found}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["50:1:x"], "must be numbers such as 50:1:.62:.03, not '50:1:x'"),
        (["50:1"], "must be numbers such as 50:1:.62:.03, not '50:1'"),
        (["50:1:.6:.1:2"], "must be numbers such as 50:1:.62:.03, not '50:1:.6:.1:2'"),
        (["200:mrr:.4"], "not '200:mrr:.4': a report is a top-m accuracy or a mean rank"),
        (["200:1:161%"], "accuracy of a report must be a number in [0, 1], not 1.61"),
        (["1:1:.5"], "classes of a report must be an integer of at least 2"),
        (["2:1:.8", "3:1:.6"], "every distribution misses them by"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, message):
    assert main(["restate", *arguments, "--to", "10"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
