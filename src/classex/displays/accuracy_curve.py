"""Display of observed and extrapolated accuracy against the number of classes."""

from classex.extrapolation.curve_display import AccuracyCurveDisplay

__all__ = ["AccuracyCurveDisplay"]
