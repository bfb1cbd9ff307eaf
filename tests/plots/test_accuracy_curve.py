"""The accuracy display: what is drawn is what was computed."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import classex as cx
from classex.plots import AccuracyCurveDisplay


@pytest.fixture(autouse=True)
def no_window():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    sample = cx.models.BivariateNormal(0.95).sample(30, n_repeats=2, rng=3)
    return cx.Extrapolator(cx.methods.Regression(bandwidth=0.5)).fit(sample.scores, sample.labels)


def test_extrapolated_curve_marks_and_band(fitted):
    display = cx.extrapolate(fitted, n_classes=[100, 400], confidence_level=0.9).plot(color="C3")
    observed, line, marks = display.ax_.lines
    x, y = line.get_data()
    assert (x[0], x[-1]) == (2, 400)
    np.testing.assert_allclose(y, fitted.predict(x))
    np.testing.assert_array_equal(marks.get_xdata(), [100, 400])
    np.testing.assert_allclose(marks.get_ydata(), fitted.predict([100, 400]))
    assert line.get_color() == marks.get_color() == "C3"
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["observed", "regression"]
    # the band passes through the ends of the table, which know of no other numbers of classes
    table = fitted.predict_interval([100, 400], confidence_level=0.9)
    np.testing.assert_allclose(display.interval[np.isin(x, [100, 400])], table)
    np.testing.assert_allclose(display.interval, fitted.predict_interval(x, confidence_level=0.9), atol=0.05)
    corners = display.ax_.collections[1].get_paths()[0].vertices
    at_end = corners[corners[:, 0] == 400, 1]
    np.testing.assert_allclose([at_end.min(), at_end.max()], display.interval[-1])
    curve = cx.accuracy_curve(fitted.ranks_, observed.get_xdata())
    np.testing.assert_allclose(observed.get_ydata(), curve.accuracy)
    assert display.ax_.get_xscale() == "log"
    assert display.figure_ is display.ax_.figure


def test_observed_curve_alone():
    """Its band is its interval."""
    curve = cx.accuracy_curve(cx.ranks_from_wins([3, 3, 0, 1, 2], 4, labels=[0, 0, 1, 2, 3]), [2, 3, 4])
    display = AccuracyCurveDisplay(curve, name="seen", ylabel="risk").plot(linestyle="--")
    (line,) = display.ax_.lines
    assert line.get_linestyle() == "--"
    assert line.get_label() == "seen"
    assert display.ax_.get_ylabel() == "risk"
    corners = display.ax_.collections[0].get_paths()[0].vertices
    for k, ends in zip(curve.n_classes, curve.interval(), strict=True):
        drawn = corners[corners[:, 0] == k, 1]
        np.testing.assert_allclose([drawn.min(), drawn.max()], ends)
    assert curve.plot().ax_.get_legend() is None
    without = cx.accuracy_curve(cx.ranks_from_wins([3, 0, 1, 2], 4), standard_errors=False)
    assert not without.plot().ax_.collections


def test_a_published_curve_is_the_observed_one():
    published = cx.Extrapolator().fit_curve([10, 100], [0.9, 0.7], 500)
    display = cx.extrapolate(published, n_classes=1000).plot()
    assert display.observed is published.curve_
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["observed", "gaussian-process"]
    np.testing.assert_allclose(display.ax_.lines[0].get_ydata(), [0.9, 0.7])
    np.testing.assert_allclose(display.ax_.lines[1].get_ydata(), published.predict(display.n_classes))
    assert cx.extrapolate(published, n_classes=1000, metric="mrr").plot().observed is None
    assert cx.extrapolate(published, n_classes=1000, top=5).plot().observed is None


TABLES = [
    {},
    {"target": "fresh", "n_repeats": 1},
    {"target": "superset", "n_repeats": 2},
    {"metric": "mrr", "confidence_level": 0.8},
    {"metric": "recall@3", "method": "pitman-yor"},
    {"top": 3},
    {"average": "points"},
    {"method": "regression", "target": "fresh", "n_repeats": 4},
    {"weights": [1, 4] * 15},
    {"groups": np.repeat(np.arange(10), 3)},
    {"groups": np.repeat(np.arange(10), 3), "growth": "more groups"},
    {"target": None},
]


@pytest.mark.parametrize("given", TABLES, ids=lambda given: "-".join(given) or "default")
def test_a_result_draws_the_intervals_of_its_table(given):
    """Whatever was asked for, in whatever order of the numbers of classes."""
    sample = cx.models.GaussianClasses(10, 0.2).sample(30, n_repeats=3, rng=0)
    result = cx.extrapolate(sample.scores, sample.labels, n_classes=[40, 5, 3000, 300], **given)
    display = result.plot()
    line = display.lines_[-1].get_xdata()
    assert (np.diff(line) > 0).all()
    at = np.searchsorted(line, result.n_classes)
    np.testing.assert_array_equal(line[at], result.n_classes)
    np.testing.assert_allclose(display.lines_[-1].get_ydata()[at], result.accuracy, rtol=1e-12)
    assert sorted(display.ax_.lines[-1].get_xdata()) == [5, 40, 300, 3000]
    if result.interval is None:
        assert display.interval is None
        return
    np.testing.assert_allclose(display.interval[at], result.interval, rtol=1e-12)
    corners = display.ax_.collections[-1].get_paths()[0].vertices
    for k, ends in zip(result.n_classes, result.interval, strict=True):
        drawn = corners[corners[:, 0] == k, 1]
        np.testing.assert_allclose([drawn.min(), drawn.max()], ends, rtol=1e-12)
    if given.get("target") != "fresh" and "groups" not in given:
        assert (np.diff(display.interval, axis=0) <= 1e-12).all()


def test_a_restatement_draws_its_estimate_and_limits():
    found = cx.restate([(50, 1, 0.62), (50, 5, 0.9)], n_classes=[1000, 100])
    shown = found.plot()
    (line,) = shown.lines_
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([[100, 1000], found.accuracy[::-1]]))
    marked, low, high = shown.ax_.lines[1:]
    np.testing.assert_array_equal(marked.get_ydata(), line.get_ydata())
    np.testing.assert_array_equal(np.stack([low.get_ydata(), high.get_ydata()], axis=1), found.limits[::-1])
    alone = cx.restate([(100, 10, 0.95)], n_classes=[1000], top=10)
    assert "An estimate needs a report of a top-1 accuracy" in str(alone)
    shown = alone.plot()
    assert (shown.lines_, len(shown.ax_.lines), shown.ax_.get_ylabel()) == ([], 2, "average top-10 accuracy")


def test_the_interval_of_a_single_prediction_is_a_line():
    found = cx.restate([(50, 1, 0.62)], n_classes=1000)
    (interval,) = found.plot().ax_.collections
    np.testing.assert_array_equal(interval.get_segments()[0][:, 1], found.interval[0])


def test_risks_are_drawn_by_quantity():
    sizes = np.repeat([1, 2, 3], [50, 40, 30])
    found = cx.reidentification.population_risk(sizes, n_people=[200, 100])
    ax = found.plot().ax_
    labels = ["unique", "unique limits", "marketer risk", "marketer risk limits"]
    assert ax.get_legend_handles_labels()[1] == labels
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    for quantity in labels[::2]:
        value = found.of(quantity)[0]
        np.testing.assert_array_equal(lines[quantity], np.column_stack([[100, 200], value[::-1]]))
