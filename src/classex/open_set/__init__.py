"""Open-set identification: galleries searched by people who may not be enrolled.

`open_set_curve` gives the false positive and false negative identification rates at gallery sizes up to the one that
was searched, exactly over all sub-galleries; `extrapolate_open_set` carries both on to larger galleries. The terms are
those of ISO/IEC 19795: a search returns an enrolled identity if its score reaches the threshold.
"""

from __future__ import annotations

from classex.open_set.curve import OpenSetCurve, binomial_fpir, open_set_curve
from classex.open_set.extrapolation import OpenSetPrediction, extrapolate_open_set

__all__ = ["OpenSetCurve", "OpenSetPrediction", "binomial_fpir", "extrapolate_open_set", "open_set_curve"]
