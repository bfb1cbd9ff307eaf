"""Tables as people store them: packed, as JSON, with the names or numbers of the rows, or of another kind."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile

import numpy as np
import pytest

from classex.io import load_embeddings, load_scores, load_searches
from classex.io.tables import read_table

TEXT = "label;ant;bee\nbee;0,1;0,7\nant;0,5;0,2\n"
RECORDS = [{"label": "bee", "ant": 0.1, "bee": 0.7}, {"ant": 0.5, "label": "ant", "bee": 0.2}]


def zipped(file, *names):
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, TEXT)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.bz2", "csv.xz", "zip", "json", "jsonl", "jsonl.xz"])
def test_one_table_in_every_form(ending, tmp_path):
    file = tmp_path / f"scores.{ending}"
    lines = "\n".join(map(json.dumps, RECORDS)) + "\n"
    match ending:
        case "zip":
            zipped(file, "scores.csv", "__MACOSX/scores.csv")
        case "json":
            file.write_text(json.dumps(RECORDS, indent=1), encoding="utf-8")
        case _:
            pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}.get(ending[-3:].strip(".v"), bytes)
            file.write_bytes(pack((lines if "json" in ending else TEXT).encode()))
    scores, labels, classes = load_scores(file)
    np.testing.assert_array_equal(scores, [[0.1, 0.7], [0.5, 0.2]])
    assert (labels.tolist(), classes) == (["bee", "ant"], ["ant", "bee"])


@pytest.mark.parametrize("first", ["0,1,2", "1,2,3", "7,1042,55"])
@pytest.mark.parametrize("read", [load_scores, load_searches, load_embeddings])
def test_a_first_column_that_numbers_the_rows(first, read, tmp_path):
    """pandas' index with a name: as a class it would beat all others, as a feature decide all distances."""
    file, labels, scores = tmp_path / "a.csv", ["ant", "bee", "ant"], [".1,.7", ".5,.2", ".5,.1"]
    labels[2] = "cow" if read is load_searches else "ant"  # a non-mated search
    rows = "\n".join(map(",".join, zip(first.split(","), labels, scores, strict=True)))
    file.write_text(f"index,label,ant,bee\n{rows}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"the first column 'index' seems to number the rows.*index=False"):
        read(file)
    file.write_text(f",label,ant,bee\n{rows}\n".replace("cow", "bee"), encoding="utf-8")
    assert np.shape(load_scores(file).scores) == np.shape(load_embeddings(file).embeddings) == (3, 2)


def test_whole_scores_number_no_rows(tmp_path):
    """Counts that differ, and a class that numbers the rows but is a label."""
    for number, text in enumerate(
        ["ant,label,bee\n7,bee,3\n9,bee,4\n4,bee,1\n", "ant,label,bee\n1,ant,3\n2,bee,.5\n3,bee,1\n"]
    ):
        (tmp_path / f"{number}.csv").write_text(text, encoding="utf-8")
        assert load_scores(tmp_path / f"{number}.csv").scores.shape == (3, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "image,label,a,b\nx.png,a,1,2\nx.png,b,3,4\nz.png,b,4,3\n",
            "column 'image' names no class, and its names repeat",
        ),
        ("n_classes,accuracy\n10,.9\n", "classex extrapolate --curve or Extrapolator.fit_curve"),
        ("successes,trials\n1,9\n", "classex pass-at-k"),
        ("y_true,y_pred\na,b\n", "predicted labels give no ranks, but see classex advantage"),
        (",a,b\na,9,1\nb,2,8\n", "if the first column holds the labels, name it label"),
        ("query,rank\na,1\n", "ranks_from_wins.n_classes - rank, n_classes."),
        ("label,x,y\nann,.1,.2\n", "--references and load_embeddings"),
        (",".join(f"identity number {i}" for i in range(5000)) + "\n" + "0," * 4999 + "0\n", r"\(5000 in all\)"),
    ],
)
def test_a_table_of_another_kind_says_what_takes_it(text, message, tmp_path):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        load_scores(tmp_path / "a.csv")
    assert len(str(caught.value)) - len(str(tmp_path)) < 300


def test_a_score_that_is_missing(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"label": 0, "a": null, "b": 1}\n', encoding="utf-8")
    assert np.isnan(load_scores(tmp_path / "a.jsonl").scores).tolist() == [[True, False]]


def test_columns_of_records(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"k": 10, "note": "x", "accuracy": 0.9}\n', encoding="utf-8")
    names = ("k", "accuracy")
    assert read_table(tmp_path / "a.jsonl", *names).numbers(names).tolist() == [[10, 0.9]]
