"""Growth that is not random: predictions with near and far rivals."""

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.fields.growth import GrowthFit


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


def beaten_at_random(rng, mu, nu, worth, group):
    """Scores if each far rival is beaten with chance U of the point, each near one with U to the power `worth`."""
    u = special.ndtr(rng.normal(mu, nu, group.size))[:, np.newaxis]
    chance = np.where(group[:, np.newaxis] == group, u**worth, u)
    scores = np.where(rng.random(chance.shape) < chance, -1.0, 1.0)
    np.fill_diagonal(scores, 0.0)
    return scores


def test_truth_of_the_model_is_predicted():
    mu, nu, worth, rivals = 2.6, 1.0, 10.0, (49, 9_950)
    node, weight = np.polynomial.hermite_e.hermegauss(200)
    log_u = special.log_ndtr(mu + nu * node)
    truth = float(weight @ np.exp((worth * rivals[0] + rivals[1]) * log_u) / weight.sum())
    group, found = np.repeat(np.arange(10), 50), []
    for seed in range(10):
        scores = beaten_at_random(np.random.default_rng(seed), mu, nu, worth, group)
        result = cx.extrapolate(scores, range(500), n_classes=10_000, groups=group, growth="more groups")
        found.append([result.accuracy[0], *result.interval[0], result.growth.worth])
    value, low, high, worths = np.array(found).T
    # probits: from 500 to 10,000 classes the prior's slope alone leaves a standard deviation of .14 a decade
    assert abs(np.mean(special.ndtri(value)) - special.ndtri(truth)) < 0.14 * np.log10(20)
    assert np.sum((low <= truth) & (truth <= high)) >= 8
    assert np.exp(np.mean(np.log(worths))) == pytest.approx(worth, rel=0.25)


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


def test_one_group_says_nothing_about_far_rivals(population):
    test, references, group = population
    some = np.flatnonzero(group < 1)
    given = {"groups": group[some], "labels": range(40)}
    within = cx.extrapolate(scores_of(test, references, some), n_classes=80, **given)
    assert within.growth.near_share.size == 0
    with pytest.raises(ValueError, match=r"lies between 0\.\d\d and 0\.\d\d$"):
        cx.extrapolate(scores_of(test, references, some), n_classes=80, growth="more groups", **given)


class Alike:
    """Comparisons of groups of 40 classes whose accuracies are known and alike; the probits may be moved."""

    def __init__(self, n_groups, moved=0.0, seen=0.0):
        self.size, self.share = np.full(n_groups, 40), np.full(n_groups, 1 / n_groups)
        self.member, self.labels = np.repeat(np.arange(n_groups), 40), np.arange(10**6)
        self.moved, self.seen = moved, seen

    def curve(self, near, far):
        """Probit 2 - .6 log10 of the number of classes: a near rival is worth a far one."""
        self.truth = 2 - 0.6 * np.log10(1 + (near + far) @ self.share)
        return special.ndtr(self.truth + self.moved * self.rng.normal(size=self.truth.size)), np.zeros(
            (2, near.shape[0])
        )

    def group_errors(self, influence):
        return np.full(influence.shape[1], self.seen)

    rng = np.random.default_rng(0)


def error_of_new_groups(n_groups):
    fit = GrowthFit(Alike(n_groups), np.arange(n_groups), None)
    near, far = np.full((1, n_groups), 39.0), np.full((1, n_groups), 40.0 * n_groups)
    share = np.full(n_groups, 1 / n_groups)
    found = fit.posterior(path := (near, far, share, True))
    return np.sqrt((np.square(fit.beyond(found, path).deviation) - np.square(found.deviation))[0, 0])


def test_the_prior_of_the_differences_between_groups():
    """It counts for eight groups: nine that are alike, eight degrees of freedom, halve the variance.

    Two groups that happen to be alike leave a sixth of a probit, because groups of real data differ by a quarter.
    """
    two, nine = error_of_new_groups(2), error_of_new_groups(9)
    assert 9 * nine**2 / (2 * two**2) == pytest.approx((8 / 16) / (8 / 9), rel=1e-6)
    assert two == pytest.approx(1 / 6, rel=0.1)


def test_the_prior_error_of_a_curve_that_is_known_exactly():
    """Real curves stray by .03 from any curve in one effective number: a mean of thirty is this uncertain."""
    fit = GrowthFit(Alike(4), np.arange(4), None)
    near, far = np.full((1, 4), 12.0), np.full((1, 4), 40.0)
    assert fit.last_error == 0
    error = fit.posterior((near, far, np.full(4, 0.25), False)).spread(0.0)[0]
    assert error == pytest.approx(0.008, rel=0.2)
