"""The explorer's numbers, computed by its scripts in a browser, against the library."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.models import BivariateNormal, GaussianClasses
from tests.book.scripts import ROOT, SCRIPT_NAMES, SCRIPTS, with_scripts

pytestmark = [
    pytest.mark.browser,
    # some cases are below chance, or no such law, on purpose
    pytest.mark.filterwarnings("ignore:the correct label beats only:UserWarning"),
    pytest.mark.filterwarnings("ignore::classex.exceptions.LackOfFitWarning"),
]

SIZES = [2, 3, 10, 100, 1_000, 10**5, 10**7, 10**9]
GRID = [1e-12, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999, 1 - 1e-9]
WORLD = GaussianClasses(n_features=10, noise=0.2)


@pytest.fixture(scope="module")
def page(browser):
    """An empty page with the scripts that compute."""
    blank = with_scripts(browser)
    yield blank
    blank.close()


def law_in_browser(page, call, parameters):
    """Accuracies at SIZES and D at GRID, for every set of parameters."""
    code = f"""([rows, sizes, grid]) => rows.map((row) => {{
        const law = classexExplorer.{call}(...row);
        return [law.accuracy(sizes), law.discriminability(grid)];
    }})"""
    return [tuple(map(np.array, pair)) for pair in page.evaluate(code, [parameters, SIZES, GRID])]


def fit_in_browser(page, ranks, nu):
    """Fit and predictions (value, low, high) at SIZES, from the expression that makes the ranks."""
    code = f"""([data, nu, sizes]) => {{
        const found = classexExplorer.fitProbitNormal({ranks}, nu);
        const points = classexExplorer.predict(found, sizes).map(({{value, low, high}}) => [value, low, high]);
        return {{fit: {{mu: found.mu, nu: found.nu, logLikelihood: found.logLikelihood}}, points}};
    }}"""
    return lambda data: page.evaluate(code, [data, nu, SIZES])


def test_information_curve(page):
    parameters = [(nats,) for nats in (0, 0.001, 0.5, 1, 2, 8, 20, 50)]
    for (nats,), (accuracy, share) in zip(parameters, law_in_browser(page, "information", parameters), strict=True):
        np.testing.assert_allclose(accuracy, cx.identification_accuracy(nats, SIZES), rtol=1e-9)
        np.testing.assert_allclose(share, special.ndtr(special.ndtri(GRID) - np.sqrt(2 * nats)), rtol=1e-9, atol=1e-300)


def unequal_classes():
    """30 points of 20 classes, one class with 8 of them; scores rounded so that many tie."""
    labels = np.r_[np.arange(20), np.zeros(7, dtype=int), 3, 3, 5]
    scores = np.random.default_rng(3).normal(size=(30, 20))
    scores[np.arange(30), labels] += 1.5
    return np.round(scores, 1), labels


SMALL = WORLD.sample(40, n_repeats=2, rng=0)
LARGE = WORLD.sample(600, rng=2)
WORLD_SCORES = WORLD.sample(100, rng=4)
CASES = {
    "plain": (SMALL.scores, SMALL.labels),
    "ties": (np.round(SMALL.scores), SMALL.labels),
    "unequal classes": unequal_classes(),
    "all right": (np.eye(12), np.arange(12)),
    "all wrong": (-np.eye(12), np.arange(12)),
    "all tied": (np.zeros((9, 9)), np.arange(9)),
    "four classes": (np.array([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]]), np.arange(4)),
    "two classes": (np.array([[1, 0], [0, 1], [1, 0]]), np.array([0, 1, 1])),
    "lumped wins": (LARGE.scores, LARGE.labels),
}


def check_fit(found, estimator):
    """Six digits after the point, and five of the intervals, whose slopes the package integrates with fewer nodes."""
    points = np.array(found["points"])
    assert found["fit"]["mu"] == pytest.approx(estimator.distribution_.mu, abs=1e-6)
    assert found["fit"]["nu"] == pytest.approx(estimator.distribution_.nu, abs=1e-6)
    np.testing.assert_allclose(points[:, 0], estimator.predict(SIZES), rtol=0, atol=5e-7)
    np.testing.assert_allclose(points[:, 1:], estimator.predict_interval(SIZES), rtol=0, atol=2e-6)
    assert found["fit"]["logLikelihood"] == pytest.approx(estimator.distribution_.log_likelihood, abs=1e-6)


@pytest.mark.parametrize("nu", [None, 1.0])
@pytest.mark.parametrize("case", CASES)
def test_fit_to_pasted_scores(page, case, nu):
    scores, labels = CASES[case]
    text = "\n".join(
        ",".join(map(repr, [int(label), *row])) for label, row in zip(labels, scores.tolist(), strict=True)
    )
    header = ",".join(["label", *(f"class {c}" for c in range(scores.shape[1]))])
    found = fit_in_browser(page, "classexExplorer.parseScores(data)", nu)(f"{header}\n{text}\n".replace("class ", "c"))
    check_fit(found, cx.Extrapolator(cx.methods.ProbitNormal(nu=nu)).fit(scores, labels))


@pytest.mark.parametrize("kind", ["wins", "rank"])
def test_fit_to_pasted_ranks(page, kind):
    for scores, labels in (CASES["ties"], CASES["unequal classes"], CASES["lumped wins"]):
        full = cx.correct_ranks(scores, labels)
        ranks = cx.CorrectRanks(full.wins, full.ties, full.labels, full.n_classes)
        value = ranks.wins if kind == "wins" else ranks.n_classes - ranks.wins - ranks.ties
        rows = [f"label {kind} ties", *(f"{a} {b} {c}" for a, b, c in zip(labels, value, ranks.ties, strict=True))]
        parse = f"classexExplorer.parseRanks(data, '{kind}', {ranks.n_classes})"
        check_fit(
            fit_in_browser(page, parse, None)("\n".join(rows)),
            cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(ranks),
        )


@pytest.mark.parametrize("count", [3, 4, 5, 8, 11])
def test_without_labels_every_point_is_a_class_of_its_own(page, count):
    wins = [3, 3, 1, 2, 0, 3, 3, 2, 2, 3, 1][:count]
    text = " ".join(map(str, wins))
    found = fit_in_browser(page, "classexExplorer.parseRanks(data, 'wins', 4)", None)(text)
    check_fit(found, cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(cx.ranks_from_wins(wins, 4)))


def test_more_points_than_classes_and_fewer_in_a_larger_test(page):
    for count, classes in ((30, 100), (250, 100), (700, 60)):
        full = cx.correct_ranks(WORLD_SCORES.scores[:, :classes][:classes], np.arange(classes))
        wins = np.resize(full.wins, count)
        parse = f"classexExplorer.parseRanks(data, 'wins', {classes})"
        found = fit_in_browser(page, parse, None)("\n".join(map(str, wins)))
        check_fit(found, cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(cx.ranks_from_wins(wins, classes)))


def sharp(correlation, n_classes, seed):
    """Ranks of a bivariate normal, three points a class."""
    sample = BivariateNormal(correlation).sample(n_classes, n_repeats=3, rng=seed)
    return cx.correct_ranks(sample.scores, sample.labels)


def wins_of_two_kinds(count, n_classes, perfect=0.6):
    """So large a share of the points perfect, the others at chance."""
    rng = np.random.default_rng(0)
    wins = np.where(rng.random(count) < perfect, n_classes - 1, rng.integers(0, n_classes, count))
    return cx.ranks_from_wins(wins, n_classes)


RANKS = {
    "correlation .9": sharp(0.9, 60, 1),
    "correlation .99": sharp(0.99, 100, 1),
    "correlation .999": sharp(0.999, 200, 1),
    "two kinds of points": wins_of_two_kinds(400, 200),
    "more points than classes": wins_of_two_kinds(900, 60),
    # a law so wide that the likelihood breaks off within it
    "perfect or at chance": wins_of_two_kinds(274, 264, 0.84),
    "nine of sixteen": cx.ranks_from_wins([3] * 9 + [2, 2, 1, 2, 0, 2, 1], 4),  # 0.5625 is rounded to 0.562
    "six points": cx.ranks_from_wins([9, 9, 5, 9, 9, 9], 10, labels=[2, 5, 2, 6, 0, 4]),
    "hardly a loss": cx.ranks_from_wins(np.repeat([121, 120, 119, 118], [691, 167, 29, 8]), 122),
    "a million classes": cx.ranks_from_wins(10**6 - np.geomspace(1, 10**6, 397).astype(int), 10**6),
}


def as_pasted(case):
    """Ranks, and the expression that makes them in the browser from data."""
    if case in CASES:
        scores, labels = CASES[case]
        data = {"scores": np.asarray(scores, dtype=float).tolist(), "labels": np.asarray(labels).tolist()}
        return cx.correct_ranks(scores, labels), "classexExplorer.ranksOfScores(data.scores, data.labels)", data
    full = RANKS[case]
    ranks = cx.CorrectRanks(full.wins, full.ties, full.labels, full.n_classes, None, None, full.class_balanced)
    data = {"wins": ranks.wins.tolist(), "ties": ranks.ties.tolist(), "labels": ranks.labels.tolist()}
    given = f"{{...data, nClasses: {ranks.n_classes}, distractors: null}}"
    return ranks, f"classexExplorer.complete({given}, {str(ranks.class_balanced).lower()})", data


@pytest.mark.parametrize(
    ("case", "nu"),
    [
        ("two kinds of points", 0.3),
        ("more points than classes", 2.0),
        ("unequal classes", 0.1),
        ("correlation .99", 1.0),
    ],
)
def test_a_law_that_the_data_refute(page, case, nu):
    """Its interval reaches as far as that of the law with both parameters fitted, at the upper or the lower end."""
    ranks, made, data = as_pasted(case)
    estimator = cx.Extrapolator(cx.methods.ProbitNormal(nu=nu)).fit_ranks(ranks)
    assert estimator.lack_of_fit_.refuted
    check_fit(fit_in_browser(page, made, nu)(data), estimator)


@pytest.mark.parametrize("case", [*CASES, *RANKS])
def test_the_default_is_that_of_the_library(page, case):
    ranks, made, data = as_pasted(case)
    result = cx.extrapolate(ranks, n_classes=SIZES)
    found = page.evaluate(
        f"""([data, sizes, grid]) => {{
            const ranks = {made};
            const fit = classexExplorer.fitProcess(ranks);
            const points = classexExplorer.predict(fit, sizes).map(({{value, low, high}}) => [value, low, high]);
            const again = classexExplorer.nodesLaw(fit.nodes, fit.weight);
            return {{
                points, share: fit.discriminability(grid), again: again.accuracy(sizes),
                told: classexExplorer.reliance(fit, ranks, sizes[sizes.length - 1]),
                near: classexExplorer.reliance(fit, ranks, 2),
            }};
        }}""",
        [data, SIZES, GRID],
    )
    points = np.array(found["points"])
    np.testing.assert_allclose(points[:, 0], result.accuracy, rtol=0, atol=5e-7)
    np.testing.assert_allclose(points[:, 1:], result.interval, rtol=0, atol=1e-6)
    plain = result.estimator.distribution_.accuracy(
        np.array(SIZES, dtype=float)
    )  # below chance where few classes say so
    np.testing.assert_allclose(found["again"], plain, rtol=0, atol=5e-7)
    np.testing.assert_allclose(found["share"], result.estimator.distribution_.cdf(np.array(GRID)), rtol=0, atol=1e-5)
    assert found["told"] == str(result.reliance)
    assert "no assumption is needed" in found["near"]


def test_restated_limits(page):
    """One report: short and long lists, few and many classes, and accuracies at and near both ends."""
    rng = np.random.default_rng(0)
    classes = np.maximum(np.exp(rng.uniform(np.log(2), np.log(1e4), (400, 2))).astype(int), 2)
    tops = [[rng.integers(1, min(k, 20)) for k in pair] for pair in classes]
    settings = [(n, m, k, best) for (n, k), (m, best) in zip(classes.tolist(), np.array(tops).tolist(), strict=True)]
    settings += [(2, 1, 1_000, 1), (1_000, 500, 1_000, 10), (10, 9, 10, 1), (10**9, 1, 2, 1), (10, 1, 10**9, 1_000)]
    accuracy = np.array([0, 1e-4, 0.161, 0.5, 0.62, 0.9999, 1])
    page.add_script_tag(path=SCRIPTS / "restate.js")
    found = page.evaluate(
        """([rows, accuracy]) => rows.map(([n, m, k, best]) => {
            const { least, largest } = classexExplorer.restated([n, m], [k, best]);
            return accuracy.map((a) => [least(a), largest(a)]);
        })""",
        [settings, accuracy.tolist()],
    )
    for limits, (n, m, k, best) in zip(found, settings, strict=True):
        expected = cx.distributions.restated_limits(accuracy, n, k, top_observed=m, top=best)
        np.testing.assert_allclose(limits, expected, rtol=0, atol=5e-7, err_msg=f"top {m} of {n} to top {best} of {k}")


def test_the_constants_are_the_library_s():
    import runpy

    script = runpy.run_path(str(ROOT / "scripts" / "explorer_settings.py"))
    assert (SCRIPTS / "settings.js").read_text(encoding="utf-8") == script["as_script"](script["settings"]())


def test_one_tested_class_is_too_few_for_the_default(page):
    read = "classexExplorer.fitProcess(classexExplorer.parseRanks('3', 'wins', 4))"
    said = page.evaluate(f"() => {{ try {{ {read}; }} catch (error) {{ return error.message; }} }}")
    assert said == "The default needs test points of two classes or more."
    with pytest.raises(ValueError, match="test points of at least 2 classes"):
        cx.extrapolate(cx.ranks_from_wins([3], 4), n_classes=10)


def test_the_examples_are_what_the_library_gives():
    import runpy

    script = runpy.run_path(str(ROOT / "scripts" / "explorer_examples.py"))
    stored = (SCRIPTS / "examples.js").read_text(encoding="utf-8")
    assert stored == script["as_script"](script["examples"]())


def test_the_page_names_scripts_that_exist():
    text = (ROOT / "book" / "explorer.md").read_text(encoding="utf-8")
    then = re.search(r'box\.js" data-then="([^"]*)"', text)[1].split()
    assert then[-1] == "page"
    assert all((SCRIPTS / f"{script}.js").is_file() for script in (*SCRIPT_NAMES, *then))
