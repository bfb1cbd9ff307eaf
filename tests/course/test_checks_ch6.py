"""The checkers of Chapter 6 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from classex_book import ExerciseError, check
from classex_book.course.exercises import numbers


def over_the_predicted(true, predicted, loss):
    """The best constant among the predicted labels, none of which need be a true one."""
    blind = min(np.mean(loss(np.full(len(true), a), true)) for a in np.unique(predicted))
    return 1 - np.mean(loss(predicted, true)) / blind


def over_all(true, predicted, loss):
    """The best constant among all labels, true or predicted."""
    blind = min(np.mean(loss(np.full(len(true), a), true)) for a in np.union1d(true, predicted))
    return 1 - np.mean(loss(predicted, true)) / blind


def test_a_constant_among_all_labels_does_as_well_as_one_among_the_true_ones():
    check("exr-ch6-advantage", over_all)


@pytest.mark.parametrize("variant", range(1, 30))
def test_a_variant_of_any_loss_tells_predicted_labels_from_true_ones(variant):
    values = numbers("exr-ch6-advantage", variant)
    true, predicted = np.array(values["true"]), np.array(values["predicted"])
    wrong = over_the_predicted(true, predicted, lambda a, y: np.minimum(np.abs(a - y), values["cap"]))
    with pytest.raises(ExerciseError, match="is not right"):
        check("exr-ch6-advantage", float(wrong), variant=variant)
