"""Gabor features against a plain filter, pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest

from classex_book.data import gabor_features


def test_a_feature_is_the_energy_of_its_two_filters():
    rng = np.random.default_rng(0)
    images = rng.normal(size=(3, 20, 20))
    features, channels = gabor_features(images)
    assert features.shape == (3, 510)
    for column in (0, 3, 7, 100, 509):
        f, angle = channels.frequency[column], channels.orientation[column]
        filters = []
        for phase in (0.0, np.pi / 2):
            one = np.empty((20, 20))
            window = np.empty((20, 20))
            for i in range(20):
                for j in range(20):
                    down, across = (i + 0.5) / 20 - channels.row[column], (j + 0.5) / 20 - channels.column[column]
                    sigma = 3 * np.sqrt(np.log(2) / 2) / np.pi / f
                    window[i, j] = np.exp(-(down**2 + across**2) / (2 * sigma**2))
                    along = across * np.cos(angle) + down * np.sin(angle)
                    one[i, j] = window[i, j] * np.cos(2 * np.pi * f * along - phase)
            filters.append(one - window * one.sum() / window.sum())
        norm = sum(np.square(one).sum() for one in filters)
        energy = np.sqrt(sum(np.square((images * one).sum(axis=(1, 2))) for one in filters) / norm)
        np.testing.assert_allclose(features[:, column], energy, atol=1e-12)


def test_energy_depends_on_orientation_and_neither_on_brightness_nor_on_phase():
    assert gabor_features(np.full((1, 32, 32), 5.0))[0].max() < 1e-10
    position = (np.arange(32) + 0.5) / 32

    def grating(angle, phase):
        wave = 4 * (np.cos(angle) * position + np.sin(angle) * position[:, np.newaxis])
        return gabor_features(np.cos(2 * np.pi * wave + phase)[np.newaxis])

    for angle in (0.0, np.pi / 6, np.pi / 2):
        features, channels = grating(angle, 0.0)
        best = features[0].argmax()
        assert channels.frequency[best] == 4
        assert channels.orientation[best] == pytest.approx(angle)
        inner = (channels.frequency == 4) & (abs(channels.row - 0.5) < 0.2) & (abs(channels.column - 0.5) < 0.2)
        np.testing.assert_allclose(grating(angle, 1.0)[0][0, inner], features[0, inner], rtol=0.03, atol=0.3)
