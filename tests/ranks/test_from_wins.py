"""Ranks are checked however they are made, read-only, and survive a file."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import numpy as np
import pytest

import classex as cx
from classex.ranks import DistractorTable, as_ranks, point_shares, tie_nodes


def same(first, second):
    for name in ("wins", "ties", "labels"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert (first.n_classes, first.class_balanced) == (second.n_classes, second.class_balanced)
    for name in ("n_wrong", "distractors"):
        one, other = getattr(first, name), getattr(second, name)
        assert (one is None) == (other is None)
    if first.n_wrong is not None:
        np.testing.assert_array_equal(first.n_wrong, second.n_wrong)
    if first.distractors is not None:
        for name in ("beaten", "wins", "group"):
            np.testing.assert_array_equal(getattr(first.distractors, name), getattr(second.distractors, name))


def test_equals_the_ranks_of_scores():
    scores = np.random.default_rng(0).integers(0, 4, (9, 5))
    labels = np.arange(9) % 5
    expected = cx.correct_ranks(scores, labels)
    got = cx.ranks_from_wins(expected.wins.tolist(), 5, ties=expected.ties, labels=labels.astype(float))
    same(got, replace(expected, distractors=None))
    np.testing.assert_allclose(cx.accuracy_curve(got).accuracy, cx.accuracy_curve(expected).accuracy, rtol=1e-13)


def test_points_without_labels_weigh_the_same():
    few = cx.ranks_from_wins([0, 1, 1], 4)
    assert few.labels.tolist() == [0, 1, 2]
    assert few.class_balanced
    many = cx.ranks_from_wins([3, 1, 0, 2, 3, 3], 4)
    assert not many.class_balanced
    np.testing.assert_allclose(point_shares(many), np.full(6, 1 / 6))
    curve = cx.accuracy_curve(many, [2, 4])
    np.testing.assert_allclose(curve.accuracy, [12 / 18, 0.5], rtol=1e-14)


def test_standard_error_of_independent_points():
    """Points dealt out over classes: the standard error is that of independent points, on average."""
    rng = np.random.default_rng(1)
    k1, n = 40, 2000
    ranks = cx.ranks_from_wins(rng.binomial(k1 - 1, 0.9, n), k1)
    right = cx.accuracy_curve(ranks, k1)
    expected = np.sqrt(right.accuracy[0] * (1 - right.accuracy[0]) / n)
    # the variance is estimated with k1 - 1 degrees of freedom: 4 standard deviations either way
    assert (right.standard_error[0] / expected) ** 2 == pytest.approx(1, abs=4 * np.sqrt(2 / (k1 - 1)))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"wins": [50, 1]}, ValueError, r"wins must be in 0..9, but position 0 is 50"),
        ({"wins": [1, -1]}, ValueError, r"wins must be in 0..9, but position 1 is -1"),
        ({"wins": [1.5, 2]}, ValueError, r"wins must hold whole numbers, but position 0 is 1.5"),
        ({"wins": [np.nan, 2]}, ValueError, r"wins must hold whole numbers, but position 0 is nan"),
        ({"wins": [1j, 2]}, TypeError, r"wins must hold whole numbers, not values of dtype complex128"),
        ({"wins": ["a", "b"]}, TypeError, r"wins must hold whole numbers"),
        ({"wins": [True, False]}, TypeError, r"wins must hold whole numbers"),
        ({"wins": []}, ValueError, r"wins must hold at least one test point"),
        ({"wins": [[1, 2]]}, ValueError, r"wins must have 1 axis, but its shape is \(1, 2\)"),
        ({"wins": 3}, ValueError, r"wins must have 1 axis, but its shape is \(\)"),
        ({"ties": [0, -2]}, ValueError, r"ties must be in 0..\d, but position 1 is -2"),
        ({"ties": [7, 9]}, ValueError, r"ties must be in 0..7, but position 1 is 9"),
        ({"ties": [0]}, ValueError, r"ties must have as many entries as wins, 2, not 1"),
        ({"labels": [0, 10]}, ValueError, r"labels must be in 0..9, but position 1 is 10"),
        ({"labels": ["a", "b"]}, TypeError, r"labels must hold whole numbers"),
        (
            {"n_classes": 1},
            ValueError,
            r"n_classes must be an integer of at least 2 and at most 1000000000000000, not 1",
        ),
        ({"n_classes": "10"}, TypeError, r"n_classes must be an integer"),
        ({"n_wrong": 0}, ValueError, r"n_wrong must be an integer of at least 1, not 0"),
        ({"n_wrong": [1, 2]}, ValueError, r"wins must be in 0..1, but position 0 is 2"),
        ({"n_wrong": [5, 0]}, ValueError, r"n_wrong must be of at least 1, but position 1 is 0"),
        ({"n_wrong": [5]}, ValueError, r"n_wrong must have as many entries as wins"),
    ],
)
def test_bad_numbers(arguments, error, message):
    good = {"wins": [2, 2], "n_classes": 10}
    with pytest.raises(error, match=message):
        cx.ranks_from_wins(**{**good, **arguments})


def test_ranks_made_by_hand_are_checked_too():
    with pytest.raises(ValueError, match=r"wins must be in 0..2"):
        cx.CorrectRanks(np.array([3]), np.array([0]), np.array([0]), 3)
    full = cx.correct_ranks(np.eye(4), range(4))
    with pytest.raises(ValueError, match="DistractorTable of 3 classes"):
        cx.CorrectRanks(np.array([1]), np.array([0]), np.array([0]), 3, full.distractors)
    with pytest.raises(ValueError, match="distractors must be None where"):
        replace(full, n_wrong=np.full(4, 3))
    table = full.distractors
    for change in ({"group": table.group[:-1]}, {"wins": table.wins + 1}, {"beaten": table.beaten - 1}):
        with pytest.raises(ValueError, match="distractors must"):
            replace(table, **change)
    with pytest.raises(ValueError, match="distractors must hold an array beaten"):
        DistractorTable(table.beaten[:, :2], table.wins, table.group)


def test_numbers_are_copied_and_read_only():
    wins = np.array([1, 2])
    ranks = cx.ranks_from_wins(wins, 4)
    wins[0] = 3
    assert ranks.wins.tolist() == [1, 2]
    for array in (ranks.wins, ranks.ties, ranks.labels, cx.correct_ranks(np.eye(3), range(3)).distractors.beaten):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_repr_says_how_much_there_is():
    assert repr(cx.correct_ranks(np.eye(3), range(3))) == "CorrectRanks(n_points=3, n_classes=3)"
    tied = cx.correct_ranks(np.zeros((2, 5)), [1, 1])
    assert repr(tied) == "CorrectRanks(n_points=2, n_classes=5, n_tested=1, n_tied=2)"
    drawn = cx.ranks_from_wins([1, 2], 50, n_wrong=[3, 9])
    assert repr(drawn) == "CorrectRanks(n_points=2, n_classes=50, n_tested=2, n_wrong=3..9, distractors=None)"
    assert drawn.largest_subset == 4


@pytest.mark.parametrize(
    "ranks",
    [
        cx.correct_ranks(np.random.default_rng(2).integers(0, 4, (12, 6)), np.arange(12) % 5),
        cx.ranks_from_wins([1, 2, 3, 4], 9, n_wrong=[5, 5, 6, 9]),
        cx.ranks_from_wins([0, 1, 1], 2, ties=[1, 0, 0]),
    ],
)
def test_files(ranks, tmp_path):
    file = tmp_path / "ranks.npz"
    ranks.save(file)
    ranks.save(str(file))
    same(cx.CorrectRanks.load(str(file)), ranks)
    assert [path.name for path in tmp_path.iterdir()] == ["ranks.npz"]


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    file = tmp_path / "ranks.npz"
    ranks = cx.ranks_from_wins([1, 2], 4)
    ranks.save(file)
    before = file.read_bytes()

    def interrupted(stream, **_):
        stream.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ranks.save(file)
    assert file.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(FileNotFoundError, match="folder that does not exist"):
        ranks.save(tmp_path / "nowhere" / "ranks.npz")


def test_bad_files(tmp_path):
    file = tmp_path / "ranks.npz"
    np.savez(file, wins=[1])
    with pytest.raises(ValueError, match="must hold an array 'ties'"):
        cx.CorrectRanks.load(file)
    good = {"wins": [1, 9], "ties": [0, 0], "labels": [0, 1], "n_classes": 3, "class_balanced": True, "format": 1}
    for change, message in (
        ({}, r"ranks.npz does not hold ranks .* wins must be in 0..2, but position 1 is 9"),
        ({"wins": [1, 1], "format": 2}, "format must be 1, not 2"),
        ({"wins": [1, 1], "n_classes": [3, 4]}, "does not hold ranks"),
        ({"wins": [1, 1], "beaten": np.ones((2, 2))}, "beaten of numbers of shape"),
        ({"wins": ["x", "y"]}, "wins must hold whole numbers"),
    ):
        np.savez(file, **{**good, **change})
        with pytest.raises(ValueError, match=message):
            cx.CorrectRanks.load(file)
    np.savez(file, **{**good, "wins": np.array([1, None])})
    with pytest.raises(ValueError, match="nothing is unpickled"):
        cx.CorrectRanks.load(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("wins.npy", b"no header")
    with pytest.raises(ValueError, match="must hold an array"):
        cx.CorrectRanks.load(file)
    with pytest.raises(OSError, match="No such file"):
        cx.CorrectRanks.load(tmp_path / "missing.npz")


@pytest.mark.parametrize(
    "call",
    [
        lambda x: cx.accuracy_curve(x, [0, 1]),
        lambda x: cx.curves.accuracy_covariance(x, 2),
        cx.implied_information,
        cx.information.curve_test,
        cx.information_confidence_bound,
        lambda x: cx.information_confidence_bound([x]),
        lambda x: cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(x),
        cx.methods.ProbitNormal().fit,
    ],
)
def test_scores_in_place_of_ranks(call):
    with pytest.raises(TypeError, match=r"ranks must be a CorrectRanks, not ndarray: call correct_ranks\(scores, lab"):
        call(np.eye(2))


def test_the_check_says_what_is_missing():
    full = cx.correct_ranks(np.eye(4), range(4))
    assert as_ranks(full, min_classes=4, distractors=True, every_class=True) is full
    with pytest.raises(ValueError, match="first must have at least 5 classes, not 4"):
        as_ranks(full, "first", min_classes=5)
    with pytest.raises(ValueError, match="must carry a distractor table"):
        as_ranks(replace(full, distractors=None), distractors=True)
    with pytest.raises(ValueError, match="not with samples"):
        as_ranks(cx.ranks_from_wins([1, 2], 9, n_wrong=4))
    with pytest.raises(ValueError, match="only 2 of 9 have one"):
        as_ranks(cx.ranks_from_wins([1, 2], 9), every_class=True)


def test_tie_nodes_are_spread_evenly():
    point, extra, start = tie_nodes(np.array([0, 2, 40]))
    assert point[:4].tolist() == [0, 1, 1, 1]
    assert extra[:4].tolist() == [0, 0, 1, 2]
    assert start.tolist() == [0, 1, 4]
    many = extra[4:]
    assert many.size == 33
    assert (many[0], many[-1]) == (0, 40)
    assert many.mean() == pytest.approx(20, abs=0.5)
