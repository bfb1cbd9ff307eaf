"""Growth that is not random: predictions with near and far rivals."""

import numpy as np
import pytest

import classex as cx
from classex.results import Growth


def nested(rng, n_groups, each):
    """Gaussian classes around Gaussian groups: vectors of test points and of references, and groups."""
    group = np.repeat(np.arange(n_groups), each)
    references = rng.normal(size=(n_groups, 6))[group] + 0.6 * rng.normal(size=(group.size, 6))
    return references + 0.4 * rng.normal(size=references.shape), references, group


def scores_of(test, references, some):
    return -np.linalg.norm(test[some][:, np.newaxis] - references[some], axis=2)


@pytest.fixture(scope="module")
def population():
    return nested(np.random.default_rng(0), 60, 40)


@pytest.fixture(scope="module")
def whole(population):
    test, references, _ = population
    wins = [
        int((np.square(references - x).sum(axis=1) > np.square(r - x).sum()).sum())
        for x, r in zip(test, references, strict=True)
    ]
    return float(np.mean(np.array(wins) == len(references) - 1))


def test_more_groups_are_predicted_where_growth_at_random_fails(population, whole):
    test, references, group = population
    rng = np.random.default_rng(1)
    errors, plain, covered = [], [], []
    for _ in range(10):
        some = np.flatnonzero(np.isin(group, rng.choice(60, 5, replace=False)))
        result = cx.extrapolate(
            scores_of(test, references, some), range(200), n_classes=2_400, groups=group[some], growth="more groups"
        )
        at_random = cx.extrapolate(scores_of(test, references, some), range(200), n_classes=2_400, target=None)
        errors.append(result.accuracy[0] - whole)
        plain.append(at_random.accuracy[0] - whole)
        covered.append(result.interval[0, 0] <= whole <= result.interval[0, 1])
    assert np.mean(np.square(errors)) < 0.5 * np.mean(np.square(plain))
    assert np.sum(covered) >= 8  # .95 nominal: 7 or fewer of 10 have a probability of .01


def test_a_random_grouping_changes_nothing(population):
    test, references, _ = population
    some = np.random.default_rng(2).choice(2_400, 200, replace=False)
    scores, groups = scores_of(test, references, some), np.random.default_rng(3).integers(0, 4, 200)
    plain = cx.extrapolate(scores, range(200), n_classes=[200, 2_000])
    result = cx.extrapolate(scores, range(200), n_classes=[200, 2_000], groups=groups)
    # a third of the standard error: only the levels at which the curve is read differ
    assert (np.abs(result.accuracy - plain.accuracy) < plain.standard_error / 3).all()
    assert result.growth.worth == pytest.approx(1, abs=0.35)
    assert result.growth.n_near + result.growth.n_far == pytest.approx([200, 2_000])


def test_paths_agree_where_they_state_the_same_numbers(population):
    test, references, group = population
    some = np.flatnonzero(group < 4)
    scores, given = scores_of(test, references, some), {"n_classes": 1_600, "groups": group[some]}
    ways = ["same groups", dict.fromkeys(range(4), 0.25), [[400, 1_200]]]
    results = [cx.extrapolate(scores, range(160), growth=growth, **given) for growth in ways]
    for result in results[1:]:
        np.testing.assert_allclose(result.accuracy, results[0].accuracy, rtol=1e-12)
    # numbers may mean new groups, whose differences the interval covers
    assert np.ptp(results[2].interval) > np.ptp(results[0].interval)
    np.testing.assert_allclose(results[1].interval, results[0].interval)


def test_sensitivity_meets_the_predictions(population):
    test, references, group = population
    some = np.flatnonzero(group < 4)
    scores = scores_of(test, references, some)
    result = cx.extrapolate(scores, range(160), n_classes=1_600, groups=group[some], growth=[[40, 1_560]])
    growth = result.growth
    assert growth.worth > 3
    np.testing.assert_allclose(growth.accuracy[0], result.accuracy[0], rtol=1e-12)
    assert (np.diff(growth.accuracy) < 0).all()
    assert growth.share_at(growth.accuracy[5]) == pytest.approx(growth.near_share[5])
    assert np.isnan(growth.share_at(1.0))
    assert growth.share_at(0.0) == 1
    assert "near rival" in str(result)
    assert growth.plot().ax_.get_xlabel().startswith("share of near rivals")
    np.testing.assert_allclose(result.plot().accuracy, result.accuracy)
    assert growth.to_frame().shape == (21, 4) if hasattr(growth, "to_frame") else isinstance(growth, Growth)


def test_one_group_says_nothing_about_far_rivals(population):
    test, references, group = population
    some = np.flatnonzero(group < 1)
    given = {"groups": group[some], "labels": range(40)}
    within = cx.extrapolate(scores_of(test, references, some), n_classes=80, **given)
    assert within.growth.near_share.size == 0
    with pytest.raises(ValueError, match=r"lies between 0\.\d\d and 0\.\d\d$"):
        cx.extrapolate(scores_of(test, references, some), n_classes=80, growth="more groups", **given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": [0, 1]}, "groups must have shape"),
        ({"groups": range(6)}, "none holds two"),
        ({"growth": "fast"}, "growth must be"),
        ({"growth": {0: 0.5}}, "growth must give shares"),
        ({"growth": {0: 0.5, 1: 0.6}}, "growth must give shares"),
        ({"growth": [[3, 3]]}, "growth must have a row"),
        ({"metric": "mrr"}, "must have their default values with groups"),
        ({"method": "probit-normal"}, "must have their default values with groups"),
        ({"target": "fresh"}, "must have their default values with groups"),
    ],
)
def test_refused(change, message):
    scores = np.random.default_rng(0).normal(size=(6, 6)) + 2 * np.eye(6)
    arguments = {"n_classes": 50, "groups": [0, 0, 0, 1, 1, 1]} | change
    with pytest.raises(ValueError, match=message):
        cx.extrapolate(scores, range(6), **arguments)


def test_ranks_are_refused():
    with pytest.raises(TypeError, match="groups need scores"):
        cx.extrapolate(cx.ranks_from_wins([2, 3, 1, 3], 4), n_classes=50, groups=[0, 0, 1, 1])
