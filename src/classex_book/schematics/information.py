"""Drawings of the later chapters: information, codes, the prediction advantage."""

from __future__ import annotations

from typing import Any

import numpy as np

from classex_book.schematics._drawing import add, arrow, box, label


@add(
    "sort-classes",
    "Left, the likelihood ratio of one observation over all classes, a jagged bar chart. An arrow leads to the right, "
    "where the same bars are sorted from the smallest to the largest: an increasing density on the unit interval. "
    "Accuracy and information depend on the sorted bars alone.",
    extent=5.0,
)
def _sort_classes(ax: Any) -> None:
    heights = np.array([0.4, 1.6, 0.2, 0.9, 2.6, 0.5, 1.2, 0.1, 0.7, 0.3])
    for start, values, colour in ((0.4, heights, "C0"), (5.8, np.sort(heights), "C2")):
        ax.bar(start + 0.38 * np.arange(10) + 0.19, values, width=0.32, bottom=1.1, color=colour, alpha=0.8)
        ax.plot([start, start + 3.8], [1.1, 1.1], "-", color="C6", lw=0.8)
    arrow(ax, (4.35, 2.3), (5.65, 2.3))
    label(ax, 5.0, 2.7, "sort")
    label(ax, 2.3, 4.5, "likelihood ratio of one observation")
    label(ax, 2.3, 0.6, "classes, as they come")
    label(ax, 7.7, 4.05, "$q_y(t)$, increasing", colour="C2")
    label(ax, 7.7, 0.6, "classes, from worst to best")


@add(
    "circle",
    "A circle of classes with one class marked. An orange arc of density starts low just ahead of the class and grows "
    "all the way round, so that most observations fall just behind it. The best guess is the first class met when "
    "walking forward from the observation.",
    extent=7.2,
)
def _circle(ax: Any) -> None:
    centre, radius = np.array([3.5, 3.5]), 2.2
    turn = np.linspace(0, 2 * np.pi, 400)
    ax.plot(centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn), "-", color="C6", lw=1)
    density = 0.95 * np.exp(3.2 * (turn / (2 * np.pi) - 1))
    outer = radius + density
    start = np.pi / 2
    edge = np.column_stack([centre[0] + outer * np.cos(start - turn), centre[1] + outer * np.sin(start - turn)])
    inner = np.column_stack([centre[0] + radius * np.cos(start - turn), centre[1] + radius * np.sin(start - turn)])
    ax.fill(*np.vstack([edge, inner[::-1]]).T, color="C1", alpha=0.35, lw=0)
    ax.plot(centre[0], centre[1] + radius, "o", ms=9, color="C2")
    seen = start - 2 * np.pi * 0.92
    ax.plot(centre[0] + radius * np.cos(seen), centre[1] + radius * np.sin(seen), "x", ms=9, mew=2.2, color="C0")
    arrow(ax, (2.1, 4.4), (2.9, 5.1), bend=-0.2)
    label(ax, 4.25, 5.25, "class", colour="C2")
    label(ax, 2.9, 4.3, "walk on", colour="C6")
    label(ax, 6.7, 6.75, "observation: class + a step forward", colour="C0")
    label(ax, 7.9, 4.0, "density of the step,", colour="C1")
    label(ax, 7.9, 3.4, "largest after almost", colour="C1")
    label(ax, 7.9, 2.8, "a full turn", colour="C1")
    label(ax, 5.0, 0.4, "best guess: the first class met from the cross")


@add(
    "tilting",
    "Three densities on the unit interval: a flat one, one that rises moderately towards one, and one that rises "
    "steeply. An arrow says that moving mass towards one gains accuracy and costs information.",
    extent=6.0,
)
def _tilting(ax: Any) -> None:
    u = np.linspace(0, 1, 200)
    for c, colour in ((0.0, "C6"), (1.5, "C0"), (4.0, "C1")):
        q = np.exp(c * u**4)
        q /= q.mean()
        ax.plot(1.0 + 6.0 * u, 1.1 + 0.4 * q, "-", color=colour, lw=2)
    ax.plot([1.0, 7.0], [1.1, 1.1], "-", color="C6", lw=0.8)
    label(ax, 1.0, 0.65, "0")
    label(ax, 7.0, 0.65, "1")
    label(ax, 4.0, 0.2, "rank of the truth among all classes")
    label(ax, 8.7, 1.5, "no information", colour="C6")
    label(ax, 8.0, 2.4, "some", colour="C0")
    label(ax, 8.0, 4.2, "more", colour="C1")
    arrow(ax, (2.6, 2.6), (5.0, 3.2), bend=-0.2)
    label(ax, 3.3, 4.65, "multiply by $e^{c\\,t^{k-1}}$:")
    label(ax, 3.3, 4.1, "accuracy gains, information is paid")


