"""One file, two readers: the explorer gives the answer of the command line, or both refuse."""

from __future__ import annotations

import json

import numpy as np
import pytest

import classex as cx
from classex import load_scores
from classex.io.tables import read_table

SCORES = np.array([[0.5, 0.25, -1.5], [0.125, 0.75, 0.5], [1000.5, 2.0, 10.25]])
TABLE = "label,a,b,c\n0,0.5,0.25,-1.5\n1,0.125,0.75,0.5\n2,1000.5,2.0,10.25\n"
NAMED = TABLE.replace("\n0,", "\na,").replace("\n1,", "\nb,").replace("\n2,", "\nc,")
SEMICOLONS = TABLE.replace(",", ";")
EUROPEAN = SEMICOLONS.replace(".", ",")
BLANKS = (
    NAMED.replace("a,", "letter 0,").replace("b,", "letter 1,").replace("c\n", "letter 2\n").replace("c,", "letter 2,")
)
INDEXED = "".join(f"{start},{line}\n" for start, line in zip(["", 0, 1, 2], TABLE.splitlines(), strict=True))
READ = {
    "plain": TABLE,
    "names": NAMED,
    "names with blanks": BLANKS,
    "names with blanks, quoted": BLANKS.replace("letter 0", '"letter 0"'),
    "names with commas, quoted": NAMED.replace("a,", '"a, the first",', 1).replace("\na,", '\n"a, the first",'),
    "names with quotes": NAMED.replace("a,", '"the ""a""",', 1).replace("\na,", '\n"the ""a""",'),
    "an index column": INDEXED,
    "an index column and names with blanks": "".join(
        f"{start},{line}\n" for start, line in zip(["", 0, 1, 2], BLANKS.splitlines(), strict=True)
    ),
    "an index column called so": "Unnamed: 0" + INDEXED,
    "numbered columns": TABLE.replace("a,b,c", "0,1,2"),
    "columns numbered in another order": "label,2,0,1\n2,0.5,0.25,-1.5\n0,0.125,0.75,0.5\n1,1000.5,2.0,10.25\n",
    "names that differ in capitals": NAMED.replace(",b,", ",A,").replace("\nb,", "\nA,"),
    "Label": TABLE.replace("label", "Label"),
    "the label last": "a,b,c,label\n0.5,0.25,-1.5,0\n0.125,0.75,0.5,1\n1000.5,2.0,10.25,2\n",
    "the label as a decimal": TABLE.replace("\n1,", "\n1.0,"),
    "semicolons": SEMICOLONS,
    "semicolons and blanks": SEMICOLONS.replace(";", " ; "),
    "semicolons and names with commas": SEMICOLONS.replace("a;b", "a, first;b"),
    "semicolons and decimal commas": EUROPEAN,
    "semicolons and an index column": INDEXED.replace(",", ";"),
    "blanks": TABLE.replace(",", " "),
    "blanks and decimal commas": TABLE.replace(",", " ").replace(".", ","),
    "tabs": TABLE.replace(",", "\t"),
    "tabs and decimal commas": EUROPEAN.replace(";", "\t"),
    "tabs and names with commas": NAMED.replace(",", "\t")
    .replace("\ta\t", "\ta, b, c, d, e\t")
    .replace("\na\t", "\na, b, c, d, e\t"),
    "quoted decimal commas": NAMED.replace("0.5,0.25", '"0,5","0,25"')
    .replace("-1.5", '"-1,5"')
    .replace("0.125", '"0,125"')
    .replace("0.75,0.5", '"0,75","0,5"')
    .replace("1000.5,2.0,10.25", '"1000,5","2,0","10,25"'),
    "powers of ten": TABLE.replace("1000.5", "1.0005e3"),
    "blank lines": "\n" + TABLE.replace("\n", "\n\n  \n"),
    "Windows": "\ufeff" + TABLE.replace("\n", "\r\n"),
    "comments above": "# from a program\n# of mine\n" + TABLE,
    "records of JSON": "".join(
        json.dumps(dict(zip(["label", "a", "b", "c"], [name, *row], strict=True))) + "\n"
        for name, row in zip("abc", SCORES.tolist(), strict=True)
    ),
    "a list of records": json.dumps(
        [
            {"label": name, **dict(zip("abc", row, strict=True))}
            for name, row in zip("abc", SCORES.tolist(), strict=True)
        ],
        indent=1,
    ),
    "a row for each class": "image,class,score,label\n"
    + "".join(f"i{i},{c},{SCORES[i][j]},{'abc'[i]}\n" for j, c in enumerate("abc") for i in range(3)),
    "a class named #1": NAMED.replace("a,", "#1,", 1).replace("\na,", "\n#1,"),
}
REFUSED = {
    "an index column with a name": ("image" + INDEXED, "seems to number the rows", "seems to number the rows"),
    "no label": (TABLE.replace("label,", "name,"), "label", "label"),
    "no label, numbered columns": (TABLE.replace("label,a,b,c", "0,1,2,3"), "label", "label"),
    "many columns and no label": (",".join(f"identity {i}" for i in range(5000)) + "\n1\n", "5000 in all", "in all"),
    "a long name": ("x" * 5000 + ",b\n1,2\n", "label", "label"),
    "two labels": ("label,label,a,b\n0,0,1,2\n", "label", "name of its own"),
    "one name twice": (TABLE.replace("b,c", "b,b"), "more than once", "name of its own"),
    "a label that is no column": (NAMED.replace("\nb,", "\nzoe,"), "zoe", "zoe"),
    "a long label": (NAMED.replace("\nb,", "\n" + "z" * 9000 + ","), "zzz", "zzz"),
    "names and numbers mixed": (NAMED.replace("\nb,", "\n1,"), "'1'", "“1”"),
    "numbers of columns that count otherwise": (TABLE.replace("a,b,c", "1,2,3"), "'0'", "“0”"),
    "a label beyond the columns": (TABLE.replace("\n2,", "\n3,"), "label", "label must be a whole number from 0 to 2"),
    "half a label": (TABLE.replace("\n1,", "\n0.5,"), "label", "label must be a whole number"),
    "a label with a decimal comma": (EUROPEAN.replace("\n1;", "\n1,0;"), "1,0", "1,0"),
    "a word": (TABLE.replace("0.75", "high"), "line 3, column 'b': 'high' is not a number", "Line 3, column 3: “high”"),
    "a long word": (TABLE.replace("0.75", "h" * 9000), "is not a number", "is not a number"),
    "nothing": (TABLE.replace("0.75", ""), "'' is not a number", "“” is not a number"),
    "nan": (TABLE.replace("0.75", "nan"), "NaN|nan", "“nan” is not a number"),
    "an infinite score": (TABLE.replace("0.75", "inf"), "inf", "“inf” is not a number"),
    "too large": (TABLE.replace("0.75", "1e999"), "inf", "is not a number"),
    "underscores": (TABLE.replace("1000.5", "1_000.5"), "1_000.5", "1_000.5"),
    "hexadecimal": (TABLE.replace("1000.5", "0x10"), "0x10", "0x10"),
    "commas that may be decimal": ("label;a;b;c\n0;1,500;2,250;3,125\n", "is not a plain number", "1.500 or 1500"),
    "both marks as decimal ones": (EUROPEAN.replace("0,25", "0.25"), "not a plain number", "0.25"),
    "a short row": (TABLE.replace(",0.75,", ","), "but line 3 has 3", "3 entries, but the header has 4"),
    "a separator at the end of all lines": (TABLE.replace("\n", ",\n"), "is not a number", "is not a number"),
    "row names without a header": (TABLE.replace("label,a,b,c", "a,b,c"), "label", "label"),
    "a record that lacks a name": (
        '{"label": 0, "a": 1, "b": 2}\n{"label": 1, "a": 1}\n', "line 2 must have", "names of the first"
    ),
    "a damaged record": ('{"label": 0, "a": 1, "b": 2}\n{"label": 1, "a":\n', "line 2 column", "Line 2"),
    "a pair that comes twice": (
        "image,label,class,score\ni,a,a,1\ni,a,a,2\ni,a,b,1\n", "one score for each", "has class “a” twice"
    ),
    "a pair that is missing": (
        "image,label,class,score\ni,a,a,1\ni,a,b,2\nj,b,b,1\n", "one score for each", "no score for class “a”"
    ),
    "one column of scores": ("label,a\n0,1\n", "column|two", "at least two columns"),
    "no rows": ("label,a,b\n", "no rows", "no rows"),
    "an empty file": ("", "is empty", "nothing to read"),
}  # fmt: skip
# a paste is no file: what only the explorer reads, the command line refuses
PASTES = {
    "no header": TABLE.partition("\n")[2],
}
# numbers as people write them, which the command line refuses
MARKED = {
    "semicolons, decimal commas, points between thousands": EUROPEAN.replace("1000,5", "1.000,5"),
    "tabs and commas between thousands": TABLE.replace(",", "\t").replace("1000.5", "1,000.5"),
    "a minus sign": TABLE.replace("-1.5", "\u22121.5"),
}
PARSE = """(texts) => texts.map((text) => {
    try {
        const { wins, ties, labels, nClasses } = classexExplorer.parseScores(text);
        return { wins, ties, labels, nClasses };
    } catch (error) { return error.message; }
})"""


