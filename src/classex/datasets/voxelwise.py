"""Recordings in the layout of public voxelwise data: a file of responses, and one for each kind of feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_finite_array
from classex.io.tables import read_arrays

__all__ = ["VoxelwiseData", "load_voxelwise"]

FloatArray = NDArray[np.float64]

_HDF5 = b"\x89HDF\r\n\x1a\n"


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
        Recordings of the test stimuli, each repeat on its own.
    runs : ndarray of int, shape (n_train,)
        Run of each training sample, from 0.
    spaces : ndarray of int, shape (n_features,)
        Which kind of feature each column is, from 0: the file it came from.

    Examples
    --------
    >>> from classex.datasets import load_scanner_experiment
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
    """Read features and recordings in the layout of public voxelwise data. Nothing is ever unpickled.

    Parameters
    ----------
    responses : str or Path
        A file with the arrays ``Y_train`` (n_train, n_voxels), ``Y_test`` (n_repeats, n_test, n_voxels) and
        ``run_onsets``, the first row of every training run. Voxels with a NaN anywhere are dropped, as those outside
        the brain have.
    *features : str or Path
        Files with the arrays ``X_train`` (n_train, n_features) and ``X_test`` (n_test, n_features), one for each kind
        of feature; their columns are put side by side. Without any, `responses` must hold these arrays too.

    Returns
    -------
    VoxelwiseData
        Features, recordings, runs and kinds of features.

    Raises
    ------
    ValueError
        If a file is neither HDF5 (``.hdf``, ``.h5``) nor ``.npz``, an array is missing or of the wrong shape, the run
        onsets do not increase from 0, or HDF5 is to be read and h5py is not installed.
    OSError
        If a file cannot be opened.

    Notes
    -----
    The names and shapes are those of the public recordings of films (Huth et al., 2012), whose files are HDF5.
    Numbers are read as float64.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import h5py
    >>> from classex.datasets import load_scanner_experiment, load_voxelwise
    >>> data = load_scanner_experiment(n_voxels=7).data
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = pathlib.Path(name)
    ...     with h5py.File(folder / "S01_responses.hdf", "w") as file:
    ...         file["Y_train"], file["Y_test"] = (
    ...             data.train_responses,
    ...             data.test_responses,
    ...         )
    ...         file["run_onsets"] = [0, 200, 400, 600, 800, 1000]
    ...     with h5py.File(folder / "motion_energy.hdf", "w") as file:
    ...         file["X_train"], file["X_test"] = (
    ...             data.train_features,
    ...             data.test_features,
    ...         )
    ...     mine = load_voxelwise(
    ...         folder / "S01_responses.hdf", folder / "motion_energy.hdf"
    ...     )
    >>> mine.test_responses.shape, int(mine.runs.max())
    ((8, 150, 7), 5)
    """
    recorded = _read(responses, "Y_train", "Y_test", "run_onsets")
    y, y_test = (np.asarray(recorded[name], dtype=np.float64) for name in ("Y_train", "Y_test"))
    if y.ndim != 2 or y_test.ndim != 3 or y.shape[1] != y_test.shape[2]:
        raise ValueError(
            f"Y_train must be (n_train, n_voxels) and Y_test (n_repeats, n_test, n_voxels), not {y.shape} and"
            f" {y_test.shape}"
        )
    x, x_test, spaces = _features(features or (responses,), y.shape[0], y_test.shape[1])
    onsets = recorded["run_onsets"]
    if onsets.ndim != 1 or onsets.size == 0 or onsets[0] != 0 or (np.diff(onsets) <= 0).any() or onsets[-1] >= len(y):
        raise ValueError(f"run_onsets must increase from 0 and stay below {len(y)}, not {onsets.tolist()}")
    runs = np.searchsorted(onsets, np.arange(len(y)), side="right") - 1
    whole = np.isfinite(y).all(axis=0) & np.isfinite(y_test).all(axis=(0, 1))
    if not whole.any():
        raise ValueError("Y_train and Y_test must hold at least one voxel without NaN or infinity")
    return VoxelwiseData(x, x_test, y[:, whole], y_test[:, :, whole], runs.astype(np.int64), spaces)


def _features(
    files: Sequence[str | Path], n_train: int, n_test: int
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Features of all files side by side, for training and for testing, and the file of each column."""
    sides: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for file in files:
        arrays = _read(file, "X_train", "X_test")
        for name, n, side in (("train", n_train, sides[0]), ("test", n_test, sides[1])):
            part = as_finite_array(arrays[f"X_{name}"], f"X_{name}", ndim=2, dtype=np.float64)
            if part.shape[0] != n:
                raise ValueError(
                    f"X_{name} and Y_{name} must have as many samples, but {file} has {part.shape[0]} and not {n}"
                )
            side.append(part)
        if sides[0][-1].shape[1] != sides[1][-1].shape[1]:
            raise ValueError(f"X_train and X_test must have as many columns, but those of {file} differ")
    spaces = np.repeat(np.arange(len(files)), [part.shape[1] for part in sides[0]])
    return np.hstack(sides[0]), np.hstack(sides[1]), spaces


def _read(path: str | Path, *names: str) -> dict[str, NDArray[Any]]:
    """Read the named arrays of a file, HDF5 or ``.npz``."""
    with Path(path).open("rb") as stream:
        start = stream.read(len(_HDF5))
    if start != _HDF5:
        return read_arrays(path, *names)
    try:
        import h5py
    except ImportError:
        raise ValueError(f"{path} is an HDF5 file, which needs h5py: pip install h5py") from None
    try:
        with h5py.File(path, "r") as file:
            missing = [name for name in names if not isinstance(file.get(name), h5py.Dataset)]
            found = {name: np.asarray(file[name]) for name in names if name not in missing}
    except (OSError, RuntimeError):
        raise ValueError(f"{path} is a damaged HDF5 file") from None
    if missing:
        raise ValueError(f"{path} must hold an array {missing[0]!r}")
    if any(array.dtype.kind not in "buif" for array in found.values()):
        raise ValueError(f"{path} must hold numbers in {', '.join(names)}")
    return found
