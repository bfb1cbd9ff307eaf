"""The detection error trade-off: what is drawn is what was computed."""

from __future__ import annotations

import matplotlib
import numpy as np

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
    np.testing.assert_allclose([x, y], [curve.fpir[[1, 2, 0]], curve.fnir[[1, 2, 0]]], atol=1e-12)
    assert display.ax_.get_legend().get_texts()[0].get_text() == "30 enrolled"
    (band,) = display.ax_.collections[:1]
    ends = band.get_paths()[0].vertices
    for at in (1, 2, 0):
        expected = curve.fnir_at_fpir(curve.fpir[at]).fnir_interval[0]
        expected = np.maximum(expected, curve.fnir.min() / 10)
        here = ends[np.isclose(ends[:, 0], curve.fpir[at], atol=1e-9), 1]
        np.testing.assert_allclose([here.min(), here.max()], expected, atol=1e-9)
    again = DetectionErrorDisplay(curve).plot(display.ax_, color="red")
    assert again.ax_ is display.ax_
    assert len(display.ax_.lines) == 2
    assert display.ax_.lines[1].get_color() == "red"
    assert display.ax_.lines[1].get_label() == "N = 30"
    single = open_set_curve(mated, range(30), strangers, [2.0]).plot(display.ax_)  # a line of one point is not seen
    assert [line.get_marker() for line in (*again.lines_, *single.lines_)] == ["None", "o"]
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
    drawn = np.concatenate(points)
    np.testing.assert_allclose(drawn, [[curve.fpir_interval[2, 1], curve.fnir[2]]], atol=1e-12)
    assert [np.asarray(one.get_facecolors()).size for one in ax.collections[1:]] == [0, 0]
    plt.close(ax.figure)
    perfect = open_set_curve(10 * np.eye(20), range(20), rng.normal(size=(40, 20)), [1.0, 9.0])
    ax = DetectionErrorDisplay(perfect).plot().ax_
    drawn = np.concatenate([one.get_offsets() for one in ax.collections[1:]])
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
