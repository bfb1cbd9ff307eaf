"""Samples of multiple choice: options by their log-likelihoods, and prompts that list them."""

from __future__ import annotations

import json
import logging

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.cli import main
from classex.io import load_ranks

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(40, 4)) + 1.5 * np.eye(4)[np.arange(40) % 4]


def log(tmp_path, texts, *, rows=SCORES, old=False):
    """A file as lm-evaluation-harness writes it; `old` with lists of arguments."""
    file = tmp_path / "samples_task.jsonl"
    with file.open("w", encoding="utf-8") as stream:
        for i, row in enumerate(rows):
            ends = [["Which?", texts[k]] for k in range(len(row))]
            named = {f"gen_args_{k}": {"arg_0": one[0], "arg_1": one[1]} for k, one in enumerate(ends)}
            sample = {
                "doc_id": i,
                "target": str(i % 4),
                "arguments": ends if old else named,
                "filtered_resps": [[str(score), "False"] for score in row],
                "acc": float(np.argmax(row) == i % 4),
            }
            print(json.dumps(sample), file=stream)
    return file


def test_ranks_among_the_options_of_each_question(tmp_path, capsys):
    file = log(tmp_path, [" Paris", " Rome", " Oslo", " Bern"])
    own = SCORES[np.arange(40), np.arange(40) % 4]
    found = load_ranks(file)
    assert found.ranks.tolist() == [1 + int((row > one).sum()) for row, one in zip(SCORES, own, strict=True)]
    assert found.ties.tolist() == [0] * 40
    assert found.n_wrong == 3
    assert main(["extrapolate", str(file), "--negatives", "3", "--to", "10"]) == 0
    captured = capsys.readouterr()
    expected = cx.extrapolate(cx.ranks_from_wins(4 - found.ranks, 40, n_wrong=3), n_classes=10)
    assert captured.out == f"{expected}\n"
    assert "letters" not in captured.err


def test_ten_options_from_a_log_with_four(tmp_path):
    """Normal scores, whose accuracy with ten options is the mean of Phi(s)^9."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(3_000, 4)) + 1.5 * np.eye(4)[np.arange(3_000) % 4]
    found = load_ranks(log(tmp_path, [" one", " two", " three", " four"], rows=rows))
    result = cx.extrapolate(cx.ranks_from_wins(4 - found.ranks, 3_000, n_wrong=3), n_classes=10)
    score = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000) + 1.5
    truth = np.mean(stats.norm.cdf(score) ** 9)
    assert result.interval[0, 0] < truth < result.interval[0, 1]
    assert np.ptp(result.interval) < 0.16


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("texts", [[" A", " B", " C", " D"], ["(A)", "(B)", "(C)", "(D)"], ["a.", "b.", "c.", "d."]])
def test_letters_show_that_the_prompt_lists_the_options(texts, old, tmp_path, capsys):
    file = log(tmp_path, texts, old=old)
    with pytest.warns(UserWarning, match="options are letters, so the prompt lists them all"):
        load_ranks(file)
    assert main(["extrapolate", str(file), "--negatives", "3", "--to", "10"]) == 0
    assert "warning" in capsys.readouterr().err


def test_questions_with_another_number_of_options_are_left_out(tmp_path, caplog):
    rows = [*SCORES[:8].tolist(), [0.1, 0.2, 0.3, 0.4, 0.5], *SCORES[9:].tolist()]
    with caplog.at_level(logging.INFO, logger="classex"):
        found = load_ranks(log(tmp_path, [" one", " two", " three", " four", " five"], rows=rows))
    assert found.ranks.size == 39
    assert "39 of 40 questions have 4 options; the others are left out" in caplog.text


def test_the_command_names_what_is_missing(tmp_path, capsys):
    file = log(tmp_path, [" one", " two", " three", " four"])
    assert main(["extrapolate", str(file), "--to", "10"]) == 2
    assert "for more options, --negatives M gives the number of wrong ones" in capsys.readouterr().err
    assert main(["extrapolate", str(file), "--negatives", "9", "--to", "10"]) == 2
    assert "holds questions with 3 wrong options, not 9" in capsys.readouterr().err
