"""``classex open-set --curve``: the numbers of the library from tables, and one line about anything wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

from classex.cli import main
from classex.fields.open_set import extrapolate_published_rates, open_set_curve

WIDE = """algorithm,N=640000,N = 1.6M,3000000,6 million,12e6
alpha-3,0.0150,0.0191,0.0225,0.0268,0.0316
beta,_,0.0023,0.0023,0.0024,0.0025
"""
LONG = """Algorithm\tN\tFNIR
beta\t1.6M\t0.0023
alpha-3\t640000\t0.0150
alpha-3\t1600000\t0.0191
beta\t3M\t0.0023
alpha-3\t3M\t0.0225
alpha-3\t6M\t0.0268
beta\t6M\t0.0024
alpha-3\t12M\t0.0316
beta\t12M\t0.0025
"""
SIZES = [640_000, 1_600_000, 3_000_000, 6_000_000, 12_000_000]
RATES = [[0.0150, 0.0191, 0.0225, 0.0268, 0.0316], [np.nan, 0.0023, 0.0023, 0.0024, 0.0025]]
OPTIONS = ["--points", "154549", "--to", "48M", "2.3e8"]


def test_a_wide_table_prints_the_library(tmp_path, capsys):
    file = tmp_path / "nist.csv"
    file.write_text(WIDE, encoding="utf-8")
    given = {"n_enrolled": [48e6, 2.3e8], "n_searches": 154_549, "algorithms": ["alpha-3", "beta"]}
    for more, options in (([], {}), (["--fpir", "0.003"], {"fpir": 0.003}), (["--rate", "fpir"], {"rate": "fpir"})):
        assert main(["open-set", "--curve", str(file), *OPTIONS, *more]) == 0
        expected = extrapolate_published_rates(SIZES, RATES, **given, **options)
        assert capsys.readouterr().out == f"{expected}\n"


def test_a_long_table_may_be_in_any_order_and_names_its_rate(tmp_path, capsys):
    file = tmp_path / "nist.tsv"
    file.write_text(LONG, encoding="utf-8")
    assert main(["open-set", "--curve", str(file), *OPTIONS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = extrapolate_published_rates(SIZES, RATES[::-1], n_enrolled=[48e6, 2.3e8], n_searches=154_549)
    assert found["algorithms"] == ["beta", "beta", "alpha-3", "alpha-3"]
    assert found["rates"] == expected.rates.tolist()
    file.write_text(LONG.replace("FNIR", "FPIR"), encoding="utf-8")
    assert main(["open-set", "--curve", str(file), *OPTIONS]) == 0
    assert capsys.readouterr().out.startswith("FPIR at one threshold, continued")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["--curve", "nist.csv", "--to", "4.5"], "must be numbers such as 1600000 or 1.6M, not '4.5'"),
        (["--curve", "nist.csv", "--to", "48M"], "needs --points and --to"),
        (["--curve", "nist.csv", *OPTIONS, "--fpir", ".1", ".2"], "takes one --fpir"),
        (["--curve", "nist.csv", *OPTIONS, "--threshold", "2"], "--curve goes without searches"),
        (["--curve", "nist.csv", *OPTIONS, "--eer"], "--curve goes without searches"),
        (["--points", "10"], "give a file of searches, or --curve with --points"),
        ([], "give a file of searches, or --curve with --points"),
    ],
)
def test_wrong_options_are_one_line(command, message, capsys):
    assert main(["open-set", *command]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("algorithm,N,TAR\na,1M,.9\n", [], "must have the columns N and FNIR or FPIR, or a column for each N"),
        (LONG + "beta\t12M\t0.0025\n", [], "'beta' has two rates with N = 12000000"),
        ("N,FNIR\n1M,.01\n", [], "two or more for each algorithm, but 'given' has 1"),
        (LONG, ["--rate", "fpir"], "--rate is fpir, but the table has the column fnir"),
        (WIDE.replace("0.0191", "low"), [], "'low' is not a number"),
    ],
)
def test_wrong_tables_are_one_line(text, more, message, tmp_path, capsys):
    file = tmp_path / "rates.csv"
    file.write_text(text, encoding="utf-8")
    assert main(["open-set", "--curve", str(file), *OPTIONS, *more]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_thresholds_below_the_end_of_a_list_have_a_star(tmp_path, capsys):
    """Lists name three of ten people: with five of them enrolled, FPIR is too low where it has a star."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(18, 10)) + 3 * np.eye(18, 10)
    rows = ["search,candidate,score,label"]
    for i, row in enumerate(scores.tolist()):
        rows += [f"s{i},p{c},{row[c]},{f'p{i}' if i < 10 else ''}" for c in np.argsort(-scores[i])[:3]]
    file = tmp_path / "lists.csv"
    file.write_text("\n".join(rows), encoding="utf-8")
    cut = max(np.sort(row)[-3] for row in scores)
    command = ["open-set", str(file), "--threshold", str(cut - 1.2), str(cut + 0.01), "--to"]
    assert main([*command, "5"]) == 0
    _, _, _, below, above, _, note = capsys.readouterr().out.splitlines()
    whole = open_set_curve(scores[:10], range(10), scores[10:], [cut - 1.2, cut + 0.01], n_enrolled=5)
    assert below.split()[2].endswith("*")
    assert "*" not in above
    assert note.startswith(f"* Below {cut:.4g} a list of candidates ends")
    assert float(below.split()[3]) < whole.fpir[0] - 0.05
    assert float(above.split()[3]) == pytest.approx(whole.fpir[1], abs=0.005)
    assert main([*command, "50"]) == 0
    *_, matches, _, note = capsys.readouterr().out.splitlines()
    assert matches == "False matches: comparisons of non-mated searches, with all enrolled in the data, that reached T."
    assert note.startswith("* Below")
    assert main(["open-set", str(file), "--fpir", ".6", "--to", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["complete_from"] == pytest.approx(cut)


@pytest.mark.filterwarnings("default")
def test_the_number_enrolled_is_an_option(tmp_path, capsys):
    """Lists of two name few of 200 people: with these alone, the gallery would be far too small."""
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(40, 200)).round(4) + 4 * np.eye(40, 200)
    rows = ["search,candidate,score,label"]
    for i, row in enumerate(scores.tolist()):
        rows += [f"s{i},p{c},{row[c]},{f'p{i}' if i < 20 else ''}" for c in np.argsort(-scores[i])[:2]]
    file = tmp_path / "lists.csv"
    file.write_text("\n".join(rows), encoding="utf-8")
    cut = max(np.sort(row)[-2] for row in scores)
    command = ["open-set", str(file), "--threshold", str(cut), "--json"]
    assert main([*command, "--gallery", "200"]) == 0
    printed = capsys.readouterr()
    assert "taken as enrolled" not in printed.err
    assert "searches with labels that no list names: 3, such as" in printed.err
    (found,) = json.loads(printed.out)["results"]
    whole = open_set_curve(scores[:20], range(20), scores[20:], cut)
    assert found["n_enrolled"] == 200
    assert (found["fpir"], found["fnir"]) == (whole.fpir.tolist(), whole.fnir.tolist())
    assert main(command) == 0
    assert "warning: " in (error := capsys.readouterr().err)
    assert "Give the number enrolled: --gallery N" in error
    assert main([*command[:2], "--curve", "nist.csv", "--gallery", "200"]) == 2
    assert "--curve goes without searches" in capsys.readouterr().err
