"""The suite's command on methods that are not the library's, and on names that are no method."""

from __future__ import annotations

import csv
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from benchmarks.suite import VERSION, cells, scoring
from benchmarks.suite import __main__ as suite

pytestmark = pytest.mark.no_cover

DOMAINS = ["hangul", "counties"]
DRAWS = 3


class Power:
    """Accuracy a / (a + K - 1), from the mean share of wrong classes that beat the correct one."""

    def fit(self, ranks):
        lost = ranks.losses.mean() / (ranks.n_classes - 1)
        self.a = (1 - lost) / max(lost, 1e-6)
        return self

    def accuracy(self, n_classes):
        return self.a / (self.a + n_classes - 1)

    def interval(self, n_classes):
        middle = self.accuracy(n_classes)
        return np.column_stack([middle / 2, (1 + middle) / 2])


class Silent(Power):
    """Fits itself and returns nothing; has no intervals, and fails with the most classes."""

    interval = None

    def fit(self, ranks):
        super().fit(ranks)

    def accuracy(self, n_classes):
        return np.where(n_classes == n_classes.max(), np.nan, super().accuracy(n_classes))


class Learnt(Power):
    """Learns from the suite: fails on a domain that it has seen."""

    seen = ("hangul", "counties")

    def without(self, domain):
        made = Learnt()
        made.seen = tuple(name for name in self.seen if name != domain)
        made.domain = domain
        return made

    def fit(self, ranks):
        assert self.domain not in self.seen
        return super().fit(ranks)


class Long(Power):
    def accuracy(self, n_classes):
        return np.full(n_classes.size + 1, 0.5)


class Percent(Power):
    def accuracy(self, n_classes):
        return 100 * super().accuracy(n_classes)


class Broken(Power):
    def fit(self, ranks):
        raise ZeroDivisionError(f"mine, with {ranks.n_classes}")


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch):
    """A module of somebody else's."""
    module = ModuleType("elsewhere")
    vars(module).update(
        Power=Power, Silent=Silent, Learnt=Learnt, Long=Long, Percent=Percent, Broken=Broken, made=Power(), number=3,
        unfit=SimpleNamespace, build=lambda: Power(),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "elsewhere", module)


def test_the_card_has_the_sizes_of_every_domain():
    card = (suite.HERE / "DATA_CARD.md").read_text(encoding="utf-8")
    assert f"suite, version {VERSION}" in card
    for kind in cells.kinds():
        of = list({task.recogniser: task for task in cells.tasks(kind)}.values())
        curves = [(cells.array(task, "sizes"), cells.array(task, "accuracy")) for task in of]
        most = [int(sizes[-1]) for sizes, _ in curves]
        few = [np.interp(np.log(50), np.log(sizes), accuracy) for sizes, accuracy in curves]
        every = [accuracy[-1] for _, accuracy in curves]
        classes = "–".join(f"{size:,}" for size in dict.fromkeys((min(most), max(most))))
        shares = " | ".join(f"{min(values):.2f}–{max(values):.2f}" for values in (few, every))
        assert f"| `{kind}` | {classes} | {len(of)} | {shares} |" in card


def command(folder, name, domains=DOMAINS, draws=DRAWS):
    chosen = ["--kinds", *domains, "--draws", str(draws)]
    return suite.main(["--method", f"elsewhere:{name}", "--folder", str(folder), *chosen])


