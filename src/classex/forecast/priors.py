"""The prior of accuracy curves, learnt from domains of real classifiers."""

from __future__ import annotations

from classex.forecast.components import Beta, Straight
from classex.forecast.posterior import CurvePrior

__all__ = ["ACCURACY_CURVES", "TESTED_REACH"]


# Beta curves from flat to all points alike, each with no hopeless points, some, and many
_SHAPES = tuple((b, h) for b in (0.1, 0.4, 1.0, 5.0, 200.0) for h in (0.0, 0.1, 0.4))

#: The mean slope fits the true curves of the domains of ``benchmarks/suite``. The numbers of the slope, and the weights
#: of steep and of beta curves, have the smallest mean interval score there among those that cover at least .93 in every
#: domain. No domain reaches as far as the axis of normal scores matters: its numbers are those of Gaussian scores
ACCURACY_CURVES = CurvePrior(
    (
        Straight(0.74, slope_sd=0.17),
        Straight(0.10, slope_sd=0.4),
        Straight(0.05, slope_sd=0.8),
        Beta(0.06, _SHAPES),
        Straight(
            0.05, slope=-0.8, slope_sd=0.4, length=30.0, early=0.0, axis="normal", kind="falls as normal scores do"
        ),
    )
)
#: Largest number of classes over that of the observed ones for which the suite holds true accuracies
TESTED_REACH = 658
