"""Score files: what is read, and one clear error for everything else."""

from __future__ import annotations

import numpy as np
import pytest

from classex.cli.files import read_scores


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_npz_comes_back_as_it_was(tmp_path):
    scores, labels = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32), np.array([0, 1, 2, 2])
    np.savez_compressed(tmp_path / "a.npz", scores=scores, labels=labels, note="more")
    read = read_scores(tmp_path / "a.npz")
    assert read[0].dtype == np.float32
    np.testing.assert_array_equal(read[0], scores)
    np.testing.assert_array_equal(read[1], labels)


def test_csv_finds_its_label_column_anywhere(tmp_path):
    file = write(tmp_path / "a.csv", "\ufeffred, label,green\n1.5,0,2\n\n-1e3,1,4\n")
    scores, labels = read_scores(str(file))
    np.testing.assert_array_equal(scores, [[1.5, 2], [-1000, 4]])
    np.testing.assert_array_equal(labels, [0, 1])


def test_pickled_objects_are_never_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return (print, ("unpickled",))

    np.savez(tmp_path / "a.npz", scores=np.array([Trap()], dtype=object), labels=np.arange(1))
    with pytest.raises(ValueError, match="pickled objects, which are never loaded"):
        read_scores(tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(ValueError, match="pickled objects are never loaded"):
        read_scores(tmp_path / "b.npz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n", "must have one column 'label', but its header is a, b"),
        ("label,label\n1,2\n", "must have one column 'label'"),
        ("label,a\n", "has a header but no rows"),
        ("label,a\n0,1,2\n", "line 2: 3 entries, but the header has 2"),
        ("label,a\n0,1\n0,high\n", "line 3: 'high' is not a number"),
    ],
)
def test_csv_that_cannot_be_used(text, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        read_scores(write(tmp_path / "a.csv", text))


def test_other_files(tmp_path):
    with pytest.raises(ValueError, match=r"must be a \.npz or \.csv file"):
        read_scores(tmp_path / "a.pkl")
    with pytest.raises(FileNotFoundError):
        read_scores(tmp_path / "none.csv")
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00label")
    with pytest.raises(ValueError, match="not a text file"):
        read_scores(tmp_path / "a.csv")
    np.savez(tmp_path / "a.npz", scores=np.eye(2))
    with pytest.raises(ValueError, match="must hold an array 'labels', but holds scores"):
        read_scores(tmp_path / "a.npz")
    with (tmp_path / "b.npz").open("wb") as file:
        np.save(file, np.eye(2))
    with pytest.raises(ValueError, match="holds a single array"):
        read_scores(tmp_path / "b.npz")
    scores = np.random.default_rng(0).normal(size=(50, 50))
    np.savez_compressed(tmp_path / "c.npz", scores=scores, labels=np.arange(50))
    whole = bytearray((tmp_path / "c.npz").read_bytes())
    whole[2000:2100] = bytes(100)
    (tmp_path / "c.npz").write_bytes(bytes(whole))
    with pytest.raises(ValueError, match="damaged"):
        read_scores(tmp_path / "c.npz")
