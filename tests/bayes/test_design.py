"""Sizes of experiments: the answer reaches the width, one class or repeat fewer does not."""

from __future__ import annotations

import numpy as np
import pytest

from classex.bayes import AVERAGE_METHODS, average_bayes_accuracy_bound, cheapest_design, required_classes


def width(accuracy, k, r, method):
    return accuracy - average_bayes_accuracy_bound(accuracy, n_classes=k, n_repeats=r, method=method)


@pytest.mark.parametrize("method", AVERAGE_METHODS)
@pytest.mark.parametrize(("target", "r"), [(0.2, 1), (0.05, 30)])
def test_required_classes_is_the_smallest(method, target, r):
    k = required_classes(target, accuracy=0.9, n_repeats=r, method=method)
    assert width(0.9, k, r, method) <= target
    assert width(0.9, k - 1, r, method) > target


def test_required_classes_has_a_closed_form_for_the_joint_bound():
    k = required_classes(0.1, accuracy=0.9, n_repeats=10)
    assert k == int(np.ceil(1.1 * np.log(20) / (2 * 0.01)))


def test_the_floor_at_guessing_does_not_count_as_precision():
    """With 3 classes the clipped bound 1/3 lies within 0.1 of 0.4 whatever the data; that is no design."""
    assert required_classes(0.1, accuracy=0.4, n_repeats=5) > 100


@pytest.mark.parametrize(("class_cost", "method"), [(25.0, "joint"), (0.5, "joint"), (9.0, "chernoff")])
def test_cheapest_design_against_trying_everything(class_cost, method):
    design = cheapest_design(0.15, accuracy=0.9, class_cost=class_cost, method=method)
    costs = [required_classes(0.15, accuracy=0.9, n_repeats=r, method=method) * (class_cost + r) for r in range(1, 40)]
    assert design.cost == min(costs)
    assert design.cost == design.n_classes * (class_cost + design.n_repeats)


def test_a_class_that_costs_more_than_rounding_leaves_of_its_repeats():
    """The cost of the design overflows, and what the repeats add to it is rounded away."""
    plan = cheapest_design(0.2, accuracy=0.9, class_cost=1.7e308)
    assert plan.n_classes == required_classes(0.2, accuracy=0.9, n_repeats=plan.n_repeats)
