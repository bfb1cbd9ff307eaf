"""The detection error trade-off: what is drawn is what was computed."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from scipy import special

from classex.displays import DetectionErrorDisplay
from classex.open_set import open_set_curve

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
    assert display.ax_.get_xticklabels()[1].get_text() == "0.01"
    again = DetectionErrorDisplay(curve).plot(display.ax_, color="red")
    assert again.ax_ is display.ax_
    assert len(display.ax_.lines) == 2
    assert display.ax_.lines[1].get_color() == "red"
    plt.close(display.figure_)


def test_bad_scores_are_named():
    with pytest.raises(ValueError, match="impostor_scores must have shape"):
        DetectionErrorDisplay.from_scores(np.eye(3), range(3), np.eye(2), 0.5)
