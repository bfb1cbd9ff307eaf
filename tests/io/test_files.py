"""Score files: what is read, and one clear error for everything else."""

from __future__ import annotations

import gzip
import io
import sys
import types
import zipfile

import numpy as np
import pytest

import classex as cx
from classex import load_scores


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_npz_comes_back_as_it_was(tmp_path):
    scores, labels = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32), np.array([0, 1, 2, 2])
    np.savez_compressed(tmp_path / "a.npz", scores=scores, labels=labels, note="more")
    read = load_scores(tmp_path / "a.npz")
    assert read[0].dtype == np.float32
    np.testing.assert_array_equal(read[0], scores)
    np.testing.assert_array_equal(read[1], labels)


def test_csv_finds_its_label_column_anywhere(tmp_path):
    file = write(tmp_path / "a.csv", "\ufeffred, label,green\n1.5,0,2\n\n-1e3,1,4\n")
    scores, labels, _ = load_scores(str(file))
    np.testing.assert_array_equal(scores, [[1.5, 2], [-1000, 4]])
    np.testing.assert_array_equal(labels, [0, 1])


def test_pickled_objects_are_never_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return (print, ("unpickled",))

    np.savez(tmp_path / "a.npz", scores=np.array([Trap()], dtype=object), labels=np.arange(1))
    with pytest.raises(ValueError, match="nothing is unpickled"):
        load_scores(tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(ValueError, match="nothing is unpickled"):
        load_scores(tmp_path / "b.npz")


def test_other_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_scores(tmp_path / "none.csv")
    (tmp_path / "a.csv").write_bytes(b"\xf1\xfe\x00label")
    with pytest.raises(ValueError, match="not a text file"):
        load_scores(tmp_path / "a.csv")
    np.savez(tmp_path / "a.npz", scores=np.eye(2))
    with pytest.raises(ValueError, match="must hold an array 'labels', but holds scores"):
        load_scores(tmp_path / "a.npz")
    with (tmp_path / "b.npz").open("wb") as file:
        np.save(file, np.eye(2))
    with pytest.raises(ValueError, match="must hold an array 'scores', but holds array"):
        load_scores(tmp_path / "b.npz")
    scores = np.random.default_rng(0).normal(size=(50, 50))
    np.savez_compressed(tmp_path / "c.npz", scores=scores, labels=np.arange(50))
    whole = bytearray((tmp_path / "c.npz").read_bytes())
    whole[2000:2100] = bytes(100)
    (tmp_path / "c.npz").write_bytes(bytes(whole))
    with pytest.raises(ValueError, match="damaged"):
        load_scores(tmp_path / "c.npz")


def test_names_of_classes(tmp_path):
    """A table's labels are names of its columns, or numbers of columns; a column of row names is passed over."""
    text = ",label,ant,bee\n0,bee,1,2\n1,ant,3,4\n"
    scores, labels, classes = load_scores(write(tmp_path / "pandas.csv", text))
    np.testing.assert_array_equal(scores, [[1, 2], [3, 4]])
    assert labels.tolist() == ["bee", "ant"]
    assert classes == ["ant", "bee"]
    tabs = load_scores(write(tmp_path / "a.tsv", text.replace(",", "\t")))
    np.testing.assert_array_equal(tabs.scores, scores)
    permuted = load_scores(write(tmp_path / "b.csv", "2,0,label,1\n0.1,0.2,1,0.7\n"))
    assert cx.correct_ranks(permuted.scores, permuted.labels, classes=permuted.classes).labels.tolist() == [2]
    counted = load_scores(write(tmp_path / "c.csv", "ant,label,bee\n1,1.0,2\n"))
    assert counted.classes is None
    assert counted.labels.tolist() == [1]
    np.savez(tmp_path / "d.npz", scores=scores, labels=labels, classes=classes)
    named = load_scores(tmp_path / "d.npz")
    assert cx.correct_ranks(named.scores, named.labels, classes=named.classes).wins.tolist() == [1, 0]


def test_packed_files_and_the_standard_input(tmp_path, monkeypatch):
    text = b"label,ant,bee\nbee,1,2\n"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    assert load_scores(tmp_path / "a.csv.gz").labels.tolist() == ["bee"]
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(text)[:-9])
    with pytest.raises(ValueError, match=r"b\.csv\.gz is damaged: gzip cannot unpack it"):
        load_scores(tmp_path / "b.csv.gz")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert load_scores("-").classes == ["ant", "bee"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"label\n1,2\n")))
    with pytest.raises(ValueError, match="standard input must have 1 entries in each row"):
        load_scores("-")


def test_archives_made_to_fail(tmp_path):
    """Encrypted, packed in an unknown way, larger than any memory: one line each."""
    file = tmp_path / "a.npz"
    np.savez(file, scores=np.eye(2), labels=[0, 1])
    plain = file.read_bytes()
    place = plain.index(b"PK\x03\x04") + 6
    central = plain.index(b"PK\x01\x02") + 8
    for offset, value, message in ((0, 1, "damaged.*encrypted"), (2, 99, "compression")):
        changed = bytearray(plain)
        for start in (place, central):
            changed[start + offset] = value
        file.write_bytes(bytes(changed))
        with pytest.raises(ValueError, match=message):
            load_scores(file)
    header = (
        b"\x93NUMPY\x01\x00" + b"v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 99999), }"
    )
    header = header.ljust(127) + b"\n"
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("scores", "labels"):
            archive.writestr(f"{name}.npy", header + bytes(64))
    with pytest.raises(ValueError, match="damaged"):
        load_scores(file)


def test_parquet_without_pandas(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1....PAR1")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"a \.parquet file needs pandas, which is not installed"):
        load_scores(tmp_path / "a.parquet")


def test_parquet_with_a_reader(tmp_path, monkeypatch):
    """The frame that pandas returns is read by column; pandas itself is tested elsewhere."""
    columns = {"label": ["bee", "ant"], "ant": [1.0, 3], "bee": [2, 4]}
    table = lambda: types.SimpleNamespace(  # noqa: E731
        columns=list(columns), to_numpy=lambda dtype: np.array(list(columns.values()), dtype=dtype).T
    )
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(read_parquet=lambda _: table()))
    (tmp_path / "a.parquet").write_bytes(b"PAR1....PAR1")
    found = load_scores(tmp_path / "a.parquet")
    np.testing.assert_array_equal(found.scores, [[1, 2], [3, 4]])
    assert (found.labels.tolist(), found.classes) == (["bee", "ant"], ["ant", "bee"])
    columns["ant"] = ["x", "y"]
    with pytest.raises(ValueError, match="column 'ant' holds no numbers, but 'x': leave it out"):
        load_scores(tmp_path / "a.parquet")
    del columns["label"]
    with pytest.raises(ValueError, match="must have one column 'label'"):
        load_scores(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("label;a;b\n0;0,5;1\n1;2;-1,25\n", [[0.5, 1], [2, -1.25]]),
        ('label,a,b\n0,"0,5",1\n1,2,"-1,25"\n', [[0.5, 1], [2, -1.25]]),
        ("label;a;b\n0;1,500;2,250\n", None),
        ("label;a;b\n0;1.250;0,5\n", None),
    ],
)
def test_decimal_commas_are_read_where_they_can_mean_one_thing_only(text, scores, tmp_path):
    if scores is None:
        with pytest.raises(ValueError, match="is not a plain number: write decimals with a point"):
            load_scores(write(tmp_path / "a.csv", text))
    else:
        np.testing.assert_array_equal(load_scores(write(tmp_path / "a.csv", text)).scores, scores)
