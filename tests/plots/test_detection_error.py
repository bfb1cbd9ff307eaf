"""The detection error trade-off: what is drawn is what was computed."""

from __future__ import annotations

import itertools

import matplotlib
import numpy as np
import pytest
from scipy import special

from classex.open_set import open_set_curve
from classex.plots import DetectionErrorDisplay

matplotlib.use("agg")


def test_the_line_holds_the_rates():
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(2)
    mated, strangers = rng.normal(size=(30, 30)) + 3 * np.eye(30), rng.normal(size=(40, 30))
    cuts = [2.5, 1.0, 6.0]
    curve = open_set_curve(mated, range(30), strangers, cuts)
    display = DetectionErrorDisplay(curve, name="30 enrolled").plot()
    x, y = display.ax_.lines[0].get_data()
    inside = np.clip([curve.fpir[[1, 0, 2]], curve.fnir[[1, 0, 2]]], 1e-4, 1 - 1e-4)
    np.testing.assert_allclose(special.ndtr([x, y]), inside, atol=1e-12)
    assert display.ax_.texts[0].get_text() == "30 enrolled"
    again = DetectionErrorDisplay(curve).plot(display.ax_, color="red")
    assert again.ax_ is display.ax_
    assert len(display.ax_.lines) == 2
    assert display.ax_.lines[1].get_color() == "red"
    plt.close(display.figure_)


@pytest.mark.parametrize("width", [2.5, 4.3, 8])
@pytest.mark.parametrize("shift", [0.5, 3])
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
        data = curve.fpir if side == 0 else curve.fnir
        low, high = special.ndtr(axis.get_view_interval())
        assert low < data[data > 1e-4].min()
        assert high > data[data < 1 - 1e-4].max()
    plt.close(figure)


def test_bad_scores_are_named():
    with pytest.raises(ValueError, match="nonmated_scores must have shape"):
        DetectionErrorDisplay.from_scores(np.eye(3), range(3), np.eye(2), 0.5)
