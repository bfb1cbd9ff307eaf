"""Encoding models against closed forms and plain cross-validation."""

from __future__ import annotations

import numpy as np
import pytest

from classex_book.encoding import EncodingFit, fit_encoding, noise_covariance, predict_responses, split_pairs


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 8)) * np.linspace(0.5, 2, 8) + 1
    b = rng.normal(size=(8, 5)) * (rng.random((8, 5)) < 0.5)
    return x, 3 + x @ b + rng.normal(size=(60, 5)) * [0.1, 0.5, 1, 3, 10]


def test_split_covers_all_pairs_once():
    train, test = split_pairs(100, n_test=30, rng=1)
    assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(100))
    assert test.size == 30
    assert np.array_equal(test, split_pairs(100, n_test=30, rng=1)[1])
    assert not np.array_equal(test, split_pairs(100, n_test=30, rng=2)[1])


@pytest.mark.parametrize(("n", "m"), [(2, 1), (10, 1), (10, 10)])
def test_split_rejects_impossible_sizes(n, m):
    with pytest.raises(ValueError, match="must be an integer of at least"):
        split_pairs(n, n_test=m)


def ridge(x, y, penalty):
    """Centred normal equations."""
    z = x - x.mean(axis=0)
    b = np.linalg.solve(z.T @ z + penalty * np.eye(x.shape[1]), z.T @ (y - y.mean(axis=0)))
    return b, y.mean(axis=0) - x.mean(axis=0) @ b


def test_ridge_solves_its_normal_equations_at_the_chosen_penalties(pairs):
    x, y = pairs
    fit = fit_encoding(x, y)
    assert np.unique(fit.penalties).size > 1  # each response has its own
    for column in range(5):
        b, intercept = ridge(x, y[:, column], fit.penalties[column])
        np.testing.assert_allclose(fit.coefficients[:, column], b, atol=1e-9)
        np.testing.assert_allclose(fit.intercept[column], intercept, atol=1e-9)
    np.testing.assert_allclose(predict_responses(fit, x[:3]), fit.intercept + x[:3] @ fit.coefficients)


def test_ridge_penalty_has_the_least_leave_one_out_error(pairs):
    x, y = pairs
    grid = [1.0, 30.0, 1000.0]
    error = np.zeros((3, 5))
    for row, penalty in enumerate(grid):
        for out in range(60):
            keep = np.arange(60) != out
            b, intercept = ridge(x[keep], y[keep], penalty)
            error[row] += np.square(y[out] - intercept - x[out] @ b)
    fit = fit_encoding(x, y, penalties=grid)
    assert np.array_equal(fit.penalties, np.array(grid)[error.argmin(axis=0)])


def test_the_default_grid_follows_the_scale_of_the_features(pairs):
    x, y = pairs
    one, two = fit_encoding(x, y), fit_encoding(100 * x, y)
    np.testing.assert_allclose(two.penalties, 1e4 * one.penalties, rtol=1e-9)
    np.testing.assert_allclose(two.coefficients, one.coefficients / 100, rtol=1e-6, atol=1e-12)


def test_one_response_and_constant_features():
    rng = np.random.default_rng(1)
    fit = fit_encoding(np.ones((20, 2)), rng.normal(size=(20, 1)))
    assert fit.coefficients.shape == (2, 1)
    assert fit.intercept.shape == (1,)
    np.testing.assert_allclose(fit.coefficients, 0, atol=1e-12)


@pytest.mark.parametrize("penalties", [[1.0, -1.0], []])
def test_penalties_are_checked(pairs, penalties):
    with pytest.raises(ValueError, match="penalties must hold one or more numbers greater than 0"):
        fit_encoding(*pairs, penalties=penalties)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.ones((6, 2)), np.ones((7, 2)), "one number of rows, not 6 and 7"),
        (np.ones((4, 2)), np.ones((4, 2)), "at least 5 rows, but have 4"),
        (np.ones((6, 0)), np.ones((6, 2)), "stimuli must have at least one column"),
        (np.ones((6, 2)), np.ones((6, 0)), "responses must have at least one column"),
        (np.full((6, 2), np.nan), np.ones((6, 2)), "stimuli must be finite, but holds nan at row 0"),
        (np.ones(6), np.ones((6, 1)), "stimuli must have 2 axes"),
    ],
)
def test_data_are_checked(x, y, message):
    with pytest.raises(ValueError, match=message):
        fit_encoding(x, y)


def test_prediction_checks_the_features():
    with pytest.raises(ValueError, match="stimuli must have 3 columns, as in training, but has 2"):
        predict_responses(EncodingFit(np.ones((3, 1)), np.ones(1), np.ones(1)), np.ones((4, 2)))


def test_diagonal_shrinkage_is_the_printed_formula():
    rng = np.random.default_rng(2)
    r = rng.normal(size=(30, 4))
    s = r.T @ r
    for weight in (0.0, 0.3, 1.0):
        expected = ((1 - weight) * s + weight * np.diag(np.diag(s))) / 30
        np.testing.assert_allclose(noise_covariance(r, method="diagonal", shrinkage=weight), expected)


