"""Displays draw what estimators computed; matplotlib is imported inside their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex.displays.accuracy_curve import AccuracyCurveDisplay
    from classex.displays.detection_error import DetectionErrorDisplay
    from classex.displays.selective import SelectiveDisplay

__all__ = [
    "AccuracyCurveDisplay",
    "DetectionErrorDisplay",
    "SelectiveDisplay",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex.displays",
        {
            "AccuracyCurveDisplay": "accuracy_curve",
            "DetectionErrorDisplay": "detection_error",
            "SelectiveDisplay": "selective",
        },
    )
