"""Checks of embeddings, references and their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._validation import as_finite_array, as_labels, as_plain_array, as_positive_int
from classex.io.scores import labels_by_name

METRICS = ("euclidean", "inner_product", "cosine")
# products of larger numbers overflow
_LARGEST = 1e140


def largest_size(array: Any) -> float:
    """Largest absolute value, without a copy of the array."""
    values = array.data if sparse.issparse(array) else array
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


def as_embeddings(value: Any, name: str) -> Any:
    """Return finite embeddings as an array, or sparse ones as CSR in double precision without stored zeros."""
    if sparse.issparse(value):
        matrix = sparse.csr_array(value)
        as_finite_array(matrix.data, f"the stored entries of {name}", ndim=1)
        matrix = matrix.astype(np.float64)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    else:
        matrix = as_finite_array(value, name, ndim=2)
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise ValueError(f"{name} must have rows and columns, but its shape is {matrix.shape}")
    largest = largest_size(matrix)
    if largest > _LARGEST:
        raise ValueError(f"{name} must hold numbers of size at most {_LARGEST:g}, not {largest}")
    return matrix


def as_reference_labels(value: ArrayLike | None, n_references: int) -> tuple[NDArray[np.int64] | None, int]:
    """Return the checked class of each reference (None: its own) and the number of classes."""
    if value is None:
        return None, as_positive_int(n_references, "the number of references", minimum=2)
    raw = as_plain_array(value, "reference_labels")
    count = int(raw.max()) + 1 if raw.size and raw.dtype.kind in "iu" else 1
    owner = as_labels(raw, n_references, max(count, 1), "reference_labels")
    return owner, as_positive_int(int(owner.max()) + 1, "the number of classes in reference_labels", minimum=2)


def numbered_labels(
    labels: ArrayLike, reference_labels: ArrayLike | None, classes: ArrayLike | None
) -> tuple[ArrayLike, ArrayLike | None]:
    """Return labels of test points and references as numbers of classes, where they are names."""
    names: Any = classes
    if names is None and reference_labels is not None:
        owners = as_plain_array(reference_labels, "reference_labels")
        if owners.ndim == 1 and (owners.dtype.kind == "U" or all(isinstance(owner, str) for owner in owners.tolist())):
            names = np.unique(owners.astype(str)) if owners.size else None
    if names is None:
        if reference_labels is None and as_plain_array(labels, "labels").dtype.kind in "OUS":
            raise TypeError("labels must hold integers, or names with the names of the references as reference_labels=")
        return labels, reference_labels
    owner = None if reference_labels is None else labels_by_name(reference_labels, names, "reference_labels")
    return labels_by_name(labels, names), owner


def check_pair(test: Any, references: Any, metric: Any) -> None:
    """Check that test points and references can be compared in this metric."""
    if test.shape[1] != references.shape[1]:
        raise ValueError(
            f"test and references must have the same number of columns, but have {test.shape[1]}"
            f" and {references.shape[1]}"
        )
    if callable(metric):
        return
    if sparse.issparse(test) != sparse.issparse(references):
        raise ValueError("test and references must be both sparse or both dense")
    if sparse.issparse(test) and metric == "euclidean":
        raise ValueError("metric must be 'inner_product' or 'cosine' for sparse input, not 'euclidean'")
    for name, array in (("test", test), ("references", references)) if metric == "cosine" else ():
        filled = np.diff(array.indptr) > 0 if sparse.issparse(array) else array.any(axis=1)
        if not filled.all():
            raise ValueError(f"{name} must have no zero row with metric='cosine', but row {int(np.argmin(filled))} is")


def class_means(exemplars: Any, owner: NDArray[np.int64]) -> Any:
    """Mean reference of each class, in double precision."""
    share = 1.0 / np.bincount(owner)[owner]
    return sparse.csr_array((share, (owner, np.arange(owner.size)))) @ exemplars