def test_automatic_shrinkage_is_the_formula_of_schaefer_and_strimmer():
    rng = np.random.default_rng(3)
    r = rng.normal(size=(25, 4)) @ rng.normal(size=(4, 4))
    z = r / np.sqrt(np.square(r).mean(axis=0))
    top = bottom = 0.0
    for i in range(4):
        for j in range(4):
            if i != j:
                product = z[:, i] * z[:, j]
                top += product.var(ddof=1) / 25
                bottom += product.mean() ** 2
    s = r.T @ r / 25
    expected = (1 - top / bottom) * s + top / bottom * np.diag(np.diag(s))
    assert 0 < top / bottom < 1
    np.testing.assert_allclose(noise_covariance(r, method="diagonal"), expected)
    # scales of the responses do not matter
    scaled = noise_covariance(r * [1, 10, 100, 1000], method="diagonal")
    np.testing.assert_allclose(scaled, expected * np.outer([1, 10, 100, 1000], [1, 10, 100, 1000]))


@pytest.mark.parametrize("method", ["ledoit_wolf", "diagonal"])
def test_shrinkage_beats_the_raw_covariance(method):
    rng = np.random.default_rng(4)
    truth = np.diag(np.linspace(1, 3, 40)) + 0.3
    root = np.linalg.cholesky(truth)
    better = 0
    for _ in range(20):
        r = rng.normal(size=(50, 40)) @ root.T
        raw = np.linalg.norm(r.T @ r / 50 - truth)
        better += np.linalg.norm(noise_covariance(r, method=method) - truth) < raw
    assert better == 20


def test_ledoit_wolf_is_the_known_intensity():
    rng = np.random.default_rng(5)
    r = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))
    s = r.T @ r / 40
    mean = np.trace(s) / 6
    spread = np.square(s - mean * np.eye(6)).sum()
    noise = sum(np.square(np.outer(row, row) - s).sum() for row in r) / 40**2
    weight = min(noise / spread, 1)
    np.testing.assert_allclose(noise_covariance(r), (1 - weight) * s + weight * mean * np.eye(6))


def test_uncorrelated_or_single_responses_shrink_to_the_diagonal():
    r = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    np.testing.assert_array_equal(noise_covariance(r, method="diagonal"), np.eye(2))
    np.testing.assert_array_equal(noise_covariance(r[:, :1], method="diagonal"), [[1.0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "oas"}, "method must be one of 'ledoit_wolf', 'diagonal'"),
        ({"method": "diagonal", "shrinkage": 1.5}, r"shrinkage must be a number in \[0, 1\], not 1.5"),
        ({"shrinkage": 0.5}, "shrinkage applies to method='diagonal' only"),
    ],
)
def test_covariance_options_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        noise_covariance(np.eye(3), **arguments)


def test_covariance_data_are_checked():
    with pytest.raises(ValueError, match="at least 2 rows"):
        noise_covariance(np.ones((1, 3)))
    with pytest.raises(ValueError, match="column 1 is zero: drop that response"):
        noise_covariance([[1.0, 0.0], [2.0, 0.0]])


def test_groups_stay_together():
    groups = np.repeat(np.arange(20), np.random.default_rng(0).integers(1, 6, 20))
    for seed in range(30):
        train, test = split_pairs(groups.size, n_test=9, groups=groups, rng=seed)
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(groups.size))
        assert not set(groups[train]) & set(groups[test])
        # no group more than needed
        assert 9 <= test.size < 9 + 5


def test_each_group_is_as_likely_to_be_tested():
    """z = 4.5 for each of six groups of equal size."""
    groups = np.repeat(list("abcdef"), 3)
    drawn = [set(groups[split_pairs(18, n_test=6, groups=groups, rng=seed)[1]]) for seed in range(900)]
    for name in "abcdef":
        share = np.mean([name in part for part in drawn])
        assert abs(share - 1 / 3) < 4.5 * np.sqrt(2 / 9 / 900)


@pytest.mark.parametrize(
    ("groups", "n_test", "message"),
    [
        ([0, 1], 2, "groups must name the group of each of the 6 pairs"),
        ([0, 0, 0, 1, 1, 1], 4, "n_test must leave a group for training, but 4 pairs take all 2 groups"),
        ([0] * 6, 2, "n_test must leave a group for training"),
    ],
)
def test_bad_groups(groups, n_test, message):
    with pytest.raises(ValueError, match=message):
        split_pairs(6, n_test=n_test, groups=groups)


@pytest.mark.parametrize("n_pairs", [4, 5])
def test_the_fewest_pairs(n_pairs):
    rng = np.random.default_rng(0)
    pairs = rng.normal(size=(n_pairs, 2)), rng.normal(size=(n_pairs, 3))
    if n_pairs == 5:
        assert fit_encoding(*pairs).coefficients.shape == (2, 3)
        return
    with pytest.raises(ValueError, match=r"must have at least . rows"):
        fit_encoding(*pairs)