@add(
    "identification",
    "A chain of boxes: stimulus, brain, response. Below, an encoding model predicts a response for each candidate "
    "stimulus; a comparison of the measured response with all predictions gives scores, and the largest score names "
    "the stimulus.",
    extent=6.6,
)
def _identification(ax: Any) -> None:
    box(ax, 1.5, 5.3, 2.4, 1.1, "stimulus $x$", "C2")
    box(ax, 5.0, 5.3, 2.2, 1.1, "brain", "C6")
    box(ax, 8.4, 5.3, 2.6, 1.1, "response $y$", "C0")
    arrow(ax, (2.75, 5.3), (3.85, 5.3))
    arrow(ax, (6.15, 5.3), (7.05, 5.3))
    box(ax, 1.5, 2.9, 2.4, 1.4, "candidates\n$x_1, \\dots, x_k$", "C2")
    box(ax, 5.0, 2.9, 2.2, 1.4, "encoding\nmodel", "C1")
    box(ax, 8.4, 2.9, 2.6, 1.4, "predictions\n$\\hat y_1, \\dots, \\hat y_k$", "C1")
    arrow(ax, (2.75, 2.9), (3.85, 2.9))
    arrow(ax, (6.15, 2.9), (7.05, 2.9))
    arrow(ax, (8.4, 4.7), (8.4, 3.7), "C0")
    label(ax, 7.35, 4.2, "compare", colour="C0")
    arrow(ax, (8.4, 2.15), (8.4, 1.35))
    label(ax, 5.0, 0.95, "scores, one for each candidate: the largest names the stimulus")


@add(
    "random-code",
    "Three codewords of eight bits, drawn at random, one under the other. The second is sent through a noisy channel "
    "that flips two bits, marked in orange. The received word is compared with all codewords and agrees with the sent "
    "one in most places.",
    extent=5.6,
)
def _random_code(ax: Any) -> None:
    words = np.array([[0, 1, 1, 0, 1, 0, 0, 1], [1, 1, 0, 1, 0, 0, 1, 0], [0, 0, 1, 1, 1, 1, 0, 0]])
    received = words[1].copy()
    received[[2, 6]] ^= 1
    agree = (words == received).sum(axis=1)
    for row, word in enumerate(words):
        for column, bit in enumerate(word):
            colour = "C2" if row == 1 else "C6"
            ax.text(1.0 + 0.4 * column, 4.3 - 0.65 * row, str(bit), ha="center", va="center", color=colour)
        label(ax, 8.2, 4.3 - 0.65 * row, f"agrees in {agree[row]}", colour="C2" if row == 1 else None)
    label(ax, 2.4, 5.0, "codewords: classes drawn at random")
    arrow(ax, (2.4, 2.65), (2.4, 1.6))
    label(ax, 4.35, 2.1, "a channel flips bits", colour="C1")
    for column, bit in enumerate(received):
        colour = "C1" if received[column] != words[1, column] else "C0"
        ax.text(1.0 + 0.4 * column, 1.2, str(bit), ha="center", va="center", color=colour, fontweight="bold")
    label(ax, 5.4, 1.2, "received", colour="C0")
    label(ax, 5.0, 0.5, "the best guess: the codeword that agrees most")


@add(
    "lottery",
    "What ten draws label, in nats. Above, ten bars of height one: every draw says one nat. Below, nine draws label "
    "nothing and one bar has height ten. Both carry one nat on average; the upper tells classes apart at every draw, "
    "the lower at one draw in ten.",
    extent=5.8,
)
def _lottery(ax: Any) -> None:
    for bottom, nats, colour in ((4.1, np.ones(10), "C0"), (0.9, np.repeat([0.0, 10.0, 0.0], [6, 1, 3]), "C1")):
        ax.bar(0.6 + 0.42 * np.arange(10), 0.24 * nats, width=0.34, bottom=bottom, color=colour, alpha=0.8)
        ax.plot([0.3, 4.7], [bottom, bottom], "-", color="C6", lw=0.8)
    label(ax, 2.5, 5.2, "what ten draws label, in nats")
    label(ax, 7.4, 4.5, "a nat each: mean $1$", colour="C0")
    label(ax, 7.4, 2.4, "nine times nothing,", colour="C1")
    label(ax, 7.4, 1.8, "once ten nats: mean $1$", colour="C1")
    label(ax, 5.0, 0.3, "the same information, not the same accuracy")


@add(
    "advantage",
    "A ruler of risk. The left end is zero risk, a mark on the right is the risk of the best blind guess, and a "
    "classifier lies between. Below, the same ruler reads one at zero risk and zero at the blind guess; beyond it the "
    "advantage is negative.",
    extent=4.6,
)
def _advantage(ax: Any) -> None:
    ax.plot([0.8, 9.4], [2.4, 2.4], "-", color="C6", lw=2)
    for x, above, below, colour in (
        (0.9, "no error", "1", "C2"),
        (3.06, "classifier", "0.6", "C0"),
        (6.3, "best blind guess", "0", "C1"),
        (9.2, "worse", "$-0.54$", "C6"),
    ):
        ax.plot([x, x], [2.1, 2.7], "-", color=colour, lw=2.4)
        label(ax, x, 3.1, above, colour=colour)
        label(ax, x, 1.75, below, colour=colour)
    label(ax, 5.0, 4.0, "risk, from left to right")
    label(ax, 5.0, 0.9, "prediction advantage: the share of the blind risk that is saved")
