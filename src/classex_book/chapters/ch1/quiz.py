"""The quiz of Chapter 1."""

from __future__ import annotations

from math import sqrt

import numpy as np

from classex.curves.accuracy import accuracy_curve
from classex.models import BivariateNormal, RandomCode
from classex.ranks import correct_ranks
from classex_book.course.questions import Question, no, yes

__all__ = ["questions"]


def questions() -> list[Question]:
    """Return the questions, their numbers computed."""
    return [_error_bar(), _subsets(), _independence(), _marginal(), _resampling(), _population(), _codes()]


def _error_bar() -> Question:
    error = sqrt(0.95 * 0.05 / 10_000)
    return Question(
        "A recogniser is tested on 100 people with 100 photographs each and is right in 95 % of the cases. Its "
        rf"authors report the error bar $\sqrt{{0.95 \cdot 0.05/10\,000}} = {error:.4f}$. Between which experiments "
        "does a figure of this size describe the spread?",
        (
            yes(
                "Experiments with other photographs of the same people and the recogniser as it is.",
                "That is the innermost of the three layers: classes and training held fixed, test points drawn anew.",
            ),
            no(
                "Experiments with 100 other people.",
                "The formula takes the 10,000 photographs as independent. Photographs of one person share the person, "
                "and all of them share the same 99 rivals; with other people the accuracy moves by much more.",
            ),
            no(
                "Experiments with the same people, in which the recogniser is trained anew.",
                "Training is the second layer of chance. The formula looks at the finished rule alone.",
            ),
        ),
    )


def _subsets() -> Question:
    n, won = 10, 8
    scores = np.where(np.arange(n) < np.arange(n)[:, np.newaxis], -1.0, -2.0) + 3.0 * np.eye(n)
    rows = np.arange(n)
    scores[rows, (rows + 1) % n] = 2.0  # exactly one rival above every truth
    curve = accuracy_curve(correct_ranks(scores, rows), [2, 3])
    pair, triple = curve.accuracy
    return Question(
        f"A test point's truth beats {won} of the {n - 1} wrong labels. What is the probability that it is recognised "
        "among three random classes, its own included?",
        (
            no(f"${pair:.3f}$", f"This is ${won}/{n - 1}$, the probability with one rival. Here two rivals are drawn."),
            no(
                f"${pair**2:.3f}$",
                f"This is $({won}/{n - 1})^2$: it draws the second rival with the first put back. Two classes of one "
                "task are different classes, and the wins are used up.",
            ),
            yes(
                f"${triple:.3f}$",
                rf"Of the $\binom{{{n - 1}}}{{2}}$ pairs of rivals, $\binom{{{won}}}{{2}}$ consist of beaten labels.",
            ),
            no("$0$", f"Zero is right for all {n} classes, where the one label above the truth is always present."),
        ),
    )


def _independence() -> Question:
    pair, ten = BivariateNormal(0.9).average_accuracy([2, 10])
    return Question(
        rf"In the toy problem with $\rho = 0.9$ the truth beats one random rival with probability {pair:.3f}. What is "
        "the average accuracy with ten classes?",
        (
            no(
                f"${pair**9:.3f}$",
                f"This is ${pair:.3f}^9$, as if the nine duels were independent. They share the test point: an easy "
                r"point wins all, a hard one loses to several. By Jensen's inequality $\mathbb{E}(U^*)^9 \ge "
                r"(\mathbb{E}\,U^*)^9$, so the product is too low.",
            ),
            yes(
                f"${ten:.3f}$",
                r"It is $\mathbb{E}(U^*)^9$, with $U^*$ the chance that a given test point beats a random rival. To "
                "know it one needs the law of $U^*$, not only its mean.",
            ),
            no(
                f"${pair:.3f}$",
                "More rivals leave the accuracy as it is only if each test point beats all or none.",
            ),
        ),
    )


def _marginal() -> Question:
    return Question(
        "For which of these recognisers does the average test accuracy over subsets of $k$ classes *not* estimate the "
        "accuracy of the same recogniser built on $k$ classes?",
        (
            no("Nearest centroid.", "A centroid is made of its own class alone: drop another class and it stays put."),
            no(
                "Comparison with stored embeddings, by a network trained once on other people.",
                "The network is fixed before the classes of the experiment are drawn. A score depends on the test "
                "point and the stored photograph of one person.",
            ),
            yes(
                "Multinomial logistic regression.",
                "All weights are fitted jointly, so the score of a label changes when another class joins. The subsets "
                "tell of the large model restricted to $k$ of its labels.",
            ),
            no("Naive Bayes.", "The density of a class is fitted to the observations of that class alone."),
        ),
    )


def _resampling() -> Question:
    n = 50
    copy = 1 - (1 - 1 / n) ** (n - 1)
    return Question(
        f"You want an error bar for the accuracy with {n} classes that counts the choice of the classes. Which "
        "resampling is sound?",
        (
            no(
                f"Draw {n} of the {n} classes with replacement, many times.",
                f"A class then meets a copy of itself with probability {copy:.2f}, and can at best tie with it. The "
                "accuracies of the resamples are too low.",
            ),
            yes(
                "Leave out one class at a time, as truth and as distractor.",
                "The jackknife makes no copies, and what a class does to the points of the others is counted as well.",
            ),
            no(
                "Draw test points with replacement, the classes as they are.",
                "That is sound for another question: how the figure varies with other test points of the same classes.",
            ),
        ),
    )


def _population() -> Question:
    return Question(
        r"You have scores for the 100 most frequent characters of a script and compute $\mathrm{ATA}_{50}$. What does "
        "it estimate without bias?",
        (
            no(
                "The average accuracy with 50 random characters of the script.",
                "Frequent characters may be simpler, or more alike, than rare ones. Random subsets of the frequent "
                "ones say nothing of that.",
            ),
            yes(
                "The average accuracy with 50 random ones of these 100 characters.",
                "Averaging over subsets always describes the population from which the classes at hand are a random "
                "sample. Without such a sample it describes only the classes at hand.",
            ),
            no(
                "The accuracy with the 50 most frequent characters.",
                "That is the accuracy of one subset. The average is over all subsets of 50.",
            ),
        ),
    )


def _codes() -> Question:
    short, long = (
        1 - code.average_accuracy_at_rate(0.8 * code.capacity)
        for code in (RandomCode(length=15, crossover=0.1), RandomCode(length=255, crossover=0.1))
    )
    return Question(
        f"At four fifths of the capacity, random codewords of 15 bits are decoded wrongly with probability "
        f"{short:.2f}. At the same rate, what happens with codewords of 255 bits?",
        (
            no(
                f"The probability stays at {short:.2f}, since the rate is the same.",
                "The rate fixes the number of classes per bit, not the error. Longer words average the flips better.",
            ),
            no(
                "It rises, since there are exponentially more codewords to confuse.",
                "There are, but below capacity each of them is exponentially less likely to be near, and that wins.",
            ),
            yes(
                f"It falls to {long:.3f}.",
                "Below capacity the error vanishes as the code grows, by Shannon's theorem. It speaks of the limit, "
                "and at 15 bits one is far from it.",
            ),
        ),
    )
