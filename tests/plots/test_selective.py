"""What the selective display draws."""

import matplotlib
import numpy as np
import pytest

from classex.advantage import area_under, selective_curve
from classex.plots.selective import SelectiveDisplay

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    confidence = rng.random(200)
    return y, np.where(rng.random(200) < 0.5 + confidence / 2, y, 1 - y), confidence


def test_draws_the_curve_it_was_given(rows):
    curve = selective_curve(*rows)
    display = SelectiveDisplay.from_predictions(*rows, name="model")
    upper, lower = display.axes_
    risk, constant = upper.get_lines()
    np.testing.assert_array_equal(risk.get_ydata(), curve.risk)
    np.testing.assert_array_equal(constant.get_ydata(), curve.marginal_risk)
    defined = curve.marginal_risk > 0
    np.testing.assert_array_equal(lower.get_lines()[0].get_xdata(), curve.coverage[defined])
    np.testing.assert_array_equal(lower.get_lines()[0].get_ydata(), curve.advantage[defined])
    assert risk.get_label() == f"model (area {area_under(curve):.3f})"
    assert lower.get_xlabel() == "coverage"


def test_two_predictors_share_axes_and_lines_can_be_styled(rows):
    first = SelectiveDisplay.from_predictions(*rows, coverage=np.linspace(0.1, 1, 10))
    second = SelectiveDisplay(first.curve, "other").plot(first.axes_, color="black", label="mine")
    assert second.figure_ is first.figure_
    assert len(first.axes_[0].get_lines()) == 4
    assert first.axes_[0].get_lines()[2].get_color() == "black"
    assert first.axes_[1].get_lines()[1].get_label() == "mine"


def test_one_label_only_draws_no_advantage():
    display = SelectiveDisplay.from_predictions([0, 0], [0, 1], [2, 1])
    assert display.axes_[1].get_lines()[0].get_xdata().size == 0


def test_wrong_number_of_axes(rows):
    _, axes = plt.subplots(1, 3)
    with pytest.raises(ValueError, match=r"axes must be two matplotlib axes.*not 3"):
        SelectiveDisplay(selective_curve(*rows)).plot(axes)
