"""What studies say to pass over a lack of fit."""

from __future__ import annotations

import pickle
import warnings

import cloudpickle
import pytest

from benchmarks.misfits import misfits_expected
from classex.exceptions import LackOfFitWarning


def test_only_a_lack_of_fit_is_passed_over_and_functions_can_be_sent():
    @misfits_expected()
    def study(category):
        warnings.warn("told", category, stacklevel=1)
        return 1

    sent = pickle.loads(cloudpickle.dumps(study))
    for function in (study, sent):
        assert function(LackOfFitWarning) == function(LackOfFitWarning) == 1
    with pytest.warns(RuntimeWarning, match="told"):
        study(RuntimeWarning)
    with misfits_expected():
        warnings.warn("told", LackOfFitWarning, stacklevel=1)
