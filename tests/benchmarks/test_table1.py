"""Table 1: the standard error of a largest error."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.table1 import __main__ as table1


def test_the_error_of_a_maximum_is_that_of_repeated_experiments():
    """Many experiments of one level and of three: the bootstrap's errors have the right size on average."""
    rng = np.random.default_rng(1)
    for n_levels in (1, 3):
        errors = rng.normal(size=(400, n_levels, 30, 1))
        largest = np.sqrt(np.square(errors).mean(axis=2)).max(axis=1)
        estimated = [table1.error_of_maximum(list(experiment), 100)[0] for experiment in errors]
        assert np.mean(estimated) == pytest.approx(largest.std(ddof=1), rel=0.2)
