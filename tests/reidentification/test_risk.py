"""Risks in a population, against enumeration, closed forms and plain linear programs."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy import special, stats
from scipy.optimize import linprog

from classex.fields import reidentification as risk
from classex.fields.reidentification import population_risk

SIZES = [1, 1, 1, 2, 3]


def quiet(*args, **options):
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return population_risk(*args, **options)


def measured(people):
    """Shares of unique people and of right links, and number of cells, by the definitions."""
    count = {cell: people.count(cell) for cell in people}
    links = sum(1 / count[cell] for cell in people) / len(people)  # a random one of the same cell
    return sum(n == 1 for n in count.values()) / len(people), links, len(count)


def test_subsets_by_enumeration():
    people = [cell for cell, size in enumerate(SIZES) for _ in range(size)]
    for n in (2, 5, 8):
        every = [measured(list(some)) for some in combinations(people, n)]
        found = population_risk(SIZES, n_people=n)
        assert found.quantity.tolist() == ["unique", "marketer risk", "cells"]
        np.testing.assert_allclose(found.value, np.mean(every, axis=0), rtol=1e-12)
        np.testing.assert_array_equal(found.interval, np.stack([found.value, found.value], axis=1))


def test_a_population_of_known_cells(monkeypatch):
    """With all cells of one share, draws have known means: the risk of a unique person is a sum over his cell."""
    p, n_people = 1 / 2_000, 1_000
    monkeypatch.setattr(risk, "share_draws", lambda *_: (np.array([p, 0.1]), np.tile([1.0, 0.0], (1, 4_000, 1))))
    sizes = np.repeat([1, 2], [200, 50])
    found = quiet(sizes, n_people=n_people)
    n = 300
    others = np.arange(n_people - n + 1)
    chance = stats.binom.pmf(others, n_people - n, p)
    assert found.of("journalist risk")[0][0] == pytest.approx((chance / (1 + others)).sum(), rel=1e-9)
    stays = chance[0]
    value, ends, _ = found.of("stays unique")
    np.testing.assert_allclose(value, stats.binom.ppf(0.5, 200, stays) / 200, atol=0.02)
    np.testing.assert_allclose(ends[0], stats.binom.ppf([0.025, 0.975], 200, stays) / 200, atol=0.02)
    new = (1 - p) ** n * (1 - (1 - p) ** (n_people - n)) / p
    value, ends, _ = found.of("cells")
    np.testing.assert_allclose(ends[0], 250 + stats.poisson.ppf([0.025, 0.975], new), rtol=0.02)
    np.testing.assert_allclose(found.of("marketer risk")[0] * n_people, value, rtol=1e-12)
    alone = 200 * stays + (n_people - n) * (1 - p) ** (n_people - 1)
    assert found.of("unique")[0][0] * n_people == pytest.approx(alone, rel=0.03)


def test_intervals_contain_those_of_each_shape(monkeypatch):
    """Two shapes, each with all cells of one share: the ends are quantiles of one shape, not of both together."""
    p, n_people = np.array([1 / 4_000, 1 / 3_000]), 3_000
    monkeypatch.setattr(risk, "share_draws", lambda *_: (p, np.tile(np.eye(2)[:, np.newaxis], (1, 40_000, 1))))
    value, ends, _ = quiet(np.repeat([1, 2], [200, 50]), n_people=n_people).of("cells")
    new = (1 - p) ** 300 * (1 - (1 - p) ** (n_people - 300)) / p
    assert ends[0, 0] == pytest.approx(250 + stats.poisson.ppf(0.025, new[1]), abs=0.15 * np.sqrt(new[1]))
    assert ends[0, 1] == pytest.approx(250 + stats.poisson.ppf(0.975, new[0]), abs=0.15 * np.sqrt(new[0]))
    both = [stats.poisson.cdf(value[0] - 250, mean) for mean in new]
    assert np.mean(both) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("k", [9_000, 9_897, 40_135])
def test_equal_cells(k):
    """Cells of each size in the expected number: nodes 0.4 apart and off the cells make 9,000 too many by 3 errors."""
    mean = 2.5
    number = np.rint(k * stats.poisson.pmf(np.arange(1, 20), mean)).astype(int)
    found = population_risk(np.repeat(np.arange(1, 20), number), n_people=round(25 * k))
    value, ends, _ = found.of("cells")
    error = np.sqrt(k / (np.expm1(mean) - mean))  # of the most likely number, if cells are known to be equal
    assert abs(value[0] - k) < error
    assert 3.4 * error < np.ptp(ends[0]) < 6 * error


def plain_limits(sizes, n_people, z):
    """Limits by a linear program on a grid of the shares p, with standard errors by loops."""
    n, p = sum(sizes), np.concatenate([[0.0], np.geomspace(1e-7, 1, 3_000)])
    rows, ends = [], []
    for m in (1, 2, 4):
        below = sum(s * s for s in sizes if s <= m) + m * m
        above = sum(s * s for s in sizes if s > m) + (m + 1) ** 2
        error = np.sqrt(below * above / (below + above)) / n
        share = sum(s for s in sizes if s <= m) / n
        rows.append(stats.binom.cdf(m - 1, n - 1, p))
        ends.append((share - z * error, share + z * error))
    rows, (low, high) = np.array(rows), np.clip(np.array(ends).T, 0, 1)
    unique = (1 - p) ** (n_people - 1)
    with np.errstate(invalid="ignore"):
        links = np.where(p > 0, -np.expm1(n_people * np.log1p(-np.minimum(p, 1 - 1e-16))) / (n_people * p), 1.0)
    found = []
    for cost in (unique, links):
        solved = [
            linprog(
                sign * cost,
                A_ub=np.vstack([rows, -rows]),
                b_ub=np.concatenate([high, -low]),
                A_eq=[np.ones(p.size)],
                b_eq=[1.0],
            ).fun
            for sign in (1, -1)
        ]
        found.append([solved[0], -solved[1]])
    return np.array(found)


@pytest.mark.parametrize("n_people", [2_000, 20_000])
def test_limits_by_a_plain_program(n_people):
    rng = np.random.default_rng(1)
    sizes = np.bincount(rng.choice(400, 500, p=(w := rng.gamma(0.7, size=400)) / w.sum()))
    sizes = sizes[sizes > 0]
    z = 2.3939797998185104  # of 1 - .05/6
    plain = plain_limits(sizes.tolist(), n_people, z)
    found = quiet(sizes, n_people=n_people)
    plain = np.stack([np.floor(plain[:, 0] * n_people), np.ceil(plain[:, 1] * n_people)], axis=1) / n_people
    np.testing.assert_allclose(found.of("unique")[2], plain[:1], atol=6e-4)
    floor = np.maximum(plain[1:], sizes.size / n_people)  # the cells that are seen
    np.testing.assert_allclose(found.of("marketer risk")[2], floor, atol=6e-4)
    np.testing.assert_allclose(found.of("cells")[2], floor * n_people, atol=6e-4 * n_people)
    kept = np.minimum(plain[0] * 500 / (sizes == 1).sum(), 1)
    np.testing.assert_allclose(found.of("stays unique")[2][0], kept, atol=3e-3)
    np.testing.assert_allclose(found.of("journalist risk")[2][0], [kept[0], (1 + kept[1]) / 2], atol=3e-3)


def test_shares_in_small_cells_vary_no_more_than_allowed():
    rng = np.random.default_rng(2)
    for k, shape in ((800, 0.5), (100, 5.0), (5_000, 1.0)):
        chances = (w := rng.gamma(shape, size=k)) / w.sum()
        tables = rng.multinomial(400, chances, 1_000)
        for m in (1, 2, 4):
            share = (tables * (tables <= m)).sum(axis=1) / 400
            half = [np.ptp(risk._share_ends(table[table > 0], m, 1e-3)) / 2e-3 for table in tables[:100]]
            assert np.mean(half) > share.std() * (1 - 4 / np.sqrt(2_000))


@pytest.mark.parametrize(
    ("sizes", "reach"),
    [
        (np.repeat([1, 3], [100, 40]), np.inf),
        (np.repeat([1, 3], [110, 30]), 200 * np.log(200)),
        (np.repeat([1, 20], [9, 10]), np.inf),
        (np.repeat([1, 20], [9, 9]), 189),
        (np.ones(50, dtype=int), 50),
    ],
)
def test_a_sample_that_cannot_tell_says_so(sizes, reach, monkeypatch):
    monkeypatch.setattr(risk, "share_draws", lambda *_: (np.array([0.004]), np.ones((1, 10, 1))))
    n_people = 100 * int(sizes.sum())
    if np.isfinite(reach):
        with pytest.warns(UserWarning, match=f"beyond {reach:,.0f} people this sample cannot tell"):
            found = population_risk(sizes, n_people=n_people)
    else:
        with warnings.catch_warnings(action="error"):
            found = population_risk(sizes, n_people=n_people)
    assert found.reach == pytest.approx(reach)


def test_cells_more_alike_than_chance_allows():
    with pytest.raises(ValueError, match="more alike than chance allows: was the table made k-anonymous"):
        quiet(np.repeat([2, 3], 400), n_people=10_000)
    rng = np.random.default_rng(5)
    for _ in range(3):
        equal = np.bincount(rng.integers(100, size=250))
        assert risk._limits(equal[equal > 0], 2_500, 0.95)[1, 0] * 2_500 < 115


def test_no_one_is_unique():
    found = quiet([2, 3, 5, 8, 13] * 5, n_people=1_000)
    for quantity in ("stays unique", "journalist risk"):
        value, interval, limits = found.of(quantity)
        assert np.isnan(np.concatenate([value, interval[0], limits[0]])).all()
    assert found.of("unique")[0][0] >= 0


def test_no_more_cells_than_people():
    """Where nearly everyone is unique, the draws without this limit reach beyond the population."""
    found = quiet([1] * 120, n_people=500_000)
    assert found.of("cells")[1][0, 1] == 500_000
    assert found.of("marketer risk")[1][0, 1] == 1


def test_unknown_quantity():
    with pytest.raises(ValueError, match="quantity must be one of 'unique'"):
        population_risk([3, 1], n_people=4).of("uniqueness")
    assert special.ndtri(1 - 0.05 / 6) == pytest.approx(2.3939797998185104, rel=1e-12)


def households(seed, n_people=20_000, n_sample=3_000, n_cells=3_600):
    """Cell and household of sampled people, and the true share of right links: households share their cell."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 6, n_people // 2)
    size = size[np.cumsum(size) <= n_people]
    house = np.repeat(np.arange(size.size), size)
    weight = rng.gamma(0.5, size=n_cells)
    cell = rng.choice(n_cells, size.size, p=weight / weight.sum())[house]
    kept = rng.permutation(size.size)[: n_sample // 3]
    inside = np.isin(house, kept)
    return cell[inside], house[inside], np.unique(cell).size / house.size, house.size


@pytest.mark.parametrize("seed", [0, 1])
def test_households_that_share_a_cell(seed):
    """Intervals and limits cover the share of right links; without clusters neither does."""
    cells, house, truth, n_people = households(seed)
    found = quiet(cells, n_people=n_people, clusters=house)
    _, ends, limits = found.of("marketer risk")
    assert ends[0, 0] < truth < ends[0, 1]
    assert limits[0, 0] < truth < limits[0, 1]
    assert found.n_clusters == 1_000
    assert "journalist risk" not in found.quantity
    without = quiet(np.unique(cells, return_counts=True)[1], n_people=n_people).of("marketer risk")
    assert without[1][0, 1] < truth


def test_each_person_a_household_is_a_sample_of_people():
    rng = np.random.default_rng(3)
    cells = rng.geometric(0.01, 600)
    one = quiet(np.unique(cells, return_counts=True)[1], n_people=5_000)
    other = quiet(cells, n_people=5_000, clusters=range(600))
    for quantity in ("marketer risk", "cells", "stays unique"):
        for mine, theirs in zip(one.of(quantity), other.of(quantity), strict=True):
            np.testing.assert_allclose(mine, theirs)
    # unique pairs are unique people, up to the error of a share that is observed to be 1
    assert other.of("unique")[0] == one.of("unique")[0]


def test_limits_lead_where_the_sample_cannot_tell():
    sizes = np.repeat([1, 2, 3], [500, 60, 20])
    wide, near = quiet(sizes, n_people=10_000), quiet(sizes, n_people=2_000)
    assert list(wide._table())[2:4] == ["limits_low", "limits_high"]
    assert list(near._table())[2:5] == ["value", "low", "high"]
