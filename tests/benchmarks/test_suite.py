"""The suite: what is observed, scored and learnt, against slow and hand-made versions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import classex as cx
from benchmarks.suite import __main__ as suite
from benchmarks.suite import cells, observe, prior, scoring
from benchmarks.suite.cells import Task
from benchmarks.suite.methods import DEFAULT
from benchmarks.suite.recipes import euclidean, load, store
from classex.forecast import ACCURACY_CURVES, Straight

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover


def test_standard_error_of_coverage_by_leaving_draws_out():
    """Twin: the jackknife over draws, which all recognisers of the kind share."""
    stored = scoring.read(suite.HERE / "intervals.npz")
    _, share, error, *_ = scoring.coverage(stored, DEFAULT, ["names"], "average")
    hits: dict[tuple[int, int], list[bool]] = {}
    for task in cells.tasks("names"):
        ends = stored[scoring.key(DEFAULT, task)][0].astype(float)
        for draw, one in enumerate(ends):
            inside = (one[:, 0] <= cells.truth(task) + 1e-6) & (cells.truth(task) <= one[:, 1] + 1e-6)
            hits.setdefault((task.k1, draw), []).extend(inside)
    assert share == np.mean(np.concatenate(list(hits.values())))
    without = [np.mean(np.concatenate([hits[d] for d in hits if d != left])) for left in hits]
    jackknife = np.sqrt((len(hits) - 1) * np.var(without))
    assert error == pytest.approx(jackknife, rel=0.05)


def test_the_library_has_the_numbers_that_were_learnt_from_all_domains():
    """Two digits of the slope and its deviation."""
    everyone = prior.prior_without(prior.NONE)
    for learnt, ours in zip(everyone.components, ACCURACY_CURVES.components, strict=True):
        assert learnt.weights.tolist() == pytest.approx(ours.weights.tolist(), abs=1e-12)
        if isinstance(learnt, Straight):
            for name in ("slope", "early", "decay", "slope_sd"):
                assert round(getattr(learnt, name), 2) == getattr(ours, name)
            assert learnt.length == ours.length


def test_numbers_go_to_their_components():
    """The library's prior by hand: weights that are learnt come from the first component."""
    first, *_ = ACCURACY_CURVES.components
    names = ("slope", "early", "decay", "slope_sd")
    numbers = {name: getattr(first, name) for name in names}
    first_of_same, *others = prior.prior(**numbers, steep=0.05, beta=0.06).components
    assert first_of_same.weight == pytest.approx(first.weight)
    assert replace(first_of_same, weight=first.weight) == first
    assert others == list(ACCURACY_CURVES.components[1:])
    other = prior.prior(**numbers | {"slope": -0.5}, steep=0.25, beta=0.05)
    straight = [part for part in other.components if isinstance(part, Straight) and part.axis == "decades"]
    assert [part.slope for part in straight] == [-0.5] * 3
    assert [part.weight for part in straight] == pytest.approx([0.55, 0.10, 0.25])
    assert sum(part.weights.sum() for part in other.components) == pytest.approx(1)


def test_the_mean_slope_is_that_of_the_true_curves():
    """No step of a twentieth brings the mean of the prior nearer to the mean falls of the other domains."""
    others = [kind for kind in cells.kinds() if kind != "han"]
    found = dict(zip(("slope", "early", "decay"), prior.shape(others), strict=True))
    mean = np.nanmean([prior.falls(kind) for kind in others], axis=0)

    def off(numbers):
        return np.square(np.diff(Straight(1.0, **numbers).processes(prior.DOUBLINGS, 1, 0.0)[0][0]) - mean).sum()

    for name, value in found.items():
        for factor in (0.95, 1.05):
            assert off(found | {name: factor * value}) > off(found)


def test_the_numbers_are_those_of_the_least_score_among_those_that_cover(monkeypatch):
    """Each domain is left out in turn: its own score and coverage do not count."""
    scores = {"a": (1.0, 2.0, 3.0), "b": (1.0, 2.0, 3.0), "c": (1.0, 2.0, 0.5)}
    covers = {"a": (1.0, 1.0, 1.0), "b": (0.9, 1.0, 1.0), "c": (1.0, 1.0, 1.0)}
    grid = [(0.1, 0.1, 0.1), (0.2, 0.1, 0.1), (0.3, 0.1, 0.1)]
    written = []
    monkeypatch.setattr(prior, "GRID", grid)
    monkeypatch.setattr(cells, "kinds", lambda: ["a", "b", "c"])
    monkeypatch.setattr(prior, "shape", lambda _: (-0.5, -0.8, 0.4))
    at = {numbers[0]: i for i, numbers in enumerate(grid)}

    def scored(kind, of):
        i = at[of.components[0].slope_sd]
        return scores[kind][i], covers[kind][i]

    monkeypatch.setattr(prior, "scored", scored)
    monkeypatch.setattr(prior.study, "write", lambda *table: written.extend(table[-1]))
    assert prior.main() == 0
    chosen = {row[0]: float(row[4]) for row in written}
    # the first has the least score, but does not cover b, which counts unless b is left out
    assert chosen == {prior.NONE: 0.2, "a": 0.3, "b": 0.1, "c": 0.2}


