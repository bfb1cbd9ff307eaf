"""The explorer page as a reader uses it, in a browser: its numbers, its keys, its files, its width."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.methods import probit_normal_accuracy
from tests.book.visits import PATIENCE, PHONE, Visit, contrast, darken

pytestmark = pytest.mark.browser


def read(text: str) -> float:
    """A number as the page writes it, 7.9·10⁻¹⁵ where it is small."""
    return float(text.replace("·10", "e").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))


class Explorer:
    """The explorer page as a reader uses it."""

    def __init__(self, browser, book) -> None:
        self.visit = Visit(browser, book / "book" / "explorer.html")
        self.page = self.visit.page

    def drawn(self) -> None:
        """Wait until what was asked for is drawn: nothing moves, and four frames in a row leave the charts alone."""
        self.page.evaluate(
            """async () => {
                const charts = () => [...document.querySelectorAll("#explorer-app svg")];
                let before = charts();
                for (let still = 0; still < 4;) {
                    await new Promise(requestAnimationFrame);
                    const now = charts();
                    const moving = document.getAnimations().some((one) => one.playState === "running");
                    still = !moving && now.every((chart, i) => chart === before[i]) ? still + 1 : 0;
                    before = now;
                }
            }"""
        )
        self.page.wait_for_selector("#explorer-values:not([aria-busy])", state="attached", timeout=PATIENCE)

    def settled(self, patience: int = PATIENCE) -> None:
        """Wait for the worker, and for the page."""
        self.page.wait_for_selector("#explorer-busy", state="hidden", timeout=patience)
        self.drawn()

    def choose(self, option: str) -> None:
        """Check a law, and wait for its controls."""
        self.page.check(f"input[value={option}]")
        self.settled()

    def values(self) -> dict[int, list[float]]:
        """The table: number of classes to the numbers beside it."""
        self.drawn()
        rows = self.page.evaluate(
            """() => [...document.querySelectorAll('#explorer-values tr')]
                .map((row) => [...row.cells].map((cell) => cell.textContent))"""
        )
        return {int(row[0].replace(",", "")): [read(x) for x in " to ".join(row[1:]).split(" to ")] for row in rows}


@pytest.fixture
def explorer(browser, book):
    opened = Explorer(browser, book)
    opened.settled()  # the opening example is fitted
    yield opened
    opened.page.close()
    assert opened.visit.complaints == []


def test_explorer_shows_the_library_s_numbers(explorer):
    explorer.choose("probit")
    sizes = list(explorer.values())
    assert max(sizes) == 10**9
    explorer.page.fill("#explorer-mu", "3.25")
    explorer.page.fill("#explorer-nu", "0.6")
    found = np.array(list(explorer.values().values()))[:, 0]
    np.testing.assert_allclose(found, probit_normal_accuracy(3.25, 0.6, sizes), rtol=6e-6)
    explorer.choose("information")
    explorer.page.fill("#explorer-nats", "7.5")
    found = np.array(list(explorer.values().values()))[:, 0]
    np.testing.assert_allclose(found, cx.identification_accuracy(7.5, sizes), rtol=6e-6)
    explorer.choose("toy")
    explorer.page.fill("#explorer-rho", "0.99")
    found = np.array(list(explorer.values().values()))[:, 0]
    np.testing.assert_allclose(found, cx.models.BivariateNormal(0.99).average_accuracy(sizes), rtol=6e-6)


def test_explorer_obeys_the_keyboard(explorer):
    explorer.choose("probit")
    explorer.page.focus("#explorer-mu-slider")
    for _ in range(10):
        explorer.page.keyboard.press("ArrowRight")
    explorer.page.wait_for_function(
        "Math.abs(document.querySelector('#explorer-mu').value - 2.1) < 1e-6", timeout=PATIENCE
    )
    assert explorer.values()[2][0] == pytest.approx(special.ndtr(2.1 / np.sqrt(2)), abs=6e-7)
    explorer.page.focus("input[value=probit]")
    explorer.page.keyboard.press("ArrowRight")
    explorer.page.wait_for_selector("#explorer-nats", state="visible", timeout=PATIENCE)
    unreachable = explorer.page.evaluate(
        "() => [...document.querySelectorAll('#explorer-app :is(input, select, textarea, button)')]"
        ".filter((e) => e.tabIndex < 0).length"
    )
    unnamed = explorer.page.evaluate(
        "() => [...document.querySelectorAll('#explorer-app :is(input, select, textarea)')]"
        ".filter((e) => !e.labels.length && !e.ariaLabel).map((e) => e.id)"
    )
    assert (unreachable, unnamed) == (0, [])


@pytest.mark.parametrize("name", ["wins", "scores"])
def test_explorer_fits_its_examples(explorer, name):
    explorer.choose("data")
    explorer.page.click(f"[data-example={name}]")
    explorer.settled()
    text = explorer.page.input_value("#explorer-data")
    if name == "wins":
        labels, wins = np.array([line.split(",") for line in text.split("\n")[1:]], dtype=int).T
        ranks = cx.ranks_from_wins(wins, 100, labels=labels)
    else:
        rows = np.array([line.split(",") for line in text.split("\n")[1:]], dtype=float)
        ranks = cx.correct_ranks(rows[:, 1:], rows[:, 0].astype(int))
    for choice, estimator in (("process", cx.Extrapolator()), ("two", cx.Extrapolator(cx.methods.ProbitNormal()))):
        explorer.choose(choice)
        table = explorer.values()
        fit = estimator.fit_ranks(ranks)
        expected = np.column_stack([fit.predict(list(table)), fit.predict_interval(list(table))])
        # three digits beside an interval; test_explorer compares the rest
        np.testing.assert_allclose(np.array(list(table.values())), expected, rtol=5.1e-3, atol=1e-9)
    assert explorer.page.locator("#explorer-accuracy .band").count() == 1
    assert explorer.page.locator("#explorer-accuracy .dot").count() > 5


def test_explorer_opens_on_its_example_with_one_sentence(explorer):
    explorer.settled()
    said = explorer.page.inner_text("#explorer-sentence")
    text = explorer.page.input_value("#explorer-data")
    labels, wins = np.array([line.split(",") for line in text.split("\n")[1:]], dtype=int).T
    ranks = cx.ranks_from_wins(wins, 100, labels=labels)
    result = cx.extrapolate(ranks, n_classes=10_000)
    low, high = result.interval[0]
    numbers = [float(number) for number in re.findall(r"([\d.]+)[ \u00a0]%(?! interval)", said)]
    expected = [cx.accuracy_curve(ranks, [100]).accuracy[0], result.accuracy[0], low, high]
    np.testing.assert_allclose(numbers, 100 * np.array(expected), rtol=5.1e-3)
    assert "Among 10,000 such classes" in said
    assert explorer.page.inner_text("#explorer-rests").startswith(str(result.reliance))


def test_explorer_takes_a_million_ranks_without_freezing(explorer):
    explorer.settled()
    explorer.page.evaluate(
        """() => {
            const wins = Array.from({length: 1e6}, (_, i) => 999 - (i * 7919 % 13 === 0 ? i % 200 : 0));
            document.getElementById("explorer-kind").value = "wins";
            document.getElementById("explorer-count").value = 1000;
            document.getElementById("explorer-data").value = wins.join(" ");
        }"""
    )
    explorer.drawn()  # the browser lays out four megabytes of text
    explorer.page.evaluate(
        """() => {
            window.beats = 0;
            const busy = document.getElementById("explorer-busy");
            window.pulse = setInterval(() => { window.beats += busy.hidden ? 0 : 1; }, 20);
            document.getElementById("explorer-fit").click();
        }"""
    )
    explorer.settled(120_000)
    assert "1,000,000 test points, 1,000 classes" in explorer.page.inner_text("#explorer-summary")
    # the page went on while it was fitted: a fit in the page's own thread leaves no time for a single beat
    assert explorer.page.evaluate("() => { clearInterval(window.pulse); return window.beats; }") > 0


def test_explorer_shares_its_state_by_the_address(explorer, browser):
    explorer.choose("information")
    explorer.page.fill("#explorer-nats", "7.5")
    explorer.page.fill("#explorer-sizes", "3, 30")
    expected = explorer.values()
    explorer.page.click("#explorer-share")
    other = browser.new_page()
    other.goto(explorer.page.url)
    other.wait_for_selector("#explorer-values tr")
    assert other.is_checked("input[value=information]")
    cells = other.evaluate(
        "() => [...document.querySelectorAll('#explorer-values td')].map((c) => Number(c.textContent))"
    )
    assert cells == [row[0] for row in expected.values()]
    other.close()


def test_explorer_saves_table_and_chart(explorer):
    explorer.settled()
    expected = explorer.values()
    with explorer.page.expect_download() as saved:
        explorer.page.click("#explorer-save-csv")
    lines = Path(saved.value.path()).read_text().strip().split("\n")
    assert lines[0] == "classes,accuracy,low,high"
    table = {int(float(line.split(",")[0])): [float(x) for x in line.split(",")[1:]] for line in lines[1:]}
    assert table.keys() > expected.keys()
    assert len(table) > 100
    np.testing.assert_allclose([table[size] for size in expected], list(expected.values()), rtol=5.1e-3)
    falling = np.array(list(table.values()))
    assert (np.diff(falling, axis=0) <= 1e-12).all()
    with explorer.page.expect_download() as saved:
        explorer.page.click("#explorer-save-svg")
    picture = Path(saved.value.path()).read_text()
    assert picture.startswith("<svg")
    assert "number of classes K" in picture


def test_explorer_says_what_is_wrong(explorer):
    """Nothing of what was shown before stays."""
    explorer.choose("data")
    explorer.page.click("[data-example=wins]")
    explorer.settled()
    assert explorer.values()
    explorer.page.fill("#explorer-data", "1 2 199")
    shown = (
        "() => ['sentence', 'ledger', 'rests'].map((name) => document.getElementById(`explorer-${name}`).textContent)"
    )
    assert explorer.page.evaluate(shown) == ["", "", ""]
    explorer.page.click("#explorer-fit")
    explorer.settled()
    assert explorer.page.input_value("#explorer-count") == ""  # the example's 100 classes are not those of the paste
    assert explorer.page.evaluate(shown) == ["", "3 numbers of wins.", ""]
    explorer.page.fill("#explorer-count", "100")
    explorer.page.keyboard.press("Enter")
    explorer.page.wait_for_selector("#explorer-message:not(:empty)", timeout=PATIENCE)
    assert "Line 1, column 3: wins must be a whole number" in explorer.page.inner_text("#explorer-message")
    assert explorer.page.evaluate(shown) == ["", "", ""]
    assert explorer.values() == {}
    explorer.page.fill("#explorer-count", "200")
    explorer.page.keyboard.press("Enter")
    explorer.page.wait_for_selector("#explorer-sentence:not(:empty)", timeout=PATIENCE)
    assert explorer.page.inner_text("#explorer-sentence").startswith("Tested on 200 classes")
    explorer.page.fill("#explorer-sizes", "10, many")
    explorer.drawn()
    assert "whole numbers" in explorer.page.inner_text("#explorer-sizes-message")


def test_explorer_draws_a_packed_file_in_place_of_the_example(explorer, tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(60, 20)).round(6) + 2 * np.eye(20)[np.arange(60) % 20]
    rows = "".join(f"c{i % 20},{','.join(map(str, row))}\n" for i, row in enumerate(scores.tolist()))
    text = "label," + ",".join(f"c{c}" for c in range(20)) + "\n" + rows
    (tmp_path / "scores.csv.gz").write_bytes(gzip.compress(text.encode()))
    explorer.page.fill("#explorer-wanted", "700")
    explorer.page.set_input_files("#explorer-file", str(tmp_path / "scores.csv.gz"))
    explorer.page.wait_for_selector("#explorer-sentence:not(:empty)", timeout=PATIENCE)
    assert explorer.page.inner_text("#explorer-ledger") == "scores.csv.gz: 60 test points, 20 classes."
    table = explorer.values()
    result = cx.extrapolate(scores, np.arange(60) % 20, n_classes=list(table))
    np.testing.assert_allclose(np.array(list(table.values()))[:, 0], result.accuracy, rtol=5.1e-3, atol=1e-9)
    assert "Among 700 such classes" in explorer.page.inner_text("#explorer-sentence")
    assert explorer.page.input_value("#explorer-data") == ""
    assert explorer.page.locator("#explorer-accuracy .band").count() == 1


def test_explorer_restates_a_published_number(explorer):
    page = explorer.page
    filled = {"among": "50", "reported": "62 %", "error": "0,03", "wanted-top": "5", "wanted-among": "200"}
    for name, text in filled.items():
        page.fill(f"#explorer-{name}", text)
    z = special.ndtri(0.975)
    ends = cx.distributions.restated_limits([0.62 - z * 0.03, 0.62 + z * 0.03], 50, 200, top=5)
    said = page.inner_text("#explorer-restated")
    assert said.startswith("If the top-1 accuracy with 50 classes is 62 % ± 0,03, the top-5 accuracy with 200 classes ")
    assert f"between {ends[0, 0]:.3f} and {ends[1, 1]:.3f} (95\N{NO-BREAK SPACE}% confidence)" in said
    assert page.locator("#explorer-hull .band").count() == 1
    page.click("#explorer-share")
    assert "wanted-among=200" in page.url
    page.fill("#explorer-wanted-top", "200")
    assert "below the number of classes" in page.inner_text("#explorer-restated-message")
    page.fill("#explorer-wanted-top", "5")
    page.fill("#explorer-reported", "62")
    assert "16.1 %, not “62”" in page.inner_text("#explorer-restated-message")
    page.fill("#explorer-reported", "")
    assert "not “nothing”" in page.inner_text("#explorer-restated-message")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_explorer_is_drawn_for_its_width_and_legible(explorer, scheme):
    darken(explorer.page, scheme)
    explorer.choose("data")
    explorer.page.click("[data-example=wins]")
    explorer.settled()
    for width in (PHONE, 1200):
        explorer.page.set_viewport_size({"width": width, "height": 900})
        explorer.page.wait_for_function(f"window.innerWidth === {width}", timeout=PATIENCE)
        explorer.drawn()
        assert explorer.page.evaluate("document.documentElement.scrollWidth") <= width
        charts = [explorer.page.locator(f"#explorer-{name} svg") for name in ("accuracy", "discriminability")]
        left, right = (chart.bounding_box() for chart in charts)
        assert (right["y"] >= left["y"] + left["height"]) == (width == PHONE)
        colour = explorer.page.evaluate("getComputedStyle(document.body).backgroundColor")
        ground = tuple(int(part) for part in re.findall(r"\d+", colour)[:3])
        for chart in charts:
            assert np.quantile(contrast(chart.screenshot(), ground), 0.99) > 4.5
