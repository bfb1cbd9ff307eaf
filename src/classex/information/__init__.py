"""What an accuracy says about information, and information about accuracy. Everything in nats.

`accuracy_ceiling` is the largest average Bayes accuracy that information allows; `error_floor` is one minus it, and
`information_bound` its inverse; `ExtremalChannel` attains it; `information_confidence_bound` allows for chance.
`identification_accuracy` is the accuracy that information gives in high dimension, `identification_information` its
inverse, and `implied_information` its estimate from ranks. `fano_bound` and `confusion_information` are the older
ways from accuracy or from a confusion matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex.information._results import CurveTest, ImpliedInformation, InformationDifference
    from classex.information.ceiling import accuracy_ceiling, error_floor, information_bound
    from classex.information.confidence import default_class_counts, information_confidence_bound
    from classex.information.discrete import bits_to_nats, confusion_information, fano_bound, nats_to_bits
    from classex.information.extremal import ExtremalChannel, extremal_density
    from classex.information.identification import (
        identification_accuracy,
        identification_error,
        identification_information,
    )
    from classex.information.implied import compare_implied_information, curve_test, implied_information

__all__ = [
    "CurveTest",
    "ExtremalChannel",
    "ImpliedInformation",
    "InformationDifference",
    "accuracy_ceiling",
    "bits_to_nats",
    "compare_implied_information",
    "confusion_information",
    "curve_test",
    "default_class_counts",
    "error_floor",
    "extremal_density",
    "fano_bound",
    "identification_accuracy",
    "identification_error",
    "identification_information",
    "implied_information",
    "information_bound",
    "information_confidence_bound",
    "nats_to_bits",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex.information",
        {
            "CurveTest": "_results",
            "ExtremalChannel": "extremal",
            "ImpliedInformation": "_results",
            "InformationDifference": "_results",
            "accuracy_ceiling": "ceiling",
            "bits_to_nats": "discrete",
            "compare_implied_information": "implied",
            "confusion_information": "discrete",
            "curve_test": "implied",
            "default_class_counts": "confidence",
            "error_floor": "ceiling",
            "extremal_density": "extremal",
            "fano_bound": "discrete",
            "identification_accuracy": "identification",
            "identification_error": "identification",
            "identification_information": "identification",
            "implied_information": "implied",
            "information_bound": "ceiling",
            "information_confidence_bound": "confidence",
            "nats_to_bits": "discrete",
        },
    )
