"""Kinds of real recognisers, one module a kind: ``python -m benchmarks.suite.recipes KIND FOLDER`` stores its features.

A recipe names its sources and their licences (`SOURCES`, packages of Debian, the Python index or npm) and has a
function ``recognisers()`` that returns, by name, the vectors of the test points and one vector for each class. The
score of a class for a test point is their inner product, so it does not depend on which other classes take part. Row i
of the test points belongs to class ``i // n_repeats``. Whatever a recogniser learns, it learns once and from all the
classes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["euclidean", "load", "store"]

Pair = tuple[Any, Any]


def euclidean(test: NDArray[Any], references: NDArray[Any]) -> Pair:
    """Vectors whose inner products order the references as their Euclidean distances to a test point do."""
    half = -0.5 * np.square(references).sum(axis=1, keepdims=True)
    return np.hstack([test, np.ones((len(test), 1))]), np.hstack([references, half])


def store(folder: Path, name: str, test: Any, references: Any) -> Path:
    """Write one recogniser's vectors, in single precision."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for part, matrix in (("test", test), ("references", references)):
        if sparse.issparse(matrix):
            rows = matrix.tocsr().astype(np.float32)
            arrays |= {f"{part}_{field}": getattr(rows, field) for field in ("data", "indices", "indptr", "shape")}
        else:
            arrays[part] = np.asarray(matrix, dtype=np.float32)
    path = folder / f"{name}.npz"
    np.savez(path, allow_pickle=False, **arrays)
    return path


def load(path: Path) -> Pair:
    """Read what `store` wrote."""
    with np.load(path, allow_pickle=False) as found:
        parts = []
        for part in ("test", "references"):
            if part in found:
                parts.append(found[part])
            else:
                fields = (found[f"{part}_{field}"] for field in ("data", "indices", "indptr"))
                parts.append(sparse.csr_matrix(tuple(fields), shape=tuple(found[f"{part}_shape"])))
    return parts[0], parts[1]
