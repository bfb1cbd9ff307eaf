"""What the figures of the first page and of the information compute, against the library."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.information import curve_information_bound, extremal_density
from classex_book.case import words_case
from tests.book.scripts import ROOT, SCRIPT_NAMES
from tests.book.visits import PATIENCE, Visit

N_SETTINGS = 200
COUNTS = [2, 5, 20, 100, 300]
TILT = ("normal", "settings", "algebra", "panels")


@pytest.fixture
def rng():
    return np.random.default_rng(37)


@pytest.fixture
def tilted(in_node):
    """Tilted densities."""
    scripts = [f"explorer/{name}.js" for name in TILT]
    return in_node(*scripts, "moving/ceiling_numbers.js", "moving/accuracies_numbers.js")


@pytest.fixture
def first_page(in_node):
    """The drawn curve and the running case."""
    scripts = [f"explorer/{name}.js" for name in (*SCRIPT_NAMES, "examples")]
    return in_node(*scripts, "moving/falling.js", "moving/draw_numbers.js")


def test_a_point_that_is_moved_takes_others_along(first_page):
    moved = "(i, value) => classexMoving.pushed([0.9, 0.7, 0.5, 0.3], i, value)"
    for place, value, expected in ((1, 0.2, [0.9, 0.2, 0.2, 0.2]), (2, 0.8, [0.9, 0.8, 0.8, 0.3])):
        assert first_page.evaluate(f"() => ({moved})({place}, {value})") == expected


def test_the_ceiling_its_density_and_fano(tilted, rng):
    nats = np.concatenate([[0.0, 10.0], rng.uniform(0, 10, N_SETTINGS - 2)])
    k = np.exp(rng.uniform(np.log(2), np.log(10_000), N_SETTINGS)).round()
    rest = [0.9, 0.3, 0.01, 1e-4]
    found = tilted.evaluate(
        """([nats, k, rest]) => nats.map((one, i) => {
            const { accuracy, information, c, logNormaliser } = classexMoving.extremalOf(one, k[i]);
            const q = rest.map((v) => classexMoving.density(v, [c], [k[i]], logNormaliser));
            const fano = [classexMoving.fanoCeiling(one, k[i]), classexMoving.fano(accuracy, k[i])];
            return [accuracy, information, ...fano, ...q];
        })""",
        [nats.tolist(), k.tolist(), rest],
    )
    accuracy, information, allowed, fano, *densities = np.array(found).T
    ceiling = cx.accuracy_ceiling(nats, k)
    np.testing.assert_allclose(accuracy, ceiling, rtol=0, atol=1e-10)
    np.testing.assert_allclose(information, nats, rtol=0, atol=1e-10)
    np.testing.assert_allclose(fano, cx.fano_bound(ceiling, k), rtol=0, atol=1e-8)
    np.testing.assert_allclose(cx.fano_bound(allowed, k), np.minimum(nats, np.log(k)), rtol=0, atol=1e-10)
    for v, density in zip(rest, densities, strict=True):
        np.testing.assert_allclose(density, extremal_density(1 - v, nats, k), rtol=1e-8, atol=1e-300)


def test_the_bound_from_several_accuracies(tilted, rng):
    of_models = [cx.identification_accuracy(nats, COUNTS) for nats in rng.uniform(0.2, 6, N_SETTINGS // 2)]
    settings = [row * rng.uniform(0.8, 1, 5) for row in of_models] + list(rng.uniform(0, 0.99, (N_SETTINGS // 2, 5)))
    found = tilted.evaluate(
        """([rows, sizes]) => rows.map((row) => {
            const { information, alone, multipliers, logNormaliser } = classexMoving.curveBound(row, sizes);
            const density = classexMoving.density(0.3, multipliers, sizes, logNormaliser);
            return { information, alone, density, multipliers };
        })""",
        [[row.tolist() for row in settings], COUNTS],
    )
    for one, accuracy in zip(found, settings, strict=True):
        expected = curve_information_bound(accuracy, COUNTS)
        assert one["information"] == pytest.approx(expected.information, abs=1e-7)
        np.testing.assert_allclose(one["alone"], expected.information_by_class_count, rtol=0, atol=1e-7)
        # the solver of the library stops at its own tolerance
        assert one["density"] == pytest.approx(expected.density([0.7])[0], rel=1e-3)
        assert min(one["multipliers"]) >= 0


def test_the_prediction_of_the_first_page(first_page):
    from classex_sphinx.front import words_miss

    case = words_case()
    far = case.n_classes[case.n_classes >= case.ranks.n_classes]
    miss, found = first_page.evaluate(
        """() => {
            const { text, nClasses, truth } = classexExplorer.examples.words;
            const wins = text.split("\\n").slice(1).map(Number);
            const ranks = classexExplorer.complete(
                { wins, ties: wins.map(() => 0), labels: wins.map((_, i) => i), nClasses, distractors: null });
            const fit = classexExplorer.fitProcess(ranks);
            const points = classexExplorer.predict(fit, truth.map(([k]) => k));
            const [sizes, measured] = [0, 1].map((i) => truth.map((one) => one[i]));
            const miss = classexMoving.meanDistance(points.map(({ value }) => value), measured, sizes);
            return [miss, points.map(({ value, low, high }) => [value, low, high])];
        }"""
    )
    assert miss == pytest.approx(words_miss(), abs=1e-4)  # the measured curve is stored with fewer digits
    ranks = cx.CorrectRanks(case.ranks.wins, case.ranks.ties, case.ranks.labels, case.ranks.n_classes)
    result = cx.extrapolate(ranks, n_classes=far)
    np.testing.assert_allclose(found, np.column_stack([result.accuracy, result.interval]), rtol=0, atol=1e-6)


def test_a_drawn_curve_and_its_distance(first_page, rng):
    knots = [500, 1_000, 2_000, 4_096, 8_192, 16_384, 32_923]
    sizes = np.unique(np.geomspace(500, 32_923, 30).round())
    drawn = np.sort(rng.random((N_SETTINGS, len(knots))))[:, ::-1]
    found = first_page.evaluate(
        """([knots, rows, sizes]) => rows.map((row) => {
            const curve = classexMoving.drawnCurve(knots, row, sizes);
            return [curve, classexMoving.meanDistance(curve, sizes.map(() => 0.4), sizes)];
        })""",
        [knots, drawn.tolist(), sizes.tolist()],
    )
    x = np.log(sizes)
    for (curve, distance), row in zip(found, drawn, strict=True):
        np.testing.assert_allclose(curve, np.interp(x, np.log(knots), row), atol=1e-12)
        assert distance == pytest.approx(np.trapezoid(np.abs(np.array(curve) - 0.4), x) / (x[-1] - x[0]), abs=1e-12)


def test_the_static_figure_of_the_first_page_is_drawn_for_both_themes():
    from classex_sphinx.front import words_figure

    pictures = words_figure().pictures
    assert [(one.theme, one.layout) for one in pictures] == [("light", "any"), ("dark", "any")]
    shape = f"width: {pictures[0].width:.0f}px; aspect-ratio: {pictures[0].width:.0f} / {pictures[0].height:.0f};"
    assert (ROOT / "book" / "intro.md").read_text(encoding="utf-8").count(shape) == 2


@pytest.mark.browser
@pytest.mark.parametrize(
    ("page", "name", "state", "expected"),
    [
        ("04a_ceiling", "ceiling", {"nats": 3.3, "k": 500}, lambda: [cx.accuracy_ceiling(3.3, 500)]),
        (
            "04b_curve",
            "accuracies",
            {"value": [0.9, 0.85, 0.4, 0.3, 0.2]},
            lambda: [curve_information_bound([0.9, 0.85, 0.4, 0.3, 0.2], COUNTS).information],
        ),
    ],
)
def test_the_page_says_the_library_s_numbers(browser, book, page, name, state, expected):
    visit = Visit(browser, book / f"notebooks/{page}.html")
    visit.page.wait_for_function(f"window.classexMoving?.mounted.{name}", timeout=PATIENCE)
    visit.page.evaluate(f"(state) => classexMoving.mounted.{name}.set(state)", state)
    said = visit.page.inner_text(f"[data-figure={name}] .classex-says")
    for value in expected():
        assert f"{value:.3f}" in said
    visit.page.close()
    assert visit.complaints == []
