"""Drawings of the earlier chapters: classes drawn at random, favourability, subsets, moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from classex_book.schematics._drawing import add, arrow, label


@add(
    "sampling",
    "A large cloud of dots on the left, the population of classes; five of them are filled and arrows lead to five "
    "columns on the right. Each column is a drawn class with two squares, its training observations, above two "
    "crosses, its test observations. Below stands that the recogniser is trained on the squares and tested on the "
    "crosses.",
)
def _sampling(ax: Any) -> None:
    rng = np.random.default_rng(3)
    angle, radius = rng.uniform(0, 2 * np.pi, 90), np.sqrt(rng.uniform(0, 1, 90))
    x, y = 2.1 + 1.75 * radius * np.cos(angle), 3.1 + 1.75 * radius * np.sin(angle)
    ax.plot(x, y, "o", ms=3.2, mfc="none", mec="C6", mew=0.7, ls="none")
    ax.plot(x[:5], y[:5], "o", ms=6, color="C0", ls="none")
    label(ax, 2.1, 5.45, "population of classes")
    label(ax, 2.1, 0.75, "each dot is a class")
    arrow(ax, (3.95, 3.1), (5.1, 3.1))
    label(ax, 4.55, 3.55, "draw $k$")
    for i in range(5):
        column = 5.6 + 0.85 * i
        ax.plot(column, 4.85, "o", ms=6, color="C0")
        ax.plot([column] * 2, [3.9, 3.4], "s", ms=6, color="C0", alpha=0.55, ls="none")
        ax.plot([column] * 2, [2.5, 2.0], "x", ms=6, color="C1", mew=1.8, ls="none")
    label(ax, 7.3, 5.45, "the classes of one task")
    label(ax, 7.3, 2.95, "training observations", colour="C0")
    label(ax, 7.3, 1.5, "test observations", colour="C1")
    label(ax, 7.3, 0.75, "trained on squares, tested on crosses")


@add(
    "fixed-or-redrawn",
    "Two rows. In the upper row one test point, a cross, stays where it is while the two rivals around it change from "
    "one panel to the next: given the point, every new set of rivals is a new trial. In the lower row the rivals stay "
    "and new test points are drawn: that error bar says nothing about other classes.",
    extent=6.6,
)
def _fixed_or_redrawn(ax: Any) -> None:
    truth = (0.95, 1.2)
    rivals = [[(0.3, 0.9), (1.35, 0.4)], [(0.35, 0.35), (1.6, 1.3)], [(1.55, 0.7), (0.4, 1.5)]]
    points = [(0.85, 0.75), (0.6, 1.7), (1.4, 1.65)]
    for row, bottom in enumerate((3.75, 0.65)):
        for column in range(3):
            left = 3.6 + 2.15 * column
            around, seen = rivals[column if row == 0 else 0], points[0 if row == 0 else column]
            ax.add_patch(_frame(left, bottom, 1.95, 2.0))
            ax.plot(left + truth[0], bottom + truth[1], "o", ms=7, color="C2")
            for x, y in around:
                ax.plot(left + x, bottom + y, "o", ms=7, color="C1")
            ax.plot(left + seen[0], bottom + seen[1], "x", ms=7, mew=2, color="C0")
    label(ax, 1.7, 5.1, "point fixed,\nrivals redrawn", ha="center")
    label(ax, 1.7, 4.1, "the favourability", colour="C1")
    label(ax, 1.7, 2.05, "rivals fixed,\npoints redrawn", ha="center")
    label(ax, 1.7, 1.05, "the usual error bar", colour="C0")
    label(ax, 6.7, 6.2, "truth: green   rivals: orange   test point: cross")


def _frame(left: float, bottom: float, width: float, height: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((left, bottom), width, height, fc="none", ec="C6", lw=0.8)


@add(
    "favourability",
    "A horizontal line of scores. Many small ticks are the scores that wrong classes give the test point, a taller "
    "green tick near the right is the truth. Ticks left of it are beaten, ticks right of it are not. Nine tenths are "
    "beaten, so the favourability is 0.9, and two rivals drawn at random both lose with probability 0.81.",
    extent=5.0,
)
def _favourability(ax: Any) -> None:
    rng = np.random.default_rng(5)
    scores = np.sort(rng.normal(4.6, 1.6, 60).clip(0.5, 9.5))
    truth = (scores[53] + scores[54]) / 2
    ax.plot([0.3, 9.7], [2.4, 2.4], "-", color="C6", lw=1)
    for score in scores:
        ax.plot([score] * 2, [2.4, 2.95], "-", color="C0" if score < truth else "C1", lw=1.1)
    ax.plot([truth] * 2, [1.9, 3.7], "-", color="C2", lw=2.6)
    label(ax, truth, 4.0, "the truth", colour="C2")
    label(ax, 3.0, 3.4, "wrong classes that it beats: a share $U^*$", colour="C0")
    label(ax, 9.0, 3.4, "stronger", colour="C1")
    label(ax, 8.9, 2.0, "score")
    label(ax, 5.0, 1.25, "here $U^* = 0.9$: it beats one random rival with probability $0.9$,")
    label(ax, 5.0, 0.65, "two with probability $0.9^2$, and $k-1$ with $0.9^{k-1}$")
    label(ax, 5.0, 4.65, "one test point, all wrong classes in order of their scores")


@add(
    "subsets",
    "A table of scores for six classes, six columns. Three columns are filled: one subset of three classes. Beside it "
    "stands that all twenty subsets of three are tested at once by counting, for each test point, how many wrong "
    "labels its truth beats.",
    extent=5.2,
)
def _subsets(ax: Any) -> None:
    from matplotlib.patches import Rectangle

    chosen = {1, 3, 4}
    for row in range(6):
        for column in range(6):
            on = column in chosen and row in chosen
            colour = "C2" if row == column else "C0"
            ax.add_patch(
                Rectangle((0.6 + 0.62 * column, 3.9 - 0.62 * row), 0.55, 0.55, fc=colour, alpha=0.85 if on else 0.15)
            )
    label(ax, 2.45, 4.85, "labels")
    label(ax, 0.25, 2.6, "p\no\ni\nn\nt\ns")
    label(ax, 7.2, 4.3, "one subset of 3 classes:")
    label(ax, 7.2, 3.7, "its rows and its columns", colour="C0")
    label(ax, 7.2, 2.75, "there are $\\binom{6}{3} = 20$ of them")
    label(ax, 7.2, 1.8, "a point with $w$ wins among 5")
    label(ax, 7.2, 1.2, "is right in $\\binom{w}{2}$ of its $\\binom{5}{2}$")


@add(
    "naive-power",
    "A curve that bends upwards, u to the power nine. Two dots on it, at 0.6 and 1, are a hard and an easy point; the "
    "middle of the straight line between them lies at 0.51, far above the curve at 0.8, which is only 0.13. So the "
    "average of powers exceeds the power of the average.",
    extent=7.0,
)
def _naive_power(ax: Any) -> None:
    u = np.linspace(0.3, 1, 120)

    def scaled(x: Any, y: Any) -> tuple[Any, Any]:
        return 1.0 + 8.0 * (x - 0.3) / 0.7, 1.0 + 4.8 * y

    ax.plot(*scaled(u, u**9), "-", color="C0", lw=2)
    ends = np.array([0.6, 1.0])
    ax.plot(*scaled(ends, ends**9), "o--", color="C1", lw=1.4)
    mean, power = float(np.mean(ends**9)), 0.8**9
    ax.plot(*scaled(0.8, mean), "o", color="C2", ms=8)
    ax.plot(*scaled(0.8, power), "s", color="C0", ms=7)
    ax.plot(*scaled(np.array([0.3, 1.0]), np.zeros(2)), "-", color="C6", lw=0.8)
    x, _ = scaled(0.8, 0)
    label(ax, x - 0.3, scaled(0.8, mean)[1] + 0.4, f"average of powers {mean:.2f}", colour="C2", ha="right")
    label(ax, x + 0.3, scaled(0.8, power)[1] - 0.25, f"power of the average {power:.2f}", colour="C0", ha="left")
    for value, name in ((0.6, "a hard point"), (1.0, "an easy one")):
        label(ax, scaled(value, 0)[0] - (0.4 if value == 1 else 0), 0.6, f"$u={value:g}$, {name}")
    label(ax, 3.1, 6.4, "accuracy among ten classes: $u^9$", ha="center")


@add(
    "moments",
    "Above, a density of the favourability on the unit interval, most of it near one. Below, three weights, u, u to "
    "the ninth and u to the ninety-ninth, which rise ever closer to one: accuracy with 2, 10 and 100 classes is the "
    "average of the weight under the density.",
    extent=6.6,
)
def _moments(ax: Any) -> None:
    u = np.linspace(0, 1, 300)
    x = 0.6 + 6.8 * u
    density = 10 * u**9 + 0.3
    ax.fill_between(x, 4.2, 4.2 + 0.16 * density, color="C2", alpha=0.3, lw=0)
    ax.plot(x, 4.2 + 0.16 * density, "-", color="C2", lw=1.8)
    label(ax, 3.2, 4.9, "distribution of $U^*$ over points", colour="C2")
    for power, colour, spot, ha in (
        (1, "C0", (3.0, 2.2), "right"),
        (9, "C1", (5.2, 1.55), "right"),
        (99, "C3", (7.6, 1.6), "left"),
    ):
        ax.plot(x, 0.9 + 2.3 * u**power, "-", color=colour, lw=1.8)
        name = "$u$" if power == 1 else f"$u^{{{power}}}$"
        label(ax, *spot, f"{name}: $k={power + 1}$", colour=colour, ha=ha)
    ax.plot([0.6, 7.4], [0.9, 0.9], "-", color="C6", lw=0.8)
    label(ax, 0.6, 0.45, "0")
    label(ax, 7.4, 0.45, "1")
    label(ax, 4.0, 0.45, "favourability $u$")
    label(ax, 4.6, 6.2, "accuracy with $k$ classes: the average of $u^{k-1}$")
