"""The embedded definitions: what is shipped, and what the script makes of questions and embeddings."""

from __future__ import annotations

import numpy as np
import pytest

from classex_book.data import load_definitions


@pytest.fixture(scope="module")
def data():
    return load_definitions()


def test_embeddings_have_unit_length_and_counts_are_in_range(data):
    for part in (data.words, data.definitions):
        assert part.shape == (3_000, 64)
        assert np.abs(np.linalg.norm(part, axis=1) - 1).max() < 1e-5
        assert np.unique(part, axis=0).shape[0] >= 2_998  # three words share a definition, two differ only in case
    for k, wins in data.wins_together.items():
        assert wins.shape == (3_000,)
        assert set(wins) == set(range(k))
