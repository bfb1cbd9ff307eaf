"""Korean syllables: a class is a syllable in ten fonts, its test points the same syllable in four others."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.recipes import Pair, euclidean
from classex_book.data import load_hangul

SOURCES = (("classex_book: hangul.npz", "OFL-1.1 and others, see HANGUL-LICENSES.md"),)
_EACH = 4


def recognisers() -> dict[str, Pair]:
    """Nearest centroid; linear discriminant; nearest image in one font."""
    data = load_hangul()
    test = data.test[:, :_EACH].reshape(-1, data.test.shape[-1]).astype(np.float64)
    train = data.train.astype(np.float64)
    centroids = train.mean(axis=1)
    residuals = (train - centroids[:, np.newaxis]).reshape(-1, train.shape[-1])
    covariance = residuals.T @ residuals / len(residuals)
    shrunk = 0.9 * covariance + 0.1 * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    whiten = np.linalg.cholesky(np.linalg.inv(shrunk))
    return {
        "nearest centroid": euclidean(test, centroids),
        "discriminant": euclidean(test @ whiten, centroids @ whiten),
        "one font": euclidean(test, train[:, 0]),
    }
