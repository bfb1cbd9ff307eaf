"""The Korean syllables: what is shipped, and what the script makes of a drawing."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from classex_book.data import load_hangul

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(scope="module")
def hangul():
    return load_hangul()


@pytest.fixture(scope="module")
def build():
    pytest.importorskip("PIL")
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield import_module("build_hangul")
    finally:
        sys.path.remove(str(SCRIPTS))


def test_the_classes_are_the_korean_standard(hangul, build):
    assert len(hangul.syllables) == len(set(hangul.syllables)) == 2_350
    assert set(hangul.syllables) == set(build.syllables())
    assert hangul.train.shape == (2_350, len(hangul.train_faces), 63)
    assert hangul.test.shape == (2_350, len(hangul.test_faces), 63)
    assert not set(hangul.train_faces) & set(hangul.test_faces)


def test_features_have_unit_length_and_no_two_drawings_are_alike(hangul):
    for part in (hangul.train, hangul.test):
        assert np.abs(np.linalg.norm(part, axis=-1) - 1).max() < 1e-5
        for face in range(part.shape[1]):
            assert np.unique(part[:, face], axis=0).shape[0] == 2_350


def test_slow_waves_of_a_plane_wave_are_one_number(build):
    side = build.SIDE
    wave = np.cos(np.pi * 3 * (np.arange(side) + 0.5) / side)[:, np.newaxis] * np.ones(side)
    found = build.slow_waves(1 + 0.2 * wave)
    expected = np.zeros(63)
    expected[3 * build.WAVES - 1] = 1
    assert np.allclose(found, expected, atol=1e-12)
