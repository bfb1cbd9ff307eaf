r"""What an accuracy says about information, and information about accuracy. Everything in nats.

- `accuracy_ceiling` is :math:`C_k(\iota)`, the largest average Bayes accuracy with k classes that information
  :math:`\iota` allows; `error_floor` is one minus it, and `information_bound` its inverse. `ExtremalChannel`
  attains it.
- `identification_accuracy` is the accuracy that information gives in high dimension; `identification_error`
  is one minus it, and `identification_information` its inverse.
- `fano_bound` and `confusion_information` are the older ways from accuracy or from a confusion matrix.
"""

from __future__ import annotations

from classex.information.ceiling import accuracy_ceiling, error_floor, information_bound
from classex.information.discrete import bits_to_nats, confusion_information, fano_bound, nats_to_bits
from classex.information.extremal import ExtremalChannel, extremal_density
from classex.information.identification import (
    identification_accuracy,
    identification_error,
    identification_information,
)

__all__ = [
    "ExtremalChannel",
    "accuracy_ceiling",
    "bits_to_nats",
    "confusion_information",
    "error_floor",
    "extremal_density",
    "fano_bound",
    "identification_accuracy",
    "identification_error",
    "identification_information",
    "information_bound",
    "nats_to_bits",
]
