"""Embeddings of the user: reading them, and splitting them into references and test points."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from classex._checks import as_finite_array, as_generator, as_positive_int
from classex.io.archives import File, read_arrays, read_file
from classex.io.tables import read_table

__all__ = ["Embeddings", "ReferenceSplit", "load_embeddings", "split_references"]


@dataclass(frozen=True)
class Embeddings:
    """Embedded objects and the class of each.

    Attributes
    ----------
    embeddings : ndarray of shape (n, n_features)
        One row for each object (each photograph).
    labels : ndarray of int64 of shape (n,)
        Class of each row (the person), in ``0..n_classes-1``.
    names : tuple of str
        Name of each class, as it stands in the file.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.io import Embeddings
    >>> faces = Embeddings(
    ...     np.array([[0.0, 1.0], [1.0, 0.0], [0.1, 1.0]]),
    ...     np.array([0, 1, 0]),
    ...     ("Amelia", "Liza"),
    ... )
    >>> [faces.names[label] for label in faces.labels]
    ['Amelia', 'Liza', 'Amelia']
    """

    embeddings: NDArray[Any]
    labels: NDArray[np.int64]
    names: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.names)


@dataclass(frozen=True)
class ReferenceSplit:
    """One stored reference for each class, and test points.

    Attributes
    ----------
    references : ndarray of shape (n_classes, n_features)
        The reference of each class.
    test : ndarray of shape (n_test, n_features)
        Test points, those of class 0 first.
    labels : ndarray of int64 of shape (n_test,)
        Class of each test point, in ``0..n_classes-1``.
    names : tuple of str
        Names of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.io import Embeddings, split_references
    >>> data = Embeddings(
    ...     np.arange(10.0).reshape(5, 2),
    ...     np.array([0, 1, 0, 2, 2]),
    ...     ("Amelia", "Liza", "Noor"),
    ... )
    >>> split = split_references(data)  # Liza has one photograph only
    >>> split.names, split.test
    (('Amelia', 'Noor'), array([[0., 1.],
           [6., 7.]]))
    """

    references: NDArray[Any]
    test: NDArray[Any]
    labels: NDArray[np.int64]
    names: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.names)

    def scores(self) -> NDArray[np.float64]:
        """Minus the squared Euclidean distance of each test point to each reference, shape (n_test, n_classes).

        For embeddings of unit length this is twice the inner product, less 2. Source: journal version section 5.
        """
        distance: NDArray[np.float64] = cdist(self.test, self.references, "sqeuclidean")
        return -distance


def load_embeddings(path: File | str | Path) -> Embeddings:
    r"""Read a file of embeddings. Nothing is unpickled.

    Parameters
    ----------
    path : File, str or Path
        A ``.npz`` file with arrays ``embeddings`` of shape (n, n_features) and ``labels`` of shape (n,), integers or
        strings; or a table, as in `load_scores`, with a column ``label`` and one column for each feature.

    Returns
    -------
    Embeddings
        The rows, the class of each and the names of the classes, which are in the order of their names.

    Raises
    ------
    ValueError
        If the file cannot be parsed, lacks an array or a column, would need unpickling, holds NaN or infinite
        numbers, labels of another kind or number, an empty label, or fewer than two classes.
    TypeError
        If the embeddings are not real numbers.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from classex.io import load_embeddings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "faces.csv"
    ...     _ = file.write_text("label,x,y\nAmelia,0,1\nLiza,1,0\nAmelia,0.1,1\n")
    ...     faces = load_embeddings(file)
    >>> faces.names, faces.labels, faces.embeddings.shape
    (('Amelia', 'Liza'), array([0, 1, 0]), (3, 2))
    """
    file = read_file(path)
    values, labels = _rows(file)
    if not file.is_archive and all(text.lstrip("-").isdecimal() for text in labels):  # so that 10 comes after 9
        labels = labels.astype(np.int64)
    where = f" in {file.name}"
    matrix = as_finite_array(values, f"embeddings{where}", ndim=2)
    if matrix.shape[1] == 0:
        raise ValueError(f"embeddings{where} must have at least one feature, but have none")
    if labels.shape != matrix.shape[:1]:
        raise ValueError(f"labels{where} must have shape ({len(matrix)},), one per embedding, not {labels.shape}")
    if not (np.issubdtype(labels.dtype, np.integer) or labels.dtype.kind == "U"):
        raise ValueError(f"labels{where} must be integers or strings, not values of dtype {labels.dtype}")
    if labels.dtype.kind == "U" and (labels == "").any():
        raise ValueError(f"labels{where} must not be empty, but that of row {int(np.argmax(labels == ''))} is")
    names, number = np.unique(labels, return_inverse=True)
    if names.size < 2:
        raise ValueError(f"labels{where} must hold at least two classes, but hold {names.size}")
    return Embeddings(matrix, number.astype(np.int64), tuple(map(str, names)))


def _rows(file: File) -> tuple[NDArray[Any], NDArray[Any]]:
    """Embeddings of a file, and the class of each."""
    if file.is_archive:
        values, labels = read_arrays(file, "embeddings", "labels").values()
        return values, labels
    table = read_table(file, "label")
    return table.measured(table.others("label")), np.array(table.texts("label"))


def read_comparison(
    path: File | str | Path, references: str | Path | None = None, rng: Any = 0
) -> tuple[Any, Any, Any, Any]:
    """Read what `classex.correct_ranks_from_embeddings` takes first: test, references, labels, reference_labels.

    Parameters
    ----------
    path : File, str or Path
        Test points, as in `load_embeddings`. Or a ``.npz`` file with arrays test, references, labels and, if a class
        has several references or labels are names, reference_labels.
    references : str or Path, optional
        The references, in a file of the same form. Without it one row of each class, chosen at random, is its
        reference.
    rng : int, numpy.random.Generator or None
        Seed or generator, on which depends which row of a class is its reference.

    Returns
    -------
    tuple
        Names of classes are texts; the last is None where reference c is the one of class c.
    """
    file = read_file(path)
    if references is not None:
        (test, labels), (stored, owners) = _rows(file), _rows(read_file(references))
        return test, stored, labels.astype(str), owners.astype(str)
    if file.is_archive and "test" in read_arrays(file, optional=("test",)):
        arrays = read_arrays(file, "test", "references", "labels", optional=("reference_labels",))
        named = arrays.get("reference_labels")
        if named is None and arrays["labels"].dtype.kind == "U":
            raise ValueError(f"{file.name} must hold an array 'reference_labels' too, since its labels are names")
        labels = arrays["labels"] if named is None else arrays["labels"].astype(str)
        return arrays["test"], arrays["references"], labels, None if named is None else named.astype(str)
    split = split_references(load_embeddings(file), rng=rng)
    file.note(f"one row of each of the {split.n_classes} classes, chosen at random, is its reference")
    file.say()
    return split.test, split.references, split.labels, None


def split_references(data: Embeddings, *, n_tests: int | None = None, rng: Any = 0) -> ReferenceSplit:
    """Choose at random one row of every class as its reference; others are its test points.

    Parameters
    ----------
    data : Embeddings
        From `load_embeddings`. Classes with a single row take no part.
    n_tests : int, optional
        Test points per class; a class with fewer other rows takes no part. By default all other rows.
    rng : int, numpy.random.Generator or None
        Seed or generator, on which depends which row of a class is its reference, and which are test points.

    Returns
    -------
    ReferenceSplit
        References, test points and their classes, numbered anew.

    Raises
    ------
    ValueError
        If `n_tests` is not a positive integer, or fewer than two classes have enough rows.

    Notes
    -----
    Source: journal version section 5, which has one test point a class (``n_tests=1``).

    Examples
    --------
    >>> import numpy as np
    >>> from classex.io import Embeddings, split_references
    >>> data = Embeddings(
    ...     np.arange(10.0).reshape(5, 2),
    ...     np.array([0, 1, 0, 2, 2]),
    ...     ("Amelia", "Liza", "Noor"),
    ... )
    >>> split = split_references(data)
    >>> split.names, split.references.shape, split.labels
    (('Amelia', 'Noor'), (2, 2), array([0, 1]))
    """
    least = 1 if n_tests is None else as_positive_int(n_tests, "n_tests")
    shuffled = as_generator(rng).permutation(data.labels.size)
    count = np.bincount(data.labels, minlength=data.n_classes)
    kept = np.flatnonzero(count > least)
    if kept.size < 2:
        what = f"one reference and {'one test point' if n_tests is None else f'{least} test points'}"
        raise ValueError(f"at least two classes must have {what}, but {kept.size} of {data.n_classes} have")
    rows = shuffled[np.argsort(data.labels[shuffled], kind="stable")]
    ends = np.append(0, np.cumsum(count))
    test = [rows[ends[c] + 1 : ends[c + 1]][: None if n_tests is None else least] for c in kept]
    return ReferenceSplit(
        references=data.embeddings[rows[ends[kept]]],
        test=data.embeddings[np.concatenate(test)],
        labels=np.repeat(np.arange(kept.size), [chosen.size for chosen in test]),
        names=tuple(data.names[c] for c in kept),
    )
