"""One stored cell of every study, computed again with the study's own seed.

Shares and counts must come out as stored up to one experiment, other numbers up to what another processor's arithmetic
or a solver's last steps can move.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import study
from benchmarks.adversarial import __main__ as adversarial
from benchmarks.attempts import corpus, language, league
from benchmarks.cells import __main__ as people
from benchmarks.coverage import information, sup_error, targets
from benchmarks.coverage.__main__ import STUDIES
from benchmarks.examples import __main__ as examples
from benchmarks.faces import __main__ as faces
from benchmarks.familiar_classes import __main__ as familiar
from benchmarks.growth import nested
from benchmarks.known_information import __main__ as known
from benchmarks.known_information.sources import cells
from benchmarks.peers import __main__ as peers
from benchmarks.sampled_negatives import __main__ as sampled
from benchmarks.shapes import __main__ as shapes
from benchmarks.suite import __main__ as suite
from benchmarks.suite import scoring
from benchmarks.suite.cells import tasks
from benchmarks.table1 import __main__ as table1
from benchmarks.telugu import __main__ as telugu
from benchmarks.words import __main__ as words
from classex.fields.attempts import ATTEMPTS
from classex_book import load_study

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover


def compare(found, header, stored, n_keys, **tolerance):
    """Check rows against the stored rows with the same first columns; only numbers may differ, by the tolerance."""
    table = {tuple(row.values())[:n_keys]: row for row in stored}
    assert found
    for values in found:
        again = dict(zip(header.split(","), map(str, values), strict=True))
        row = table[tuple(again.values())[:n_keys]]
        for name in [*again][n_keys:]:
            if again[name] != row[name]:
                assert float(again[name]) == pytest.approx(float(row[name]), **tolerance), (row, name)


@pytest.mark.parametrize(
    ("name", "cell", "n_keys"),
    [
        ("advantage", ("delta", 200, 0), 5),
        ("bounds", ("partly identifiable (.5)",), 6),
        ("communities", ("open set", "searched"), 5),
        ("intervals", ("regression", "bivariate normal, rho .9", 50, 1), 5),
        ("population", ("names", 30, 10), 7),
        ("variance", ("partly identifiable (.5)",), 3),
    ],
)
def test_coverage(name, cell, n_keys):
    """Up to one experiment in 40 for intervals and in 400 for the others, or 1 % of a bound or width."""
    module = STUDIES[name]
    found = study.call(module.rows, cell)
    compare(
        found, module.HEADER, load_study(module.TABLE), n_keys, abs=0.026 if name == "intervals" else 3e-3, rel=0.01
    )


def test_cells():
    """Shares and their quantiles from a thousand draws for each shape, of chains that rounding may turn."""
    found = study.call(people.predicted, ("age, occupation", 100, 0))
    header = people.HEADER.split(",")
    cell = ("age, occupation", "100")
    stored = [row for row in study.read(people.SAMPLES_FILE) if (row["structure"], row["growth"]) == cell]
    for values, row in zip(found, stored[:2], strict=True):
        again = dict(zip(header, values, strict=True))
        for name in header:
            if name in ("structure", "growth", "quantity", "truth", "reach"):
                assert str(again[name]) == row[name]
            else:
                absolute = 0.01 if name in ("value", "low", "high") else 1e-4
                assert float(again[name]) == pytest.approx(float(row[name]), abs=absolute, rel=0.15), name


def test_information(monkeypatch):
    """The first fifty of 500 samples: medians within four standard errors of the stored ones."""
    name, k1, r = "random code, 31 bits", 30, 10
    monkeypatch.setattr(information, "SIMULATIONS", 50)
    header = information.HEADER.split(",")
    found = dict(zip(header, map(str, study.call(information.rows, (name, k1, r))[0]), strict=True))
    (stored,) = (row for row in load_study(information.TABLE) if (row["model"], row["n_classes"]) == (name, str(k1)))
    assert all(found[key] == stored[key] for key in ("information", "coverage", "usual_k", "log_k"))
    # a normal distribution's deciles are 2.56 standard deviations apart, and its median has 1.25 times the mean's error
    sd = (float(stored["upper_decile_share"]) - float(stored["lower_decile_share"])) / 2.56
    for key in ("median_share", "union_share", "best_k_share", "single_k_share"):
        assert abs(float(found[key]) - float(stored[key])) < 4 * 1.25 * sd / np.sqrt(50), key


def test_coverage_of_three_targets():
    """Twenty of the 400 experiments: mean widths within four standard errors of those of all."""
    name, r = "bivariate normal, rho .9", 1
    widths = np.array([study.call(targets.one, (name, r, number))[1] for number in range(20)])
    stored = [row for row in load_study(targets.TABLE) if (row["model"], row["n_repeats"]) == (name, str(r))]
    error = widths.std(axis=0, ddof=1) / np.sqrt(20)
    away = (widths.mean(axis=0) - [float(row["width"]) for row in stored]) / error
    assert (np.abs(away) < 4).all()


def test_largest_errors(monkeypatch):
    """The rules that need no solver, up to 1e-5."""
    quick = ("right basis", "cubic polynomial", "probit-normal")
    every = sup_error.methods
    monkeypatch.setattr(sup_error, "methods", lambda *of: {name: every(*of)[name] for name in quick})
    found = study.call(sup_error.rows, ("bivariate normal, rho .7", 25))
    compare(found, sup_error.HEADER, load_study(sup_error.TABLE), 4, abs=1e-5)


def test_adversarial():
    """Up to two data sets, or 2 % of a width."""
    number = next(i for i, cell in enumerate(adversarial.CELLS) if cell.key.startswith("own | accuracy_curve | hub .2"))
    stored = study.read(adversarial.HERE / "after.csv")
    compare(adversarial.rows(number), ",".join(adversarial.HEADER), stored, 6, abs=0.011, rel=0.02)


@pytest.mark.parametrize(("family", "number"), [("cliques", 5), ("fuzz", 9), ("puzzle", 11), ("latin", 4), ("maze", 6)])
def test_attempts(family, number, monkeypatch):
    """A tenth of the attempts on one instance: within five standard errors of the stored shares."""
    monkeypatch.setattr(corpus, "N_ATTEMPTS", 10_000)
    share = corpus.counts(family)[number] / 100_000
    error = np.sqrt(np.maximum(share * (1 - share), 1e-5) * (1 / 10_000 + 1 / 100_000))
    assert (np.abs(np.array(corpus.instance(family, number)) / 10_000 - share) < 5 * error).all()


def test_attempts_of_language_models():
    """The shortest training on one family: within five standard errors and 2 % of the stored shares."""
    share = corpus.counts("roman")[:, 0] / language.N_ATTEMPTS
    found = language.chances("roman", language.STEPS[:1])[:, 0]
    assert (np.abs(found - share) < 0.02 * share + 5 * np.sqrt(np.maximum(share, 1e-5) / language.N_ATTEMPTS)).all()


def test_a_language_model_is_a_distribution_with_an_exact_gradient():
    """All answers of up to one symbol, the longer ones by their first symbol, and the padding have probability 1."""
    model = language.Transformer(np.random.default_rng(0))
    model.weights = {name: 3 * weight.astype(np.float64) for name, weight in model.weights.items()}
    symbols = [one for one in language.SYMBOLS if one not in "_."]
    ended = np.exp(model.log_chances([("12", ""), *(("12", one) for one in symbols)])).sum()
    start = np.array(
        [[*(language.SYMBOLS.index(one) for one in "12>"), language.SYMBOLS.index(two)] for two in symbols]
    )
    log = model.forward(start)[0]
    goes_on = np.exp(log[0, 2, start[:, 3]]) * -np.expm1(log[:, 3, language.SYMBOLS.index(".")])
    assert ended + goes_on.sum() + np.exp(log[0, 2, 0]) == pytest.approx(1)
    x, of_answer = language.encoded([("12+3", "15"), ("7", "VII")])
    gradient = model.gradient(x, of_answer)[1]
    for name, weight in model.weights.items():
        where = np.unravel_index(np.argmax(np.abs(gradient[name])), weight.shape)
        losses = []
        for move in (1e-5, -2e-5):
            weight[where] += move
            losses.append(model.gradient(x, of_answer)[0])
        weight[where] += 1e-5
        assert gradient[name][where] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-4)


def test_league_of_attempts(monkeypatch):
    """All draws of one family by the power law, up to 1e-3; the curves have a prior that never saw the family."""
    monkeypatch.setattr(study, "run", lambda function, cells, *_: [function(*cell) for cell in cells])
    compare(league.rows("power law", "queens"), league.HEADER, study.read(league.LEAGUE), 4, abs=1e-3)
    stored = {row["without"] for row in study.read(league.PRIORS)}
    assert stored == {league.NONE, *league.GROUPS, *league.FAMILIES}
    assert league.prior_without(league.NONE) == ATTEMPTS


def test_examples():
    """All samples of 50 words with two voices, up to one interval in twenty and 2e-3."""
    found = examples.rows("voices", 50, 2)
    compare(found, examples.HEADER, load_study("examples/errors"), 5, abs=2e-3)


def test_familiar_classes():
    """Singular vectors come from random projections: up to .005."""
    compare(study.call(familiar.one, (500, 3)), familiar.HEADER, load_study("familiar_classes/curves"), 4, abs=5e-3)


def test_faces():
    """The method that needs no search for a bandwidth, up to 1e-4."""
    found = [row for row in study.call(faces.one_data_set, (4,)) if row[2] == "probit-normal"]
    header = "data_set,k1,method,subset,truth,predicted"
    compare(found, header, load_study("faces/predictions"), 4, abs=1e-4)


def test_growth():
    """Whole groups of Gaussian classes, three of sixty, in the easiest of the stored cells."""
    found = study.call(nested.world, (1.0, 3, 3))
    compare(found, nested.HEADER, load_study("growth/nested"), 3 + 2, abs=2e-3)


def test_known_information(monkeypatch):
    """Two of 500 simulations, with the true likelihood: within four standard deviations of the stored mean."""
    monkeypatch.setattr(known, "CHUNK", 2)
    source = cells()[0]
    (stored,) = (
        row
        for row in load_study("known_information/estimates")
        if (row["model"], row["dimension"], row["information"]) == (source.name, "2", f"{source.information:.4f}")
        and (row["estimator"], row["likelihood"]) == ("mean log ratio", "true")
    )
    for lines in known.chunk(0, 0):
        (value,) = (line[2] for line in lines if line[:2] == ("mean log ratio", "true"))
        assert abs(value - float(stored["mean"])) < 4 * float(stored["sd"])


def test_peers():
    """The package that is installed for the tests, up to 1e-4."""

    def values(metric, first, second):
        return {} if metric == peers.PASS else {"scikit-learn": peers.scikit_learn(metric, first, second)}

    compare(peers.differences(values), "situation,metric,package,cases,difference", load_study("peers/differences"), 4,
            abs=1e-4)  # fmt: skip


def test_sampled_negatives():
    """One draw, up to 2e-4."""
    found = study.call(sampled.estimates, (sampled.SYSTEMS[0], 3))
    compare(found, sampled.HEADER, load_study("sampled_negatives/estimates"), 5, abs=2e-4)


def test_shapes():
    """All samples of one truth: coverage up to two of them, the rest up to .003."""
    found = shapes.rows("label noise .07, 20")
    compare(found, shapes.HEADER, study.read(shapes.HERE / "after.csv"), 5, abs=0.021)


@pytest.mark.parametrize("method", [suite.DEFAULT, "log-linear"])
def test_suite(method):
    """Predictions and intervals of two draws, up to the steps in which they are stored and a solver's last digits."""
    task = next(task for task in tasks("han") if task.k1 == 100)
    for part, of in (("predictions", suite.predictions), ("intervals", suite.intervals)):
        stored = scoring.read(suite.HERE / f"{part}.npz")[scoring.key(method, task)]
        two = stored[:2] if part == "predictions" else stored[:, :2]
        np.testing.assert_allclose(of(method, task, 2), two, atol=3e-5)