def by_command_line(text, folder):
    """Wins, ties, labels and the number of classes, or what the refusal says."""
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        found = load_scores(path)
        ranks = cx.correct_ranks(found.scores, found.labels, classes=found.classes)
    except ValueError as error:
        return str(error).replace(str(path), "scores.csv")
    return {
        "wins": ranks.wins.tolist(),
        "ties": ranks.ties.tolist(),
        "labels": ranks.labels.tolist(),
        "nClasses": ranks.n_classes,
    }


def _meant():
    ranks = cx.correct_ranks(SCORES, [0, 1, 2])
    return {"wins": ranks.wins.tolist(), "ties": ranks.ties.tolist(), "labels": [0, 1, 2], "nClasses": 3}


MEANT = _meant()


@pytest.fixture(scope="module")
def explored(node):
    """What the explorer makes of every text."""
    texts = {**READ, **{name: text for name, (text, _, _) in REFUSED.items()}, **PASTES, **MARKED}
    return dict(zip(texts, node.evaluate(PARSE, list(texts.values())), strict=True))


@pytest.mark.parametrize("name", READ)
def test_the_command_line_reads_a_file_as_it_is_meant(name, tmp_path):
    assert by_command_line(READ[name], tmp_path) == MEANT


@pytest.mark.parametrize("name", READ)
def test_the_explorer_reads_a_file_as_the_command_line_does(name, explored):
    assert explored[name] == MEANT


