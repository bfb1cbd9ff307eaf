"""Data sets, and the score matrices of classifiers trained on them."""

from __future__ import annotations

from classex.datasets.embeddings import Embeddings, ReferenceSplit, load_embeddings, split_references
from classex.datasets.gabor import GaborChannels, gabor_features, gabor_filters
from classex.datasets.hangul import HangulSyllables, load_hangul
from classex.datasets.names import Names, load_names
from classex.datasets.neighbours import NearestCentroidScorer, NearestNeighbourScorer, NeighbourCountScorer
from classex.datasets.scanner import ScannerExperiment, load_scanner_experiment
from classex.datasets.scoring import CLASSIFIERS, NamedClassifier, glyph_features, glyph_scores
from classex.datasets.telugu import TeluguGlyphs, glyph_sheet, load_telugu
from classex.datasets.voxels import VoxelExperiment, load_responses, load_voxel_experiment
from classex.datasets.voxelwise import VoxelwiseData, load_voxelwise
from classex.datasets.words import WORD_SYSTEMS, Words, embed_words, load_words

__all__ = [
    "CLASSIFIERS",
    "WORD_SYSTEMS",
    "Embeddings",
    "GaborChannels",
    "HangulSyllables",
    "NamedClassifier",
    "Names",
    "NearestCentroidScorer",
    "NearestNeighbourScorer",
    "NeighbourCountScorer",
    "ReferenceSplit",
    "ScannerExperiment",
    "TeluguGlyphs",
    "VoxelExperiment",
    "VoxelwiseData",
    "Words",
    "embed_words",
    "gabor_features",
    "gabor_filters",
    "glyph_features",
    "glyph_scores",
    "glyph_sheet",
    "load_embeddings",
    "load_hangul",
    "load_names",
    "load_responses",
    "load_scanner_experiment",
    "load_telugu",
    "load_voxel_experiment",
    "load_voxelwise",
    "load_words",
    "split_references",
]
