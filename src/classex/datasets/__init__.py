"""Data sets, and the score matrices of classifiers trained on them."""

from __future__ import annotations

from classex.datasets.neighbours import NearestCentroidScorer, NearestNeighbourScorer, NeighbourCountScorer
from classex.datasets.scoring import CLASSIFIERS, NamedClassifier, glyph_features, glyph_scores
from classex.datasets.telugu import TeluguGlyphs, glyph_sheet, load_telugu

__all__ = [
    "CLASSIFIERS",
    "NamedClassifier",
    "NearestCentroidScorer",
    "NearestNeighbourScorer",
    "NeighbourCountScorer",
    "TeluguGlyphs",
    "glyph_features",
    "glyph_scores",
    "glyph_sheet",
    "load_telugu",
]