@pytest.mark.parametrize("name", REFUSED)
def test_the_command_line_refuses_in_a_few_words(name, tmp_path):
    text, words, _ = REFUSED[name]
    said = by_command_line(text, tmp_path)
    assert isinstance(said, str)
    assert len(said) <= 300
    assert any(word in said for word in words.split("|")), said


@pytest.mark.parametrize("name", REFUSED)
def test_the_explorer_refuses_what_the_command_line_refuses(name, explored):
    assert isinstance(explored[name], str), explored[name]
    assert len(explored[name]) <= 300
    assert REFUSED[name][2] in explored[name]


def test_counts_draw_the_same_warning(node):
    text, how = "label,a,b\na,20,1\nb,3,40\n", "(text) => classexExplorer.parseScores(text).warning"
    said = "the scores of one test point, but they look like a confusion matrix"
    with pytest.warns(UserWarning, match=said):
        cx.correct_ranks([[20, 1], [3, 40]], [0, 1])
    assert said in node.evaluate(how, text)


@pytest.mark.parametrize("name", PASTES)
def test_a_paste_that_is_no_file_is_read_by_the_explorer_and_refused_by_the_command_line(name, explored, tmp_path):
    assert explored[name] == MEANT
    assert "must have one column 'label'" in by_command_line(PASTES[name], tmp_path)


@pytest.mark.parametrize("name", MARKED)
def test_the_explorer_reads_marks_in_numbers_that_the_command_line_refuses(name, explored, tmp_path):
    assert explored[name] == MEANT
    assert "number" in by_command_line(MARKED[name], tmp_path)


@pytest.mark.parametrize(
    ("save", "words"),
    [
        (lambda path: path.write_text(",".join(f"identity {i}" for i in range(5000)) + "\n1\n"), "(5000 in all)"),
        (lambda path: np.savez(path, **{f"array {i}": np.eye(2) for i in range(300)}), "(300 in all)"),
    ],
)
def test_messages_about_large_files_are_short(tmp_path, monkeypatch, save, words):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "large.npz"
    save(path)
    path = path.rename("large.csv") if path.read_bytes()[:2] != b"PK" else path
    for read in (load_scores, cx.io.load_searches, lambda file: read_table(file, "accuracy").numbers(["accuracy"])):
        with pytest.raises(ValueError, match=r"must (have|hold)") as caught:
            read(path.name)
        assert words in str(caught.value)
        assert len(str(caught.value)) <= 300
