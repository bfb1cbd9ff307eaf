"""Every moving figure of the built book as readers use it: mouse, finger, keys, without script, dark pages, paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from tests.book.visits import CONTENTS, PATIENCE, ROOT, Visit, contrast, darken

pytestmark = pytest.mark.browser

DIRECTIVE = re.compile(r"^`{3,}\{moving\} (\w+)\n(?::.*\n)*?:over: (\S+)$", re.MULTILINE)
USES = re.compile(r"^`{3,}\{moving\} (\w+)\n:over: .*\n:uses: (.*)$", re.MULTILINE)
FIGURES = {
    name: (page, over)
    for page in CONTENTS
    if (ROOT / f"{page}.md").is_file()
    for name, over in DIRECTIVE.findall((ROOT / f"{page}.md").read_text(encoding="utf-8"))
}
HEAVIEST = 0.1  # of what the page loads


class Figure:
    """A moving figure on its page."""

    def __init__(self, page: Any, name: str) -> None:
        self.page, self.name = page, name
        page.wait_for_function(f"window.classexMoving?.mounted.{name}", timeout=PATIENCE)
        self.stage = page.locator(f"[data-figure={name}]")
        self.handles = self.stage.locator(".handle")
        self.bring()

    def bring(self) -> None:
        """Scroll to the figure, whose panes are drawn when they have a width."""
        self.page.wait_for_selector(f"[data-figure={self.name}] svg[viewBox]", timeout=PATIENCE)
        self.stage.evaluate("(stage) => stage.scrollIntoView({ block: 'center', behavior: 'instant' })")

    def numbers(self) -> Any:
        """What the figure shows."""
        return self.page.evaluate(f"classexMoving.mounted.{self.name}.numbers()")

    def grip(self, index: int, *, scroll: bool = True) -> tuple[float, float]:
        """The middle of a handle, brought into view."""
        if scroll:
            self.handles.nth(index).evaluate("(node) => node.scrollIntoView({ block: 'center', behavior: 'instant' })")
        box = self.handles.nth(index).locator(".grip").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def value(self, index: int) -> float:
        """The value of a handle, for screen readers."""
        return float(self.handles.nth(index).get_attribute("aria-valuenow"))

    def step(self, index: int) -> tuple[int, int]:
        """Forty pixels along the handle's axis, towards the middle of its range."""
        low, high = (float(self.handles.nth(index).get_attribute(f"aria-value{end}")) for end in ("min", "max"))
        forward = 1 if self.value(index) < (low + high) / 2 else -1
        along_x = self.handles.nth(index).get_attribute("aria-orientation") == "horizontal"
        return (40 * forward, 0) if along_x else (0, -40 * forward)


def path_of(book: Path, name: str) -> Path:
    return book / f"{FIGURES[name][0]}.html"


@pytest.fixture(params=FIGURES)
def name(request):
    return request.param


@pytest.fixture
def figure(browser, book, name):
    """A moving figure on a desk."""
    visit = Visit(browser, path_of(book, name))
    yield Figure(visit.page, name)
    visit.page.close()
    assert visit.complaints == []


