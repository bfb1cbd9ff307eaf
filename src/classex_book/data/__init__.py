"""Data sets of the labs and chapters: simulated, drawn from fonts, embedded, or from a public census table."""

from __future__ import annotations

from classex_book.data.census import CensusPeople, load_census
from classex_book.data.definitions import WordDefinitions, load_definitions
from classex_book.data.gabor import GaborChannels, gabor_features, gabor_filters
from classex_book.data.hangul import HangulSyllables, load_hangul
from classex_book.data.recordings import VoxelwiseData, load_voxelwise
from classex_book.data.scanner import ScannerExperiment, load_scanner_experiment
from classex_book.data.typefaces import TypefaceSearches, load_typefaces
from classex_book.data.voxels import VoxelExperiment, load_voxel_experiment

__all__ = [
    "CensusPeople",
    "GaborChannels",
    "HangulSyllables",
    "ScannerExperiment",
    "TypefaceSearches",
    "VoxelExperiment",
    "VoxelwiseData",
    "WordDefinitions",
    "gabor_features",
    "gabor_filters",
    "load_census",
    "load_definitions",
    "load_hangul",
    "load_scanner_experiment",
    "load_typefaces",
    "load_voxel_experiment",
    "load_voxelwise",
]
