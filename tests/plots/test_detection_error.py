"""The detection error trade-off: what is drawn is what was computed."""

from __future__ import annotations

import itertools

import matplotlib
import numpy as np
import pytest
from scipy import special

from classex.fields.open_set import extrapolate_open_set, open_set_curve
from classex.plots import DetectionErrorDisplay

matplotlib.use("agg")


def test_the_line_and_its_band_are_the_rates():
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(2)
    mated, strangers = rng.normal(size=(30, 30)) + 3 * np.eye(30), rng.normal(size=(40, 30))
    curve = open_set_curve(mated, range(30), strangers, [2.5, 1.5, 2.0])
    display = DetectionErrorDisplay(curve, name="30 enrolled").plot()
    x, y = display.ax_.lines[0].get_data()
    np.testing.assert_allclose(special.ndtr([x, y]), [curve.fpir[[1, 2, 0]], curve.fnir[[1, 2, 0]]], atol=1e-12)
    assert display.ax_.get_legend().get_texts()[0].get_text() == "30 enrolled"
    (band,) = display.ax_.collections[:1]
    ends = special.ndtr(band.get_paths()[0].vertices)
    for at in (1, 2, 0):
        expected = curve.fnir_at_fpir(curve.fpir[at]).fnir_interval[0]
        # cut off at one normal deviate from the line
        expected = np.clip(expected, *special.ndtr(special.ndtri(curve.fnir[at]) + np.array([-1.0, 1.0])))
        here = ends[np.isclose(ends[:, 0], curve.fpir[at], atol=1e-9), 1]
        np.testing.assert_allclose([here.min(), here.max()], expected, atol=1e-9)
    again = DetectionErrorDisplay(curve).plot(display.ax_, color="red")
    assert again.ax_ is display.ax_
    assert len(display.ax_.lines) == 2
    assert display.ax_.lines[1].get_color() == "red"
    assert display.ax_.lines[1].get_label() == "N = 30"
    plt.close(display.figure_)


def test_rates_of_zero_are_drawn_as_bounds():
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(2)
    mated, strangers = rng.normal(size=(30, 30)) + 3 * np.eye(30), rng.normal(size=(40, 30))
    curve = open_set_curve(mated, range(30), strangers, [2.5, 6.0, 5.0, 2.0])
    ax = DetectionErrorDisplay(curve).plot().ax_
    assert (curve.fpir == 0).tolist() == [False, True, True, False]
    assert len(ax.lines[0].get_xdata()) == 2
    points = [one.get_offsets() for one in ax.collections[1:]]
    drawn = special.ndtr(np.concatenate(points))
    np.testing.assert_allclose(drawn, [[curve.fpir_interval[2, 1], curve.fnir[2]]], atol=1e-12)
    assert [np.asarray(one.get_facecolors()).size for one in ax.collections[1:]] == [0, 0]
    plt.close(ax.figure)
    perfect = open_set_curve(10 * np.eye(20), range(20), rng.normal(size=(40, 20)), [1.0, 9.0])
    ax = DetectionErrorDisplay(perfect).plot().ax_
    drawn = special.ndtr(np.concatenate([one.get_offsets() for one in ax.collections[1:]]))
    # the bounds of a threshold without an error of either kind
    assert (np.isclose(drawn, [perfect.fpir_interval[1, 1], perfect.fnir_interval[1, 1]]).all(axis=1)).any()
    plt.close(ax.figure)


def test_each_number_of_enrolled_identities_has_a_line():
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(3)
    mated, strangers = rng.normal(size=(12, 12)) + 4 * np.eye(12), rng.normal(size=(30, 12))
    found = extrapolate_open_set(mated, range(12), strangers, [1.5, 2.5], n_enrolled=[12, 100])
    display = found.plot()
    assert [line.get_label() for line in display.lines_] == ["N = 12", "N = 100"]
    plt.close(display.figure_)


@pytest.mark.parametrize("width", [2.5, 4.3, 8])
@pytest.mark.parametrize("shift", [1.5, 3])
def test_rates_at_the_axes_stay_apart(width, shift):
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(2)
    mated, strangers = rng.normal(size=(30, 30)) + shift * np.eye(30), rng.normal(size=(40, 30))
    curve = open_set_curve(mated, range(30), strangers, np.linspace(0.5, 4, 9))
    figure, ax = plt.subplots(figsize=(width, width))
    DetectionErrorDisplay(curve).plot(ax)
    figure.canvas.draw()
    for axis, side in ((ax.xaxis, 0), (ax.yaxis, 1)):
        labels = axis.get_ticklabels()
        assert len(labels) >= 2
        rates = [float(label.get_text()) for label in labels]
        np.testing.assert_allclose(special.ndtr(axis.get_ticklocs()), rates, atol=1e-12)
        boxes = [label.get_window_extent() for label in labels]
        for one, following in itertools.pairwise(boxes):
            assert one.max[side] < following.min[side]
        inside = (np.minimum(curve.fpir, curve.fnir) > 0) & (np.maximum(curve.fpir, curve.fnir) < 1)
        data = (curve.fpir if side == 0 else curve.fnir)[inside]
        low, high = special.ndtr(axis.get_view_interval())
        assert low < data.min()
        assert high > data.max()
    plt.close(figure)