@pytest.fixture
def on_its_own(browser):
    """A function that shows a moving figure on an empty page."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})

    def show(name: str, state: dict[str, Any]) -> Any:
        uses = dict(USES.findall((ROOT / f"{FIGURES[name][0]}.md").read_text(encoding="utf-8"))).get(name, "").split()
        page.set_content(f'<div id="here"></div><div hidden data-moving="{name}" data-over="here"></div>')
        page.add_style_tag(content="body { max-width: 720px; }")  # a column of the book
        page.add_style_tag(path=ROOT / "book" / "_static" / "moving" / "moving.css")
        frame = ("explorer/normal.js", "explorer/chart.js", "moving/frame.js")
        for script in (*frame, *uses, f"moving/{name}_numbers.js", f"moving/{name}.js"):
            page.add_script_tag(path=ROOT / "book" / "_static" / script)
        Figure(page, name)
        page.evaluate(f"(state) => classexMoving.mounted.{name}.set(state)", state)
        return page

    yield show
    page.close()


def shown(page: Any, name: str) -> dict[str, bool]:
    """Whether the moving figure, the static one, its caption and the question are to be seen."""
    return page.evaluate(
        """([name, over]) => {
            const covered = document.getElementById(over);
            const seen = (node) => node !== null && node.checkVisibility();
            const others = [...covered.children].filter((e) => !e.matches('figcaption, .classex-stage'));
            return {
                moving: seen(covered.querySelector('.classex-stage')), fixed: others.some(seen),
                caption: [...covered.querySelectorAll(':scope > figcaption')].every(seen),
                question: seen(document.querySelector(`[data-moving=${name}]`)),
            };
        }""",
        [name, FIGURES[name][1]],
    )


def test_covers_the_static_figure_and_asks_a_question(figure):
    expected = {"moving": True, "fixed": False, "caption": True, "question": True}
    assert shown(figure.page, figure.name) == expected
    answer = figure.page.locator(f"[data-moving={figure.name}] details")
    assert answer.get_attribute("open") is None
    answer.locator("summary").click()
    assert len(answer.inner_text()) > 80
    question = figure.page.locator(f"[data-moving={figure.name}] > p").first.inner_text()
    assert question.strip().endswith("?")


def test_without_script_the_static_figure_stays(browser, book, name):
    page = browser.new_page(java_script_enabled=False)
    page.goto(path_of(book, name).as_uri())
    # scripts of the test run all the same
    assert shown(page, name) == {"moving": False, "fixed": True, "caption": True, "question": False}
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_the_static_figure(figure, scheme):
    darken(figure.page, scheme)
    figure.page.emulate_media(media="print", color_scheme=scheme)
    expected = {"moving": False, "fixed": True, "caption": True, "question": False}
    assert shown(figure.page, figure.name) == expected


def test_obeys_the_mouse(figure):
    for index in range(figure.handles.count()):
        before, value = figure.numbers(), figure.value(index)
        (x, y), (dx, dy) = figure.grip(index), figure.step(index)
        mouse = figure.page.mouse
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + dx / 2, y + dy / 2)
        mouse.move(x + dx, y + dy)
        mouse.up()
        moved = figure.grip(index, scroll=False)
        # along its axis; across it the handle may follow a curve
        along = 0 if dx else 1
        assert moved[along] - (x, y)[along] == pytest.approx(dx or dy, abs=6), index
        assert figure.value(index) != value
        assert figure.numbers() != before
        mouse.move(x, y)
        assert figure.grip(index, scroll=False) == moved, "a handle that was let go follows the mouse"


def test_obeys_a_finger_which_scrolls_elsewhere(browser, book, name):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(path_of(book, name).as_uri())
    page.evaluate("window.MathJax && MathJax.startup.promise")
    figure = Figure(page, name)
    finger = context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    for index in range(figure.handles.count()):
        before = figure.value(index)
        (x, y), (dx, dy) = figure.grip(index), figure.step(index)
        scrolled = page.evaluate("[scrollX, scrollY]")
        touch("touchStart", (x, y))
        for share in (0.25, 0.5, 0.75, 1):
            touch("touchMove", (x + share * dx, y + share * dy))
        touch("touchEnd")
        assert figure.value(index) != before
        assert page.evaluate("[scrollX, scrollY]") == scrolled
    assert (
        figure.handles.evaluate_all("(all) => all.map((e) => getComputedStyle(e).touchAction)")
        == ["none"] * figure.handles.count()
    )
    assert figure.stage.evaluate("(e) => getComputedStyle(e).touchAction") == "auto"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = figure.stage.locator("button, input, .reach").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect()).filter((r) => Math.max(r.width, r.height) < 24).length"
    )
    assert small == 0
    context.close()


def test_obeys_the_keys_and_keeps_the_focus(figure):
    for index in range(figure.handles.count()):
        handle = figure.handles.nth(index)
        handle.focus()
        figure.page.keyboard.press("Home")
        least = figure.value(index)
        figure.page.keyboard.press("ArrowRight")
        one = figure.value(index)
        figure.page.keyboard.press("ArrowUp")
        figure.page.keyboard.press("ArrowLeft")
        assert (figure.value(index), one > least) == (one, True)
        figure.page.keyboard.press("PageUp")
        assert figure.value(index) > one
        before = figure.numbers()
        figure.page.keyboard.press("End")
        assert figure.value(index) == float(handle.get_attribute("aria-valuemax"))
        assert figure.numbers() != before
        assert handle.evaluate("(node) => node === document.activeElement")
    sliders = figure.stage.locator("input[type=range]")
    for index in range(sliders.count()):
        sliders.nth(index).focus()
        figure.page.keyboard.press("Home")
        before = figure.numbers()
        figure.page.keyboard.press("End")
        assert figure.numbers() != before
    nameless = figure.stage.locator("button, input, [role=slider], [role=img]").evaluate_all(
        "(all) => all.filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length)).length"
    )
    assert nameless == 0
    assert figure.stage.evaluate("(e) => document.getElementById(e.getAttribute('aria-labelledby')) !== null")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_is_drawn_for_its_width_and_legible(figure, scheme):
    page = figure.page
    darken(page, scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    background = tuple(int(part) for part in re.findall(r"\d+", ground)[:3])
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"window.innerWidth === {width}", timeout=PATIENCE)
        figure.bring()
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for index in range(figure.stage.locator("svg").count()):
            chart = figure.stage.locator("svg").nth(index)
            assert chart.bounding_box()["width"] <= width
            assert np.quantile(contrast(chart.screenshot(), background), 0.998) > 4.5


def test_adds_less_than_a_tenth_to_what_the_page_loads(browser, book, name):
    visit = Visit(browser, path_of(book, name))
    Figure(visit.page, name)
    paths = {Path(unquote(urlsplit(url).path)) for url in visit.requests if url.startswith("file")}
    size = {path: path.stat().st_size for path in paths}
    # the first page also has the box that takes a file
    figures = [
        path for path in paths if path.parent.name in ("moving", "explorer") and path.stem not in ("box", "explorer")
    ]
    added = sum(size[path] for path in figures)
    visit.page.close()
    assert 0 < added < HEAVIEST * (sum(size.values()) - added)


def test_other_pages_load_none_of_it(book):
    without = [page for page in CONTENTS if page not in {page for page, _ in FIGURES.values()}]
    assert [page for page in without if "_static/moving" in (book / f"{page}.html").read_text(encoding="utf-8")] == []


def test_an_error_leaves_the_static_figure(browser, book):
    name = "moments"
    page, failed = browser.new_page(), []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.route("**/moments_numbers.js*", lambda route: route.abort())
    page.goto(path_of(book, name).as_uri())
    page.wait_for_load_state("networkidle")
    assert len(failed) == 1
    assert shown(page, name) == {"moving": False, "fixed": True, "caption": True, "question": False}
    page.close()


@pytest.mark.parametrize(
    ("name", "state"), [("ceiling", {"nats": 8, "k": 10}), ("accuracies", {"value": [0.99, 0.2, 0.1, 0.1, 0.05]})]
)
def test_nothing_is_drawn_beyond_the_axes(on_its_own, name, state):
    """Points of every line and area, and whether something is drawn there."""
    page = on_its_own(name, state)
    page.add_style_tag(content="path { pointer-events: stroke; }")  # lines are found in whatever colour
    points = page.evaluate(
        """(name) => classexMoving.mounted[name].panes.flatMap(({ svg, box }) => {
            const { left, top } = svg.getBoundingClientRect();
            return [...svg.querySelectorAll("[role=img] path:is(.line, .area)")].flatMap((path) =>
                Array.from({ length: 101 }, (_, i) => {
                    const { x, y } = path.getPointAtLength(i / 100 * path.getTotalLength());
                    const beyond = y > box.top + box.height + 4 || y < box.top - 4;
                    return { beyond, seen: document.elementsFromPoint(left + x, top + y).includes(path) };
                }));
        })""",
        name,
    )
    beyond = [point["seen"] for point in points if point["beyond"]]
    assert len(beyond) > 5  # the figure has such points
    assert not any(beyond)
    assert np.mean([point["seen"] for point in points if not point["beyond"]]) > 0.5  # lines are dashed


@pytest.mark.parametrize(
    ("name", "state", "said"),
    [
        ("moments", {"k": 1000, "first": 0.4, "second": 1, "third": 1}, "Groups at u = 0.40, 1.00, 1.00: with 1,000"),
        ("subsets", {"on": [False] * 4 + [True, False]}, "Class E alone: accuracy 1.000. Average over all 6 "),
        ("accuracies", {}, "The best single accuracy, with 20 classes, proves "),
        ("accuracies", {"value": [0.0] * 4 + [0.1], "dragged": 4}, "; the bound rests on the one with 300 classes."),
        ("accuracies", {"value": [0.0] * 5, "dragged": 0}, "With 2 classes 0.000 (0.000 nats alone). All five"),
        ("subsets", {"on": [True] * 6}, "Average over the only set of 6: "),
    ],
)
def test_says_what_its_question_asks(on_its_own, name, state, said):
    assert said in on_its_own(name, state).inner_text(".classex-says")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_falls_where_motion_is_unwelcome(browser, book, motion):
    visit = Visit(browser, path_of(book, "envelope"))
    figure = Figure(visit.page, "envelope")
    visit.page.emulate_media(reduced_motion=motion)
    clicked = "({ root, state }) => (root.querySelector('button').click(), state.fallen)"
    fallen = visit.page.evaluate(f"({clicked})(classexMoving.mounted.envelope)")  # before the next frame
    assert (fallen == 1) == (motion == "reduce")
    visit.page.wait_for_function("classexMoving.mounted.envelope.state.fallen === 1", timeout=PATIENCE)
    assert sum(figure.numbers()["counts"]) == 2
    visit.page.close()
    assert visit.complaints == []
