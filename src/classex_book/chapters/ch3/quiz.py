"""The quiz of Chapter 3."""

from __future__ import annotations

from math import sqrt

import numpy as np

from classex.models import BivariateNormal
from classex_book.course.questions import Question, no, yes

__all__ = ["questions"]


def questions() -> list[Question]:
    """Return the questions, their numbers computed."""
    return [_average(), _window(), _same_decisions(), _target(), _repeats(), _agreement(), _halves()]


def _average() -> Question:
    sharp, blurred = 0.999, 0.5
    k = 100
    mean = (sharp + blurred) / 2
    right = (sharp ** (k - 1) + blurred ** (k - 1)) / 2
    return Question(
        f"Half of the test points have favourability {sharp}, the others {blurred}. What is the average accuracy with "
        f"{k} classes?",
        (
            no(
                f"${mean ** (k - 1):.1e}$",
                f"This is the power of the mean favourability ${mean:.4f}$. The mean has to be taken of the powers.",
            ),
            yes(
                f"${right:.3f}$",
                f"The mean of ${sharp}^{{{k - 1}}} = {sharp ** (k - 1):.3f}$ and of ${blurred}^{{{k - 1}}}$, which is "
                "nothing. The easy points carry the curve.",
            ),
            no(f"${mean:.3f}$", "This is the mean favourability, the accuracy with two classes."),
        ),
    )


def _window() -> Question:
    k = 1000
    depth = 3 / k
    share = 1 - (1 - depth) ** (k - 1)
    return Question(
        f"Accuracy with $k = {k}$ classes weighs $D(u)$ by $(k-1)u^{{k-2}}$. What share of this weight lies within "
        rf"$3/k = {depth}$ of $u = 1$?",
        (
            yes(
                f"${share:.2f}$",
                rf"$1 - (1 - 3/k)^{{k-1}}$, nearly $1 - e^{{-3}}$. What {k} classes show is the law of points that "
                "beat nearly every wrong class.",
            ),
            no(
                f"${depth}$",
                "The length of the interval, as if the weight were flat. It is so for two classes.",
            ),
            no(
                f"${(k - 1) * depth:.2f}$",
                "The weight is nearly $k - 1$ at the very end only; height times length exceeds the whole weight, 1.",
            ),
        ),
    )


def _same_decisions() -> Question:
    return Question(
        "A program is changed so that it hands over squared distances in place of distances, with the same sign. Which "
        "extrapolation can change?",
        (
            no("ClassExReg.", "It sees the accuracies over subsets of classes, and these depend on ranks alone."),
            no(
                "Probit-normal.",
                "It sees numbers of wins, and squaring distances changes no order.",
            ),
            yes(
                "The kernel density method.",
                "Bumps of one width on the one scale are bumps of varying width on the other, and their tails reach "
                "across the true score in another way.",
            ),
            no(
                "None: all decisions stay the same.",
                "The decisions do. One method looks at gaps between scores.",
            ),
        ),
    )


def _target() -> Question:
    return Question(
        "You tested on 50 people. Next year you will test the same recogniser on 400 people, your 50 and 350 new ones. "
        "Which interval should cover the accuracy you will find?",
        (
            no(
                '`target="average"`',
                "That one is for the mean over all sets of 400 people, and your 400 are one set, and not a fresh one.",
            ),
            no(
                '`target="fresh"`',
                "That one is for 400 new people. It counts the luck of your 50 twice as something to be afraid of, "
                "while part of it will be found again.",
            ),
            yes(
                '`target="superset"`',
                "If your 50 people happen to be easy, they will be easy next year. What they share with the target "
                "comes off the variance.",
            ),
        ),
    )


def _repeats() -> Question:
    k1, between, within = 10, 0.2, 0.45
    few, many = (sqrt((between**2 + within**2 / r) / k1) for r in (5, 500))
    return Question(
        f"An extrapolation rests on {k1} classes with 5 test points each, and its interval is too wide for you. Points "
        f"vary by {within} within a class and classes by {between} among each other. You can pay for 500 test points "
        "of each class. What does it bring?",
        (
            yes(
                f"A little: a standard deviation of ${few:.3f}$ becomes ${many:.3f}$.",
                "Only the part within the classes shrinks. The luck of the ten classes stays, and the way on is more "
                "classes.",
            ),
            no(
                f"A tenth of the width: ${few:.3f}$ becomes ${few / 10:.4f}$.",
                "So it would be if the 5,000 points were independent. Points of one class share the class.",
            ),
            no(
                "Nothing at all.",
                f"The part within the classes, ${within}^2/5$ of a class's variance, does shrink.",
            ),
        ),
    )


def _agreement() -> Question:
    model = BivariateNormal(0.9)
    seen, asked = model.average_accuracy([20, 10**6])
    return Question(
        f"Two methods both reproduce the accuracy up to 20 classes, ${seen:.3f}$ with 20, to the third digit. For a "
        "million classes the one says .001, the other .05. What follows?",
        (
            no(
                "The one with the better fit up to 20 classes is right.",
                "Both fit. Laws that differ within one ten-thousandth of $u = 1$ look the same on 20 classes.",
            ),
            yes(
                "Believe neither: at this distance the assumed form of $D$ speaks, not the data.",
                f"(The data were from a problem whose accuracy with a million classes is ${asked:.1e}$; no data on 20 "
                "classes could have told.)",
            ),
            no(
                "Take the mean of the two.",
                "The mean of two guesses that the data cannot judge is a third guess. Stacking needs evidence, and "
                "subsets of 20 classes hold none about a million.",
            ),
        ),
    )


def _halves() -> Question:
    n = 40
    rng = np.random.default_rng(0)
    distinct = np.mean([np.unique(rng.integers(n, size=n)).size for _ in range(2000)])
    return Question(
        f"To compare methods on {n} classes, somebody draws {n} classes with replacement, again and again. What is "
        "wrong?",
        (
            no(
                "Nothing, it is the bootstrap.",
                "The bootstrap is for averages of independent things. Here classes compete, and a class competes with "
                "its own copy.",
            ),
            yes(
                "Copies of the true class compete with it.",
                f"On average only {distinct:.0f} of the {n} drawn classes differ. A truth can tie with its copy and "
                "never beat it, so accuracy falls for no reason. Draw fewer classes, without replacement.",
            ),
            no(
                "It takes too many draws to be exact.",
                "More draws bring the wrong answer out more sharply: the bias stays.",
            ),
        ),
    )
