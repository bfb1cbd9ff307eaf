"""Fixtures shared by the tests."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def reference():
    """Values of the authors' R code on a small case."""
    return json.loads((Path(__file__).parent / "data" / "r_classex_small_case.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def reference_scores():
    """Score matrix of that case."""
    i = np.arange(1, 13)
    return np.sin(1.3 * i[:, np.newaxis] + 2.1 * i) + 0.9 * np.eye(12)
