"""What is known of a curve without a model."""

from __future__ import annotations

import numpy as np

from classex.predict.known import remembered


def test_a_curve_is_computed_once_for_the_same_numbers_of_classes():
    """What it returns can be changed without changing what is remembered."""
    asked = []

    def curve(sizes):
        asked.append(sizes.tolist())
        return 1 / sizes

    value = remembered(curve)
    first = value(np.array([2.0, 4.0]))
    first[:] = 0.0
    np.testing.assert_array_equal(value(np.array([2.0, 4.0])), [0.5, 0.25])
    np.testing.assert_array_equal(value(np.array([4.0])), [0.25])
    assert asked == [[2.0, 4.0], [4.0]]
