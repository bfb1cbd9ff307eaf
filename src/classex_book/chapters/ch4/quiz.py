"""The quiz of Chapter 4."""

from __future__ import annotations

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from classex.information import accuracy_ceiling, fano_bound, information_bound
from classex.models import PartlyIdentifiable
from classex_book.course.questions import Question, no, yes

__all__ = ["questions"]


def questions() -> list[Question]:
    """Return the questions, their numbers computed."""
    return [_ceiling(), _pairs(), _perfect(), _from_above(), _choice(), _allowance(), _confusion()]


def _ceiling() -> Question:
    right = accuracy_ceiling(2.0, 100)
    by_count = exp(2.0) / 100
    fano = _fano_accuracy(2.0, 100)
    return Question(
        "The input carries 2 nats of information about the class. How accurate can a recogniser be, on average over "
        "sets of 100 random classes?",
        (
            no(
                f"At most ${by_count:.3f}$.",
                f"This is $e^2/100$, as if 2 nats singled out $e^2 = {exp(2.0):.1f}$ equally likely candidates. The "
                "information may be spread unevenly: an observation can favour a few classes strongly.",
            ),
            yes(
                f"At most ${right:.3f}$.",
                "That is $C_{100}(2)$, and the channel on the circle attains it.",
            ),
            no(
                f"At most ${fano:.3f}$.",
                "This is what Fano's inequality allows. It is true but not sharp: no joint law gets there on *random* "
                "class sets.",
            ),
        ),
    )


def _fano_accuracy(information: float, k: int) -> float:
    """Largest accuracy that Fano's inequality allows, by bisection."""
    low, high = 1 / k, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fano_bound(middle, k) < information else (low, middle)
    return low


def _pairs() -> Question:
    right, fano = information_bound(0.9, 2), fano_bound(0.9, 2)
    return Question(
        "Pairs of random classes are told apart with average accuracy .9. How much information is that at least?",
        (
            no(
                f"${fano:.3f}$ nats.",
                "This is Fano's bound, $\\log 2 - h(.1)$: what one observation says about *which of these two* it was.",
            ),
            no(
                f"$\\log 2 = {log(2):.3f}$ nats.",
                "No experiment with two classes shows more about which of the two it was. But the two are random, and "
                "nearly all pairs are told apart, so the population holds many distinguishable places.",
            ),
            yes(
                f"${right:.3f}$ nats.",
                rf"That is $C_2^{{-1}}(.9)$, more than $\log 2$: {right / fano:.1f} times Fano's bound.",
            ),
        ),
    )


def _perfect() -> Question:
    high = information_bound(1 - 1e-6, 100)
    return Question(
        "Suppose the *average* Bayes accuracy with 100 classes were exactly 1. What would follow for the information?",
        (
            no(
                f"It would be at least $\\log 100 = {log(100):.2f}$ nats, and nothing more.",
                "Here Fano's bound stops. But classes drawn at random from the whole population would never be "
                "confused, not one pair of them.",
            ),
            yes(
                "It would be infinite.",
                f"$C_{{100}}^{{-1}}$ grows without limit as the accuracy goes to 1; with an error of one in a million "
                f"it is {high:.1f} nats already.",
            ),
            no(
                "Nothing, because accuracy is not information.",
                "Accuracy bounds information from below, for every joint law. It is the other direction that fails.",
            ),
        ),
    )


def _from_above() -> Question:
    model = PartlyIdentifiable(share=0.01)
    accuracy = model.average_bayes_accuracy(2)
    return Question(
        f"A recogniser tells pairs of classes apart with accuracy {accuracy:.3f}, and it is known to be the best "
        "possible. What is the largest information the input can carry?",
        (
            no(
                f"${information_bound(accuracy, 2):.4f}$ nats.",
                "This is the least, $C_2^{-1}$ of the accuracy.",
            ),
            no(f"$\\log 2 = {log(2):.3f}$ nats.", "Two classes limit what can be said about the two, not the input."),
            yes(
                "There is no largest.",
                "If one class in a hundred is unmistakable and all others are alike, the accuracy is just this one, "
                "and the information infinite. Information can hide where accuracy does not look.",
            ),
        ),
    )


def _choice() -> Question:
    return Question(
        "You compute the confidence bound for information for each $k = 2, \\dots, 300$ at level 95 % and report the "
        "largest. What is wrong?",
        (
            no(
                "Nothing: every one of the bounds is valid.",
                "Each by itself. The largest of 299 is chosen because its data happened to be favourable, and it fails "
                "more often than one in twenty times.",
            ),
            yes(
                "The choice has to be paid for: each $k$ of a list named in advance gets $\\alpha/\\lvert K \\rvert$.",
                "Then all bounds hold at once, and so does the largest. A short list is enough, because the bound is "
                "flat around its best $k$.",
            ),
            no(
                "Only $k = 300$ is allowed, because the classifier was trained on 300 classes.",
                "Tasks of every size are contained in the score matrix, and a rule whose scores were shaped by other "
                "classes is a rule all the same. No rule beats the Bayes rule.",
            ),
        ),
    )


def _allowance() -> Question:
    k1, r, alpha = 400, 10, 0.05
    width = float(np.sqrt((1 + 1 / r) * log(1 / alpha) / (2 * k1)))
    naive = float(np.sqrt((1 + 1 / r) * log(1 / alpha) / (2 * 20)))
    return Question(
        f"An experiment has {k1} classes with {r} test points each. How far below $\\mathrm{{ATA}}_{{20}}$ does the "
        "joint bound for $\\mathrm{ABA}_{20}$ lie, at level 95 %?",
        (
            yes(
                f"${width:.3f}$",
                "The same as for every other $k$. A class moves the Bayes accuracy of a subset by $1/k$, but it is in "
                f"a share $k/{k1}$ of the subsets only, and $k$ cancels.",
            ),
            no(
                f"${naive:.3f}$",
                "This is the bound for an experiment with 20 classes. Averaging over all subsets of 20 uses all "
                f"{k1} classes.",
            ),
            no(
                "That cannot be said, since the subsets overlap.",
                "They overlap, and the proof does not need them not to: it asks how far a single class can move the "
                "average over subsets.",
            ),
        ),
    )


def _entropy(counts: NDArray[np.int64]) -> float:
    """Entropy of observed frequencies."""
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def _confusion() -> Question:
    k, r = 100, 10
    rng = np.random.default_rng(44)
    table = rng.multinomial(r, np.full(k, 1 / k), size=k)
    plug_in = float(_entropy(table.sum(axis=0)) - np.mean([_entropy(row) for row in table]))
    return Question(
        f"A recogniser guesses at random among {k} labels, {r} test points each. The mutual information of its "
        f"confusion matrix comes out as {plug_in:.2f} nats. How can that be?",
        (
            no(
                "It is the luck of this one test set.",
                "The figure hardly varies from one test set to the next. It is a bias, not noise.",
            ),
            yes(
                f"With {r} points a row of {k} cells looks concentrated whatever happens.",
                "Concentration reads as information. The share of right answers alone, put through Fano's inequality, "
                "has no such trouble.",
            ),
            no(
                "Guessing at random carries some information about the class.",
                "Guesses that do not depend on the input carry none. The truth is 0.",
            ),
        ),
    )