def test_table1():
    """All replicates of one noise level, up to 1e-4."""
    method, k1, noise = "probit-normal", 500, 0.05
    replicates = range(table1.usual_replicates("default", k1, method, noise))
    errors = np.array([study.call(table1.one, (method, k1, noise, replicate)) for replicate in replicates])
    stored = load_study("table1/levels_default")
    compare(table1.of_level(k1, method, noise, errors), table1.LEVEL_HEADER, stored, 6, abs=1e-4)


def test_telugu(monkeypatch):
    """Accuracy of one classifier with 100 classes, in three of the twenty orders: mean within .05."""
    monkeypatch.setattr(telugu, "SIZES", (100,))
    monkeypatch.setattr(telugu, "METHODS", {})
    found = [study.call(telugu.one, ("nearest centroid", order))[0][3] for order in range(3)]
    rows = [row for row in load_study("telugu/results") if row["classifier"] == "nearest centroid"]
    stored = {row["k2"]: float(row["truth"]) for row in rows}
    assert np.mean(found) == pytest.approx(stored["100"], abs=0.05)


def test_words():
    """One method from the subsets of 100 classes, up to 1e-3."""
    truth = {row["k"]: float(row["accuracy"]) for row in load_study("words/curves") if row["system"] == "tfidf"}
    found = [study.call(words.predict, ("tfidf", 100, "polynomial", subset)) for subset in range(words.SUBSETS)]
    rows = words.summary("tfidf", 100, "polynomial", found, [truth[str(k)] for k in words.TARGETS])
    compare(rows, words.HEADER, load_study("words/results"), 5, abs=1e-3)
