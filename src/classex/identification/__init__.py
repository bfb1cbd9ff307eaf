"""Identification: from stimulus-response pairs to the identification curve and the information it implies."""

from __future__ import annotations

from classex.identification._results import EncodingFit, PermutationTest
from classex.identification.encoding import fit_encoding, noise_covariance, predict_responses, split_pairs
from classex.identification.group import GroupEstimate, random_effects
from classex.identification.model import IdentificationModel
from classex.identification.permutation import permutation_test
from classex.identification.recordings import (
    delay_features,
    detrend,
    noise_ceiling,
    out_of_run_r2,
    segment_scores,
)

__all__ = [
    "EncodingFit",
    "GroupEstimate",
    "IdentificationModel",
    "PermutationTest",
    "delay_features",
    "detrend",
    "fit_encoding",
    "noise_ceiling",
    "noise_covariance",
    "out_of_run_r2",
    "permutation_test",
    "predict_responses",
    "random_effects",
    "segment_scores",
    "split_pairs",
]
