"""Identification: from stimulus-response pairs to the identification curve and the information it implies."""

from __future__ import annotations

from classex.identification._results import EncodingFit, PermutationTest
from classex.identification.encoding import fit_encoding, noise_covariance, predict_responses, split_pairs
from classex.identification.model import IdentificationModel
from classex.identification.permutation import permutation_test

__all__ = [
    "EncodingFit",
    "IdentificationModel",
    "PermutationTest",
    "fit_encoding",
    "noise_covariance",
    "permutation_test",
    "predict_responses",
    "split_pairs",
]
