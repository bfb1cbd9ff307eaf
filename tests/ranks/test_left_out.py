"""Comparisons that are left out: averages over all subsets of each point's own rivals, by enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.cli import main


def cases(rng, k=9, n=14, most=3):
    """Scores with ties, labels, and a mask that leaves out up to `most` - 1 wrong labels of each point."""
    scores, labels = rng.integers(0, 5, (n, k)).astype(float), np.arange(n) % k
    mask = np.zeros((n, k), dtype=bool)
    for row, label in enumerate(labels):
        mask[row, rng.choice(np.delete(np.arange(k), label), rng.integers(0, most), replace=False)] = True
    return scores, labels, mask


def enumerated(scores, labels, mask, size, classes, metric, weight="classes"):
    """Mean of a function of the rank over all sets of size - 1 rivals of each point, ties in every order."""
    values = {}
    for row, label in enumerate(labels):
        if label not in classes:
            continue
        rivals = [c for c in classes if c != label and not mask[row, c]]
        found = []
        for some in combinations(rivals, size - 1):
            above = int(np.sum(scores[row, list(some)] > scores[row, label]))
            tied = int(np.sum(scores[row, list(some)] == scores[row, label]))
            found.append(np.mean([metric(1 + above + u) for u in range(tied + 1)]))
        values.setdefault(int(label), []).append(np.mean(found))
    if weight == "points":
        return np.mean([one for each in values.values() for one in each])
    return np.mean([np.mean(each) for each in values.values()])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "top", "metric"),
    [("accuracy", 1, lambda r: r == 1), ("accuracy", 2, lambda r: r <= 2), ("mrr", 1, lambda r: 1 / r)],
)
def test_averages_and_errors_by_enumeration(seed, name, top, metric):
    """Averages to the last digits at every size; errors are those of the jackknife up to half of the fewest rivals."""
    scores, labels, mask = cases(np.random.default_rng(seed))
    ranks = cx.correct_ranks(scores, labels, left_out=mask)
    fewest = int((~mask).sum(axis=1).min())
    assert ranks.largest_subset == fewest
    assert ranks.n_wrong.tolist() == (8 - mask.sum(axis=1)).tolist()
    curve = cx.accuracy_curve(ranks, metric=name, top=top)
    for size in range(1, fewest + 1):
        expected = enumerated(scores, labels, mask, size, range(9), metric)
        assert curve.accuracy[size - 1] == pytest.approx(expected, rel=1e-12)
    for size in range(2, fewest // 2 + 1):
        without = [
            enumerated(scores, labels, mask, size, [c for c in range(9) if c != left], metric) for left in range(9)
        ]
        error = np.sqrt(8 / 9 * np.sum(np.square(without - np.mean(without))))
        assert curve.standard_error[size - 1] == pytest.approx(error, rel=1e-9, abs=1e-12)


def test_classes_without_test_points_and_average_over_points():
    scores, labels, mask = cases(np.random.default_rng(5), n=13)
    kept = labels < 6
    scores, labels, mask = scores[kept], labels[kept], mask[kept]
    ranks = cx.correct_ranks(scores, labels, left_out=mask)
    for average, weight in (("balanced", "classes"), ("points", "points")):
        curve = cx.accuracy_curve(ranks, [2, 3, 4], average=average)
        for size, value in zip([2, 3, 4], curve.accuracy, strict=True):
            args = (scores, labels, mask, size, range(9), lambda r: r == 1, weight)
            assert value == pytest.approx(enumerated(*args), rel=1e-12)
        assert (curve.standard_error > 0).all()


def test_nothing_left_out_is_the_same_as_no_mask():
    """Also the errors, with more than 509 classes, which share groups, and with clusters."""
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal(size=(60, 700)) + 2 * np.eye(60, 700), 1)
    for clusters in (None, np.arange(700) // 2):
        given = {"clusters": clusters}
        usual = cx.accuracy_curve(cx.correct_ranks(scores, np.arange(60), **given), [2, 50, 350])
        empty = cx.correct_ranks(scores, np.arange(60), left_out=np.zeros(scores.shape, dtype=bool), **given)
        found = cx.accuracy_curve(empty, [2, 50, 350])
        np.testing.assert_allclose(found.accuracy, usual.accuracy, rtol=1e-12)
        # without a mask large numbers of losses share bins
        np.testing.assert_allclose(found.standard_error, usual.standard_error, rtol=1e-3)


def test_errors_against_repeated_experiments():
    """Mean of the variances is 1 to 1.6 times the variance of 300 experiments; own points alone give less than 0.9."""
    rng = np.random.default_rng(2)
    values, errors, alone = [], [], []
    for _ in range(300):
        strength = rng.normal(0, 0.7, 24)  # some wrong labels are strong for every point
        scores = rng.normal(size=(24, 24)) + strength + np.diag(np.full(24, 1.5)) - np.diag(strength)
        mask = (rng.random((24, 24)) < 0.2) & ~np.eye(24, dtype=bool)
        ranks = cx.correct_ranks(scores, np.arange(24), left_out=mask)
        curve = cx.accuracy_curve(ranks, 5)
        own = cx.accuracy_curve(cx.ranks_from_wins(ranks.wins, 24, n_wrong=ranks.n_wrong, left_out=True), 5)
        values.append(curve.accuracy[0])
        errors.append(curve.standard_error[0] ** 2)
        alone.append(own.standard_error[0] ** 2)
    variance = np.var(values, ddof=1)
    assert 1.0 < np.mean(errors) / variance < 1.6
    assert np.mean(alone) / variance < 0.9


def test_unequal_numbers_of_options_are_unbiased():
    """Questions with 3 to 10 options, whose favourabilities are known: |z| < 4 with the error of the mean."""
    rng = np.random.default_rng(3)
    u = special.ndtr(rng.normal(1, 1, 4000))
    n_wrong = rng.integers(2, 10, u.size)
    ranks = cx.ranks_from_wins(rng.binomial(n_wrong, u), 10, n_wrong=n_wrong, left_out=True)
    curve = cx.accuracy_curve(ranks)
    assert curve.n_classes.tolist() == [1, 2, 3]
    truth, error = np.mean(u**2), np.std(rng.binomial(2, u) == 2) / np.sqrt(u.size)
    assert abs(curve.accuracy[2] - truth) < 4 * error
    result = cx.extrapolate(ranks, n_classes=[3, 10])
    assert result.observed.value == curve.accuracy[2] == pytest.approx(result.accuracy[0], abs=1e-9)
    assert "each against 2 to 9 wrong labels because others are left out" in str(result)
    with pytest.raises(ValueError, match="left_out goes with n_wrong"):
        cx.ranks_from_wins([1, 2], 9, left_out=True)
    with pytest.raises(ValueError, match="n_wrong"):
        cx.ranks_from_wins([1, 2], 9, n_wrong=[9, 9], left_out=True)


def test_infinite_scores_are_left_out_with_a_warning():
    scores, labels, mask = cases(np.random.default_rng(4))
    expected = cx.correct_ranks(scores, labels, left_out=mask)
    with pytest.warns(UserWarning, match=rf"{mask.sum()} of 126 scores are -inf, and these comparisons are left out"):
        found = cx.correct_ranks(np.where(mask, -np.inf, scores), labels)
    assert (found.wins == expected.wins).all()
    assert (found.ties == expected.ties).all()
    # what stands under a mask is not read
    masked = cx.correct_ranks(np.where(mask, np.nan, scores), labels, left_out=mask)
    np.testing.assert_array_equal(masked.distractors.beaten, found.distractors.beaten)
    with pytest.warns(UserWarning, match="left out"):
        result = cx.extrapolate(np.where(mask, -np.inf, scores), labels, n_classes=[20])
    assert result.accuracy == pytest.approx(cx.extrapolate(expected, n_classes=[20]).accuracy)


@pytest.mark.filterwarnings("ignore::classex.exceptions.LackOfFitWarning")
@pytest.mark.parametrize("method", ["probit-normal", "empirical-bayes", "beta-binomial", "pitman-yor"])
def test_other_methods_accept_unequal_numbers(method):
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(30, 30)) + 2 * np.eye(30)
    mask = (rng.random((30, 30)) < 0.1) & ~np.eye(30, dtype=bool)
    ranks = cx.correct_ranks(scores, np.arange(30), left_out=mask)
    found = cx.extrapolate(ranks, n_classes=[60], method=method)
    usual = cx.extrapolate(scores, np.arange(30), n_classes=[60], method=method)
    assert abs(found.accuracy[0] - usual.accuracy[0]) < usual.standard_error[0]
    assert 0.5 < found.standard_error[0] / usual.standard_error[0] < 2


def test_ranks_are_stored(tmp_path):
    scores, labels, mask = cases(np.random.default_rng(9))
    ranks = cx.correct_ranks(scores, labels, left_out=mask)
    ranks.save(tmp_path / "ranks.npz")
    loaded = cx.CorrectRanks.load(tmp_path / "ranks.npz")
    assert loaded.left_out
    np.testing.assert_array_equal(loaded.n_wrong, ranks.n_wrong)
    ours, theirs = (cx.accuracy_curve(one) for one in (ranks, loaded))
    np.testing.assert_array_equal(ours.standard_error, theirs.standard_error)


def test_command_line(tmp_path, capsys):
    file = tmp_path / "scores.csv"
    scores, labels, mask = cases(np.random.default_rng(10))
    rows = [[label, *row] for label, row in zip(labels, np.where(mask, -np.inf, scores).tolist(), strict=True)]
    file.write_text("\n".join(",".join(map(str, row)) for row in [["label", *range(9)], *rows]))
    assert main(["extrapolate", str(file), "--to", "20"]) == 0
    out, err = capsys.readouterr()
    assert f"{mask.sum()} of 126 scores are -inf, and these comparisons are left out" in err
    assert "wrong labels because others are left out" in out
    file.write_text(file.read_text().replace("-inf", "nan"))
    assert main(["extrapolate", str(file), "--to", "20"]) == 2
    assert "holds nan at row" in capsys.readouterr().err
