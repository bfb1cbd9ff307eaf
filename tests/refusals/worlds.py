"""Data that the tables share: nothing is wrong with them."""

from __future__ import annotations

import numpy as np

import classex as cx


def scored(n_classes=8, n_repeats=2):
    """Scores and labels."""
    labels = np.repeat(np.arange(n_classes), n_repeats)
    return np.random.default_rng(0).normal(size=(labels.size, n_classes)) + 2 * np.eye(n_classes)[labels], labels


def ranked(n_classes=8, n_repeats=2):
    return cx.correct_ranks(*scored(n_classes, n_repeats))


def embedded(n_classes, n_tests, n_features):
    """Vectors of test points, of one reference for each class, and labels."""
    rng = np.random.default_rng(1)
    references = rng.normal(size=(n_classes, n_features))
    labels = np.arange(n_tests) % n_classes
    return references[labels] + 0.1 * rng.normal(size=(n_tests, n_features)), references, labels
