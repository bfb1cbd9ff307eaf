"""Ranks are checked however they are made, read-only, and survive a file."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import numpy as np
import pytest

import classex as cx
from classex.ranks import as_ranks, point_shares, tie_nodes


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


def test_numbers_are_copied_and_read_only():
    wins = np.array([1, 2])
    ranks = cx.ranks_from_wins(wins, 4)
    wins[0] = 3
    assert ranks.wins.tolist() == [1, 2]
    for array in (ranks.wins, ranks.ties, ranks.labels, cx.correct_ranks(np.eye(3), range(3)).distractors.beaten):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


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
