"""Recordings in the layout of public voxelwise data: one HDF5 file of responses, and one for each kind of feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_finite_array
from classex._optional import needed_for

__all__ = ["VoxelwiseData", "load_voxelwise"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class VoxelwiseData:
    """Features and recordings of one subject.

    Attributes
    ----------
    train_features : ndarray of shape (n_train, n_features)
        Features of the training stimuli, one row for each sample (each volume), in the order of time.
    test_features : ndarray of shape (n_test, n_features)
        Features of the test stimuli.
    train_responses : ndarray of shape (n_train, n_voxels)
        Recordings of the training stimuli.
    test_responses : ndarray of shape (n_repeats, n_test, n_voxels)
        Recordings of the test stimuli, each repeat by itself.
    runs : ndarray of int, shape (n_train,)
        Run of each training sample, from 0.
    spaces : ndarray of int, shape (n_features,)
        Kind of feature of each column, from 0: the file it came from.

    Examples
    --------
    >>> from classex_book.data import load_scanner_experiment
    >>> data = load_scanner_experiment(n_voxels=20).data
    >>> data.train_features.shape[0] == data.runs.size, data.test_responses.shape
    (True, (8, 150, 20))
    """

    train_features: FloatArray
    test_features: FloatArray
    train_responses: FloatArray
    test_responses: FloatArray
    runs: NDArray[np.int64]
    spaces: NDArray[np.int64]


def load_voxelwise(responses: str | Path, *features: str | Path) -> VoxelwiseData:
    """Read features and recordings in the layout of public voxelwise data.

    Parameters
    ----------
    responses : str or Path
        An HDF5 file with the arrays ``Y_train`` (n_train, n_voxels), ``Y_test`` (n_repeats, n_test, n_voxels) and
        ``run_onsets``, the first row of every training run. Voxels with a NaN or an infinity are dropped; voxels
        outside the brain are stored that way.
    *features : str or Path
        HDF5 files with the arrays ``X_train`` (n_train, n_features) and ``X_test`` (n_test, n_features), one for each
        kind of feature. Their columns are put side by side. Without any, `responses` must hold these arrays too.

    Returns
    -------
    VoxelwiseData
        Features, recordings, runs and kinds of features.

    Raises
    ------
    ImportError
        If h5py is not installed.
    ValueError
        If an array is missing, does not hold numbers or has the wrong shape, or the run onsets do not increase from 0.
    OSError
        If a file cannot be read as HDF5.

    Notes
    -----
    The names and shapes are those of the public recordings of films (Huth et al., 2012).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import h5py
    >>> from classex_book.data import load_scanner_experiment, load_voxelwise
    >>> data = load_scanner_experiment(n_voxels=7).data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "subject.hdf"
    ...     with h5py.File(path, "w") as file:
    ...         file["X_train"] = data.train_features
    ...         file["X_test"] = data.test_features
    ...         file["Y_train"] = data.train_responses
    ...         file["Y_test"] = data.test_responses
    ...         file["run_onsets"] = [0, 200, 400, 600, 800, 1000]
    ...     mine = load_voxelwise(path)
    >>> mine.test_responses.shape, int(mine.runs.max())
    ((8, 150, 7), 5)
    """
    y, y_test, onsets = _read(responses, "Y_train", "Y_test", "run_onsets")
    if y.ndim != 2 or y_test.ndim != 3 or y.shape[1] != y_test.shape[2]:
        raise ValueError(
            f"Y_train must be (n_train, n_voxels) and Y_test (n_repeats, n_test, n_voxels), not {y.shape} and"
            f" {y_test.shape}"
        )
    if onsets.ndim != 1 or onsets.size == 0 or onsets[0] != 0 or (np.diff(onsets) <= 0).any() or onsets[-1] >= len(y):
        raise ValueError(f"run_onsets must increase from 0 and stay below {len(y)}, not {onsets.tolist()}")
    x, x_test, spaces = _features(features or (responses,), y.shape[0], y_test.shape[1])
    runs = np.searchsorted(onsets, np.arange(len(y)), side="right") - 1
    whole = np.isfinite(y).all(axis=0) & np.isfinite(y_test).all(axis=(0, 1))
    if not whole.any():
        raise ValueError("Y_train and Y_test must hold at least one voxel without NaN or infinity")
    return VoxelwiseData(x, x_test, y[:, whole], y_test[:, :, whole], runs, spaces)


def _features(paths: Sequence[str | Path], n_train: int, n_test: int) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
    """Features of all files side by side, for training and for testing, and the file of each column."""
    pairs = [_read(path, "X_train", "X_test") for path in paths]
    for path, pair in zip(paths, pairs, strict=True):
        for name, array, n in zip(("train", "test"), pair, (n_train, n_test), strict=True):
            as_finite_array(array, f"X_{name}", ndim=2)
            if len(array) != n:
                raise ValueError(
                    f"X_{name} must have {n} rows, as many as Y_{name} has samples, but {path} has {len(array)}"
                )
        if pair[0].shape[1] != pair[1].shape[1]:
            raise ValueError(f"X_train and X_test must have as many columns, but those of {path} differ")
    train, test = (np.hstack(side) for side in zip(*pairs, strict=True))
    return train, test, np.repeat(np.arange(len(paths)), [pair[0].shape[1] for pair in pairs])


def _read(path: str | Path, *names: str) -> list[FloatArray]:
    """Read the named arrays of an HDF5 file."""
    with needed_for("load_voxelwise"):
        import h5py

    try:
        with h5py.File(path, "r") as file:
            for name in names:
                if not isinstance(file.get(name), h5py.Dataset):
                    raise ValueError(f"{path} must hold an array {name!r}")
                if file[name].dtype.kind not in "buif":
                    raise ValueError(f"{path} must hold numbers in {name}, not values of dtype {file[name].dtype}")
            return [np.asarray(file[name], dtype=np.float64) for name in names]
    except OSError as error:
        raise OSError(f"{path} cannot be read as HDF5: {error}") from None
