"""Files in the layout of public voxelwise data come back as they were; others are refused."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from classex_book.data import load_voxelwise


def arrays(**changed):
    rng = np.random.default_rng(0)
    whole = {
        "X_train": rng.normal(size=(12, 3)),
        "X_test": rng.normal(size=(5, 3)),
        "Y_train": rng.normal(size=(12, 4)),
        "Y_test": rng.normal(size=(2, 5, 4)),
        "run_onsets": np.array([0, 5]),
    }
    whole.update(changed)
    return {name: value for name, value in whole.items() if value is not None}


def write(file, parts):
    with h5py.File(file, "w") as stream:
        for name, values in parts.items():
            stream[name] = values


def test_the_public_layout_comes_back_as_it_was(tmp_path):
    """Responses in single precision with voxels outside the brain, features of two kinds: three HDF5 files."""
    parts = arrays()
    parts["Y_train"][3, 1] = np.nan
    parts["Y_test"][0, 2, 3] = np.inf
    parts["Y_train"], parts["Y_test"] = (parts[name].astype(np.float32) for name in ("Y_train", "Y_test"))
    write(tmp_path / "S01_responses.hdf", {name: parts[name] for name in ("Y_train", "Y_test", "run_onsets")})
    write(tmp_path / "motion_energy.hdf", {name: parts[name] for name in ("X_train", "X_test")})
    rng = np.random.default_rng(1)
    words = {"X_train": rng.integers(0, 2, (12, 2)), "X_test": rng.integers(0, 2, (5, 2))}
    write(tmp_path / "wordnet.hdf", words)
    data = load_voxelwise(*(tmp_path / f"{name}.hdf" for name in ("S01_responses", "motion_energy", "wordnet")))
    np.testing.assert_array_equal(data.train_features, np.hstack([parts["X_train"], words["X_train"]]))
    np.testing.assert_array_equal(data.test_features, np.hstack([parts["X_test"], words["X_test"]]))
    np.testing.assert_array_equal(data.train_responses, parts["Y_train"][:, [0, 2]])
    np.testing.assert_array_equal(data.test_responses, parts["Y_test"][:, :, [0, 2]])
    assert data.runs.tolist() == [0] * 5 + [1] * 7
    assert data.spaces.tolist() == [0, 0, 0, 1, 1]
    assert data.train_responses.dtype == data.train_features.dtype == np.float64


def test_one_file_may_hold_everything(tmp_path):
    parts = arrays()
    write(tmp_path / "one.h5", parts)
    data = load_voxelwise(tmp_path / "one.h5")
    for attribute, array in (
        ("train_features", "X_train"),
        ("test_features", "X_test"),
        ("train_responses", "Y_train"),
        ("test_responses", "Y_test"),
    ):
        np.testing.assert_array_equal(getattr(data, attribute), parts[array])
    assert data.spaces.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Y_test": None}, "must hold an array 'Y_test'"),
        ({"X_train": None}, "must hold an array 'X_train'"),
        ({"Y_test": np.ones((5, 4))}, r"Y_test \(n_repeats, n_test, n_voxels\)"),
        ({"Y_test": np.ones((2, 5, 3))}, r"Y_test \(n_repeats, n_test, n_voxels\)"),
        ({"X_train": np.ones((11, 3))}, "X_train must have 12 rows, .* has 11"),
        ({"X_test": np.ones((4, 3))}, "X_test must have 5 rows, .* has 4"),
        ({"X_test": np.ones((5, 2))}, "X_train and X_test must have as many columns"),
        ({"X_test": np.full((5, 3), np.nan)}, "X_test"),
        ({"run_onsets": np.array([1, 5])}, "run_onsets must increase from 0"),
        ({"run_onsets": np.array([0, 12])}, "run_onsets must increase from 0 and stay below 12"),
        ({"Y_train": np.full((12, 4), np.nan)}, "at least one voxel without NaN"),
    ],
)
def test_bad_arrays(tmp_path, changed, message):
    write(tmp_path / "bad.hdf", arrays(**changed))
    with pytest.raises(ValueError, match=message):
        load_voxelwise(tmp_path / "bad.hdf")


def test_files_of_another_kind(tmp_path):
    (tmp_path / "text.hdf").write_text("no archive", encoding="utf-8")
    for name in ("text.hdf", "none.hdf"):
        with pytest.raises(OSError, match=name):
            load_voxelwise(tmp_path / name)


def test_hdf5_that_holds_no_numbers(tmp_path):
    file = tmp_path / "whole.hdf"
    write(file, arrays())
    with h5py.File(file, "a") as stream:
        del stream["Y_test"]
        stream.create_group("Y_test")
    with pytest.raises(ValueError, match="must hold an array 'Y_test'"):
        load_voxelwise(file)
    write(tmp_path / "words.hdf", arrays(run_onsets=["first", "second"]))
    with pytest.raises(ValueError, match="must hold numbers in run_onsets"):
        load_voxelwise(tmp_path / "words.hdf")
