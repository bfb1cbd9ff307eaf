"""Laws that every public estimator of `estimators.ESTIMATORS` must satisfy, over random data sets."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import special

import classex as cx
from tests.laws.estimators import (
    CHANGES,
    END,
    ESTIMATORS,
    OBSERVED,
    PREDICTION,
    Found,
    accuracies,
    found,
    further,
    perfect,
    sample,
    turned,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # what is warned of in random data is tested elsewhere
    pytest.mark.no_cover,  # other tests run the same lines
]
FORMS = ("relabelled", "reordered", "scaled", "shifted", "bent")
ROUNDING = 1e-9
# What twice as many copies of the points may change in a forecast, which counts points besides classes
COPIES = 0.1


def names(**wanted):
    """The estimators with these properties; True stands for whatever is not zero."""
    return [
        name
        for name, kind in ESTIMATORS.items()
        if all(bool(getattr(kind, key)) is value for key, value in wanted.items())
    ]


def rises(after, before):
    """How far values or ends rise; infinite ends that stay do not."""
    after, before = np.broadcast_arrays(after, before)
    return np.subtract(after, before, out=np.zeros(after.shape), where=after != before)


def upright(name, found):
    """The same with the sign of an accuracy, which rises with a better record."""
    return found if ESTIMATORS[name].better > 0 else Found(-found.value, -found.high, -found.low)


def seeds(name):
    return range(ESTIMATORS[name].seeds)


# ---- the same data in another form
@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_form_of_the_data_changes_nothing(name):
    """Labels and points in another order, a factor, and for ranks another increasing function of the scores a row."""
    forms = FORMS if ESTIMATORS[name].reads == "ranks" else FORMS[:3]
    for change in forms[ESTIMATORS[name].chooses :]:
        for seed in seeds(name)[:30]:
            for after, before in zip(found(name, seed, change), found(name, seed), strict=True):
                assert np.abs(rises(after, before)).max() <= ESTIMATORS[name].tolerance, (change, seed)


@pytest.mark.parametrize("name", names(points=False))
def test_copies_of_the_points_are_no_evidence(name):
    """Classes are the sample. Where points are, the interval may be narrower, and never wider."""
    slack = ESTIMATORS[name].tolerance
    for seed in seeds(name):
        twice, once = found(name, seed, "doubled"), found(name, seed)
        assert np.abs(rises(twice.value, once.value)).max() <= slack, seed
        assert rises(once.low, twice.low).max() <= slack, seed
        assert rises(twice.high, once.high).max() <= slack, seed


@pytest.mark.parametrize("name", names(forecast=True))
def test_copies_of_the_points_hardly_move_a_forecast(name):
    """How much a record without, or with few, errors says depends on the number of its points too."""
    for seed in seeds(name):
        twice, once = found(name, seed, "doubled"), found(name, seed)
        assert np.abs(rises(twice.value, once.value)).max() <= COPIES, seed
        assert rises(once.low, twice.low).max() <= COPIES, seed
        assert rises(twice.high, once.high).max() <= COPIES, seed


def test_a_class_that_nobody_wins():
    """With all classes the accuracy is as before; with k of them it is that with k, or with k - 1 and the new one."""
    for seed in range(200):
        one = sample(seed)
        more = replace(one, scores=np.column_stack([one.scores, np.full(one.labels.size, one.scores.min() - 1)]))
        k = np.arange(2, one.k1 + 1)
        old, new = (cx.accuracy_curve(each.ranks, np.append(k, each.k1)).accuracy for each in (one, more))
        np.testing.assert_array_equal(more.ranks.wins, one.ranks.wins + 1)
        assert new[-1] == pytest.approx(old[-1], abs=ROUNDING)
        fewer = np.append(1, old[:-2])  # k - 1 of the old ones
        share = (k - 1) / one.k1  # of the subsets hold the new class among the rivals
        np.testing.assert_allclose(new[:-1], (1 - share) * old[:-1] + share * fewer, atol=ROUNDING)


# ---- order
@pytest.mark.parametrize("name", names(interval=True))
def test_intervals_are_nested(name):
    for seed in seeds(name)[:60]:
        inner, outer = found(name, seed, "", 0.9), found(name, seed)
        assert rises(outer.low, inner.low).max() <= ROUNDING, seed
        assert rises(inner.high, outer.high).max() <= ROUNDING, seed


@pytest.mark.parametrize("name", names(along=True))
def test_more_classes_are_harder(name):
    """Predictions and both ends fall with the number of classes, or rise where they are errors or attempts."""
    kind = ESTIMATORS[name]
    for seed in seeds(name):
        for part, values in zip(Found._fields, found(name, seed), strict=True):
            slack = kind.tolerance if kind.forecast or part == "value" else OBSERVED
            assert (kind.along * rises(values[1:], values[:-1])).min() >= -slack, (part, seed)


def test_longer_lists_are_easier():
    """Both ends rise too for the forecast; an observed end may fall where the errors left are those of few classes."""
    each = {
        "observed": lambda m: accuracies(top=m),
        "recall": lambda m: accuracies(metric=f"recall@{m}"),
        "forecast": lambda m: further((2, 10), top=m),
    }
    for kind, of in each.items():
        for seed in range(20):
            lists = [of(m)(sample(seed), 0.95) for m in (1, 2, 3, 5)]
            for short, long in pairwise(lists):
                parts = [rises(after, before).min() for after, before in zip(long, short, strict=True)]
                assert min(parts if kind == "forecast" else parts[:1]) >= -1e-6, (kind, seed)


@pytest.mark.parametrize("target", ["average", "superset"])
def test_a_longer_reach_never_narrows(target):
    """On the probit scale, from the observed number of classes on; ends at 0 and 1 have none."""
    for seed in range(40):
        _, low, high = further((1, 2, 10, 100, 1000), target=target)(sample(seed), 0.95)
        inside = (low > 1e-9) & (high < 1 - 1e-9)
        width = (special.ndtri(high) - special.ndtri(low))[inside]
        assert rises(width[1:], width[:-1]).min(initial=0) >= -1e-6, seed


# ---- a little worse, a little better
def room(name, seed, change):
    """How far ends may move the wrong way: those of a forecast with the observed curve, and a little more."""
    if not ESTIMATORS[name].forecast:
        return OBSERVED
    one = sample(seed)
    both = one, CHANGES[change](one, np.random.default_rng([2029, seed]))
    before, after = (cx.accuracy_curve(each.ranks, each.k1).interval()[0] for each in both)
    return END + 1.5 * np.abs(after - before).max()


@pytest.mark.parametrize("name", names(better=True, steady=True))
def test_one_comparison_lost_improves_nothing(name):
    """Lower ends and predictions hardly rise; where a right answer becomes wrong, no upper end of a forecast does."""
    for seed in seeds(name):
        after, before = (upright(name, found(name, seed, change)) for change in ("worse", ""))
        assert rises(after.low, before.low).max() <= room(name, seed, "worse"), seed
        assert rises(after.value, before.value).max() <= PREDICTION, seed
        if turned(seed):
            slack = ROUNDING if ESTIMATORS[name].forecast else PREDICTION
            assert rises(after.high, before.high).max() <= slack, seed


@pytest.mark.parametrize("name", names(better=True, steady=True))
def test_one_point_made_perfect_spoils_nothing(name):
    """The mirror image."""
    for seed in seeds(name):
        after, before = (upright(name, found(name, seed, change)) for change in ("improved", ""))
        slack = room(name, seed, "improved")
        assert rises(before.low, after.low).max() <= slack, seed
        assert rises(before.value, after.value).max() <= PREDICTION, seed
        assert rises(before.high, after.high).max() <= slack, seed


# ---- perfect records
@pytest.mark.parametrize("name", names(share=True, better=True, interval=True, along=True))
def test_a_perfect_record_is_not_contradicted(name):
    """Its better end is the best value for every number of classes, and the other end falls with it."""
    for seed in seeds(name)[:20]:
        value, low, high = ESTIMATORS[name].of(perfect(seed), 0.95)
        best, other = (high, low) if ESTIMATORS[name].better > 0 else (1 - low, 1 - high)
        np.testing.assert_allclose(best, 1, atol=ROUNDING)
        assert (other < 1).all()
        assert (low <= value).all()
        assert (value <= high).all()
        assert (ESTIMATORS[name].along * ESTIMATORS[name].better * rises(other[1:], other[:-1])).min() >= -ROUNDING


@pytest.mark.parametrize("name", names(share=True, better=True, interval=True, steady=True))
def test_errors_one_at_a_time_never_raise_the_upper_end(name):
    """The data sets before that are perfect."""
    for seed in seeds(name)[:10]:
        one, rng = perfect(seed), np.random.default_rng(seed)
        before = upright(name, ESTIMATORS[name].of(one, 0.95))
        for i in rng.permutation(one.labels.size)[:10]:
            scores = one.scores.copy()
            scores[i, (one.labels[i] + rng.integers(1, one.k1)) % one.k1] = 3
            one = replace(one, scores=scores)
            after = upright(name, ESTIMATORS[name].of(one, 0.95))
            slack = ROUNDING if ESTIMATORS[name].forecast else PREDICTION
            assert rises(after.high, before.high).max() <= slack, seed
            before = after
