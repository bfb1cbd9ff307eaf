"""What the figures of the first page and of the information compute, against the library."""

from __future__ import annotations

import re

import numpy as np
import pytest

import classex as cx
from classex.information import curve_information_bound, extremal_density
from classex_book.case import words_case
from tests.book.scripts import ROOT, SCRIPT_NAMES, STATIC
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


@pytest.mark.parametrize("k", [2, 5, 10, 20, 50, 100, 200, 300, 10_000])
def test_the_search_ends_at_every_place_of_the_sliders(tilted, k):
    nats, accuracy = np.arange(1001) / 100, np.arange(199) / 200
    ceilings, bounds = tilted.evaluate(
        """([k, nats, accuracy]) => [
            nats.map((one) => classexMoving.extremalOf(one, k).accuracy),
            accuracy.map((one) => classexMoving.extremalAt(one, k).information),
        ]""",
        [k, nats.tolist(), accuracy.tolist()],
    )
    np.testing.assert_allclose(ceilings, cx.accuracy_ceiling(nats, k), rtol=0, atol=1e-9)
    np.testing.assert_allclose(bounds, cx.information_bound(accuracy, k), rtol=0, atol=1e-9)


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
    # components that weigh less than 1e-5 are left out, and the library counts from quantiles with all observed classes
    np.testing.assert_allclose(found, np.column_stack([result.accuracy, result.interval]), rtol=0, atol=5e-6)


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


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((5, 100), (35, 40), [[0, 90], [1, 70], [2, 50], [2, 40]]),  # passes three, ends within reach of the last
        ((35, 40), (5, 100), [[2, 50], [1, 70], [0, 90], [0, 100]]),
        ((21, 60), (21, 60), [[1, 60]]),  # a tap
        ((50, 10), (60, 20), []),
    ],
)
def test_a_stroke_sets_the_points_that_it_passes(first_page, start, end, expected):
    found = first_page.evaluate(f"() => classexMoving.stroke([10, 20, 30], {list(start)}, {list(end)}, 5)")
    np.testing.assert_allclose(np.reshape(found, (-1, 2)), np.reshape(expected, (-1, 2)))


def test_the_static_figure_of_the_first_page_is_drawn_for_both_themes():
    from classex_sphinx.front import words_figure

    pictures = words_figure().pictures
    assert [(one.theme, one.layout) for one in pictures] == [("light", "any"), ("dark", "any")]
    shape = f"width: {pictures[0].width:.0f}px; aspect-ratio: {pictures[0].width:.0f} / {pictures[0].height:.0f};"
    assert (ROOT / "book" / "intro.md").read_text(encoding="utf-8").count(shape) == 2


def test_pages_load_the_scripts_that_figures_call_in_an_order_that_works():
    for page in (*(ROOT / "notebooks").glob("*.md"), ROOT / "book" / "intro.md"):
        for name, uses in re.findall(
            r"^`{3,}\{moving\} (\w+)\n(?::over: .*\n)?:uses: (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE
        ):
            scripts = ["explorer/normal.js", "explorer/chart.js", "moving/frame.js", *uses.split()]
            explorer = [script.split("/")[1][:-3] for script in scripts if script.startswith("explorer")]
            known = [script for script in (*SCRIPT_NAMES, "examples") if script in explorer]
            assert [script for script in explorer if script != "chart"] == known, page.name
            given = "".join((STATIC / script).read_text(encoding="utf-8") for script in scripts)
            offered = re.findall(r"Object\.assign\([\w.]+, \{(.*?)\}\)", given, re.DOTALL)
            text = (STATIC / f"moving/{name}.js").read_text(encoding="utf-8")
            called = re.findall(r"\b(?:explorer|classexExplorer)\.(\w+)\(", text)
            assert set(called) <= set(re.findall(r"\w+", " ".join(offered))), page.name


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
