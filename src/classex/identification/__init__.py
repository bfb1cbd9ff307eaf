"""Identification: from stimulus-response pairs to the identification curve and the information it implies."""

from __future__ import annotations

from classex.identification._results import (
    CurveTest,
    EncodingFit,
    ImpliedInformation,
    InformationDifference,
    PermutationTest,
)
from classex.identification.encoding import fit_encoding, noise_covariance, predict_responses, split_pairs
from classex.identification.implied import compare_implied_information, curve_test, implied_information
from classex.identification.model import IdentificationModel
from classex.identification.permutation import permutation_test

__all__ = [
    "CurveTest",
    "EncodingFit",
    "IdentificationModel",
    "ImpliedInformation",
    "InformationDifference",
    "PermutationTest",
    "compare_implied_information",
    "curve_test",
    "fit_encoding",
    "implied_information",
    "noise_covariance",
    "permutation_test",
    "predict_responses",
    "split_pairs",
]