def test_intervals_of_the_prior_are_those_of_the_library():
    ours = replace(ACCURACY_CURVES, components=ACCURACY_CURVES.components[:4])
    draw = prior.draws("hangul")[3]
    estimator = cx.Extrapolator(cx.methods.GaussianProcess(ours)).fit_ranks(cells.ranks(draw.task, draw.number))
    np.testing.assert_allclose(draw.predict(ours), estimator.predict(draw.wanted), atol=1e-8)
    np.testing.assert_allclose(draw.interval(ours), estimator.predict_interval(draw.wanted), atol=1e-7)


def test_what_is_observed_against_loops(monkeypatch):
    """Twin: every set of classes is scored on its own, and the curve with all classes by one matrix."""
    rng = np.random.default_rng(4)
    references = rng.normal(size=(60, 5))
    test = np.repeat(references, 2, axis=0) + 0.5 * rng.normal(size=(120, 5))
    monkeypatch.setattr(observe, "OBSERVED", (5, 10))
    monkeypatch.setattr(observe, "TARGETS", (20, 40))
    found = {k.split("|")[1]: v for k, v in observe.observe("kind", "name", test, references).items()}
    whole = cx.correct_ranks(test @ references.T, np.repeat(np.arange(60), 2))
    np.testing.assert_allclose(found["accuracy"], cx.accuracy_curve(whole, found["sizes"]).accuracy)
    assert observe.targets(5, 60) == [20, 40, 60]
    assert observe.targets(10, 60) == [40, 60]
    for k1 in (5, 10):
        classes = observe.drawn("kind", k1, 7, 60)
        for i, of in enumerate(classes):
            for j in range(2):
                own = test[2 * of + j] @ references[classes].T
                assert found[f"losses_{k1}"][7, 2 * i + j] == (own > own[i]).sum()
    assert np.isnan(found["single_5"][0, 2]).all()
    assert found["single_5"].shape == (20, 3, 2)


def test_features_come_back_as_they_were_stored(tmp_path):
    from scipy import sparse

    rng = np.random.default_rng(5)
    dense, thin = rng.normal(size=(4, 3)), sparse.random(6, 5, 0.4, random_state=1, format="csr")
    test, references = load(store(tmp_path, "one", dense, thin))
    np.testing.assert_allclose(test, dense, rtol=1e-6)
    np.testing.assert_allclose(references.toarray(), thin.toarray(), rtol=1e-6)
    a, b = euclidean(dense, rng.normal(size=(7, 3)))
    far = np.square(dense[:, np.newaxis] - b[:, :3]).sum(axis=2)
    np.testing.assert_array_equal((a @ b.T).argsort(axis=1), (-far).argsort(axis=1))


def test_ratios_and_coverage_by_hand():
    task = Task("han", next(cells.tasks("han")).recogniser, 50)
    truth = cells.truth(task)
    key = "a|" + scoring.key("", task)[1:]
    arrays = {key: np.array([truth + 0.01, truth - 0.03]), key.replace("a|", "b|"): np.array([truth + 0.02] * 2)}
    rows = {(row[3], row[4]): row for row in scoring.results(arrays)}
    size = cells.wanted(task)[0]
    assert rows[size, "a"][7:] == pytest.approx([-0.01, np.sqrt(5e-4), np.sqrt(5e-4) / 0.02])
    assert rows[size, "b"][9] == pytest.approx(1)
    held, width, score = scoring.covered(np.array([[[0.1, 0.3]], [[0.4, 0.6]]]), np.array([[0.2], [0.3]]))
    assert (held.tolist(), width.tolist()) == ([True, False], pytest.approx([0.2, 0.2]))
    assert score == pytest.approx([0.2, 0.2 + 2 / 0.05 * 0.1])


def test_quick_writes_every_table(tmp_path):
    assert suite.main(["--quick", "--folder", str(tmp_path), "--kinds", "han", "--methods", DEFAULT, "log-linear"]) == 0
    tables = ("curves", "kinds", "leaderboard", "coverage", "reach")
    assert {path.name for path in tmp_path.glob("*.csv")} == {
        f"{name}{ending}.csv" for name in tables for ending in ("", "_new")
    }
