"""What the selective display draws."""

import matplotlib
import numpy as np
import pytest

from classex.advantage import selective_curve

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def curve():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    confidence = rng.random(200)
    return selective_curve(y, np.where(rng.random(200) < 0.5 + confidence / 2, y, 1 - y), confidence)


def test_draws_the_curve_it_was_given(curve):
    upper, lower = curve.plot().axes_
    risk, constant = upper.get_lines()
    np.testing.assert_array_equal(risk.get_ydata(), curve.risk)
    np.testing.assert_array_equal(constant.get_ydata(), curve.marginal_risk)
    defined = curve.marginal_risk > 0
    np.testing.assert_array_equal(lower.get_lines()[0].get_xdata(), curve.coverage[defined])
    np.testing.assert_array_equal(lower.get_lines()[0].get_ydata(), curve.advantage[defined])


def test_two_predictors_share_axes_and_lines_can_be_styled(curve):
    first = curve.plot()
    second = curve.plot(first.axes_, color="black", label="mine")
    assert second.figure_ is first.figure_
    assert len(first.axes_[0].get_lines()) == 4
    assert {line.get_color() for line in second.lines_} == {"black"}
    assert second.lines_[0].get_label() == "mine"
