"""Encoding models: responses predicted from features of stimuli, and stimuli decoded from responses."""

from __future__ import annotations

from classex_book.encoding.fitting import (
    EncodingFit,
    fit_encoding,
    noise_covariance,
    predict_responses,
    split_pairs,
)
from classex_book.encoding.model import IdentificationModel

__all__ = [
    "EncodingFit",
    "IdentificationModel",
    "fit_encoding",
    "noise_covariance",
    "predict_responses",
    "split_pairs",
]