def test_a_power_law_is_scored_by_hand(tmp_path, capsys):
    """Reference: loops over tasks, draws and sizes."""
    assert command(tmp_path, "Power") == 0
    with (tmp_path / "entry.csv").open(encoding="utf-8") as file:
        rows = {row["domain"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    assert list(rows) == ["hangul", "counties", "first: 1 domains", "new: 1 domains"]
    stored = scoring.read(suite.HERE / "predictions.npz")
    methods = {name.split("|")[0] for name in stored} - {suite.DEFAULT}
    for domain in DOMAINS:
        logs, inside, widths, bias = [], [], [], []
        for task in cells.tasks(domain):
            fits = [Power().fit(cells.ranks(task, draw)) for draw in range(DRAWS)]
            others = [
                np.nan_to_num(stored[k][:DRAWS], nan=0.5) for m in methods if (k := scoring.key(m, task)) in stored
            ]
            for i, (size, truth) in enumerate(zip(cells.wanted(task), cells.truth(task), strict=True)):
                found = np.array([fit.a / (fit.a + size - 1) for fit in fits])
                best = min(np.sqrt(np.mean((other[:, i] - truth) ** 2)) for other in others)
                logs.append(np.log(np.sqrt(np.mean((found - truth) ** 2)) / best))
                bias.append(np.mean(found) - truth)
                inside += [value / 2 <= truth <= (1 + value) / 2 for value in found]
                widths.append(0.5)
        assert float(rows[domain]["ratio"]) == pytest.approx(np.exp(np.mean(logs)), abs=1e-3)
        assert float(rows[domain]["bias"]) == pytest.approx(np.mean(bias), abs=1e-4)
        assert float(rows[domain]["coverage"]) == pytest.approx(np.mean(inside), abs=1e-4)
        assert float(rows[domain]["width"]) == pytest.approx(np.mean(widths), abs=1e-4)
        assert (int(rows[domain]["tasks"]), int(rows[domain]["failures"])) == (len(logs), 0)
        assert min(float(rows[domain][name]) for name in ("seconds", "default_seconds")) >= 0
    with (tmp_path / "reach.csv").open(encoding="utf-8") as file:
        reaches = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert [(row["group"], row["reach"]) for row in reaches] == [
        ("first", "up to 20"), ("first", "20 to 100"), ("new", "up to 20"), ("new", "20 to 100")
    ]  # fmt: skip
    far = []
    for task in cells.tasks("counties"):
        for size, truth in zip(cells.wanted(task), cells.truth(task), strict=True):
            if size / task.k1 > 20:
                fits = [Power().fit(cells.ranks(task, draw)) for draw in range(DRAWS)]
                far += [value / 2 <= truth <= (1 + value) / 2 for value in (f.a / (f.a + size - 1) for f in fits)]
    assert far
    assert float(reaches[-1]["coverage"]) == pytest.approx(np.mean(far), abs=1e-4)
    shown = capsys.readouterr().out
    assert "suite, version" in shown
    assert "ours ratio" in shown


def test_failures_are_counted_and_intervals_may_be_missing(tmp_path):
    assert command(tmp_path, "Silent", ["hangul"], 2) == 0
    with (tmp_path / "entry.csv").open(encoding="utf-8") as file:
        row = next(csv.DictReader(line for line in file if not line.startswith("#")))
    assert int(row["failures"]) == 2 * len(list(cells.tasks("hangul")))
    assert not row["coverage"]
    assert row["default_coverage"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Power", "must be package.module:Name, got 'Power'"),
        (":Power", "must be package.module:Name, got ':Power'"),
        ("no_such_package:Power", "No module named 'no_such_package'"),
        ("elsewhere:Missing", "the module 'elsewhere' has no 'Missing'"),
        ("elsewhere:number", "must be a class, a function or an object with fit(ranks), got 3"),
        ("elsewhere:unfit", "SimpleNamespace has no fit(ranks)"),
        ("elsewhere:Long", "accuracy(n_classes) must have shape (2,), got (3,)"),
        ("elsewhere:Percent", "accuracy(n_classes) must be between 0 and 1, got "),
    ],
)
def test_what_is_no_method_is_refused_in_one_line(tmp_path, capsys, name, message):
    with pytest.raises(SystemExit) as stopped:
        suite.main(["--method", name, "--folder", str(tmp_path), "--kinds", "hangul", "--draws", "1"])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_errors_of_a_method_are_its_own(tmp_path):
    with pytest.raises(ZeroDivisionError, match="mine"):
        command(tmp_path, "Broken", ["hangul"], 1)
