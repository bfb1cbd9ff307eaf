"""Data sets of the labs and chapters: simulated, drawn from fonts, embedded, or from a public census table."""

from __future__ import annotations

from classex_book.data.census import CensusPeople, load_census
from classex_book.data.definitions import WordDefinitions, load_definitions
from classex_book.data.gabor import GaborChannels, gabor_features, gabor_filters
from classex_book.data.hangul import HangulSyllables, load_hangul
from classex_book.data.neighbours import NearestCentroidScorer, NearestNeighbourScorer, NeighbourCountScorer
from classex_book.data.recordings import VoxelwiseData, load_voxelwise
from classex_book.data.scanner import ScannerExperiment, load_scanner_experiment
from classex_book.data.scoring import CLASSIFIERS, NamedClassifier, glyph_features, glyph_scores
from classex_book.data.telugu import TeluguGlyphs, load_telugu
from classex_book.data.typefaces import TypefaceSearches, load_typefaces
from classex_book.data.voxels import VoxelExperiment, load_voxel_experiment
from classex_book.data.words import WORD_SYSTEMS, Words, embed_words, load_words

__all__ = [
    "CLASSIFIERS",
    "WORD_SYSTEMS",
    "CensusPeople",
    "GaborChannels",
    "HangulSyllables",
    "NamedClassifier",
    "NearestCentroidScorer",
    "NearestNeighbourScorer",
    "NeighbourCountScorer",
    "ScannerExperiment",
    "TeluguGlyphs",
    "TypefaceSearches",
    "VoxelExperiment",
    "VoxelwiseData",
    "WordDefinitions",
    "Words",
    "embed_words",
    "gabor_features",
    "gabor_filters",
    "glyph_features",
    "glyph_scores",
    "load_census",
    "load_definitions",
    "load_hangul",
    "load_scanner_experiment",
    "load_telugu",
    "load_typefaces",
    "load_voxel_experiment",
    "load_voxelwise",
    "load_words",
]
