# ruff: noqa: B023 - each call is made before the loop goes on
import array_api_strict as strict
import dask.array as da
import numpy as np
from scipy import sparse

import classex as cx
from classex import correct_ranks_from_embeddings as from_embeddings
from classex.ranks import ranks_from_neighbours
from tests.refusals.worlds import embedded


def gallery(rng, n=15, per_class=3, features=6):
    """Rows of noisy classes, the first of which stands there twice."""
    owner = np.repeat(np.arange(n), per_class)
    rows = np.repeat(rng.normal(size=(n, features)), per_class, axis=0) + 0.9 * rng.normal(size=(owner.size, features))
    rows[1] = rows[0]
    return rows, owner


def refused_array_api():
    def send(array):
        return strict.asarray(np.array(array), device=strict.Device("device1"))

    test, references, labels = embedded(700, 300, 24)
    broken = test.copy()
    broken[7, 3] = np.nan
    yield lambda: from_embeddings(send(broken), send(references), labels), "test must be finite, but"
    yield lambda: cx.correct_ranks(send(broken), np.zeros(300, dtype=int)), "scores must be finite, but holds nan at"
    yield lambda: from_embeddings(send(test), send(0 * references), labels, metric="cosine"), "references must have no"
    yield lambda: from_embeddings(send(test), send(references), send(labels[:5])), r"labels must have shape \(300,\)"
    yield lambda: cx.correct_ranks(send(test[:, :1]), labels), "scores must have at least two columns"
    yield lambda: cx.correct_ranks(send(test.astype(np.complex64)), labels), "scores must hold real numbers", TypeError


def refused_distributed():
    test, references, labels = embedded(700, 1000, 6)
    for change, error, message in [
        ({"references": np.ones((700, 5))}, ValueError, "same number of columns, but have 6 and 5"),
        ({"references": sparse.eye_array(700, 6)}, TypeError, "references must not be a scipy.sparse matrix"),
        ({"labels": np.zeros(3, dtype=int)}, ValueError, r"labels must have shape \(1000,\)"),
        ({"metric": "manhattan"}, ValueError, "metric must be one of"),
        ({"references": np.full((700, 6), np.nan)}, ValueError, r"references\[0:\] must be finite, but holds nan"),
        ({"test": da.zeros((0, 6))}, ValueError, "test must have rows and columns"),
        ({"references": np.zeros((700, 6)), "metric": "cosine"}, ValueError, "references must have no zero row with"),
    ]:
        good = {"test": da.from_array(test, chunks=(500, 6)), "references": references, "labels": labels}
        yield lambda: from_embeddings(**{**good, **change}), message, error
    yield lambda: cx.correct_ranks(da.ones(3), [0]), "scores must have 2 axes"


def refused_neighbours():
    for change, error, message in [
        ({"neighbours": np.zeros((150, 2))}, TypeError, "neighbours must hold rows of references, not values of"),
        ({"neighbours": np.zeros(150, dtype=int)}, ValueError, "neighbours must have 150 rows"),
        ({"neighbours": np.full((150, 2), [0, 240])}, ValueError, r"neighbours must lie in 0\.\.239, or be -1"),
        ({"neighbours": np.full((150, 3), [4, 2, 4])}, ValueError, "name a reference once, but row 0 has 4 twice"),
        ({"neighbours": np.full((150, 2), -1)}, ValueError, "recall must be below 1 .* test point 0 is nearer"),
        ({"recall": 1.5}, ValueError, r"recall must be a number in \[0, 1\], not 1.5"),
        ({"metric": "manhattan"}, ValueError, "metric must be one of"),
        ({"test": sparse.eye_array(150, 5)}, TypeError, "test and references must be dense arrays"),
        ({"labels": [1, 2]}, ValueError, r"labels must have shape \(150,\)"),
    ]:
        test, references, labels = embedded(240, 150, 5)
        good = {"test": test, "references": references, "labels": labels, "neighbours": np.full((150, 2), [0, 1])}
        yield lambda: ranks_from_neighbours(**{**good, **change}), message, error


def refused_twins():
    for change, message in [
        ({"test": np.ones((2, 6))}, "row 0 equals no reference of its class"),
        ({"reference_labels": [0, *[1] * 44]}, "row 0 is the only reference of its class"),
        ({"reference_labels": None}, "exclude_self needs classes with several references"),
        ({"aggregate": "mean"}, "aggregate must be 'nearest' with exclude_self"),
    ]:
        rows, owner = gallery(np.random.default_rng(5))
        good = {"test": rows[:2], "references": rows, "labels": [0, 0], "reference_labels": owner}
        yield lambda: from_embeddings(**{**good, **change}, exclude_self=True), message
