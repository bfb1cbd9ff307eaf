"""The quiz of Chapter 5."""

from __future__ import annotations

from math import erf, log, sqrt

import numpy as np

from classex.information import (
    identification_accuracy,
    identification_information,
    implied_information,
    information_bound,
)
from classex.ranks import correct_ranks
from classex_book.course.questions import Question, no, yes

__all__ = ["questions"]


def questions() -> list[Question]:
    """Return the questions, their numbers computed."""
    return [_two_laboratories(), _twice(), _width(), _flat(), _perfect(), _bound(), _neighbours()]


def _two_laboratories() -> Question:
    ten, hundred = (float(identification_accuracy(2.0, k)) for k in (10, 100))
    return Question(
        f"One laboratory identifies the right one of 10 photographs with accuracy {ten:.3f}, another the right one of "
        f"100 with accuracy {hundred:.3f}. Both curves fit the theory of high dimension. Which decoder has more "
        "information?",
        (
            no(
                "The first: its accuracy is twice as high.",
                "Accuracies with different numbers of candidates are not on one scale. With 100 candidates the first "
                f"decoder would come down to {identification_accuracy(2.0, 100):.3f} as well.",
            ),
            no(
                f"The second: {hundred:.3f} is {hundred * 100:.0f} times chance, {ten:.3f} only {ten * 10:.1f} times.",
                "The ratio to chance grows with the number of candidates for one and the same decoder, so it measures "
                "the experiment as well as the decoder.",
            ),
            yes(
                "Neither: both imply 2 nats.",
                "Both accuracies lie on the curve of 2 nats. That is what the curve is for.",
            ),
            no(
                "That cannot be known without the two decoders' scores.",
                "On the limit curve a single accuracy strictly between chance and 1 fixes the information. Scores "
                "are needed to test whether the curve fits, which is given here.",
            ),
        ),
    )


def _twice() -> Question:
    one, two = (float(identification_accuracy(nats, 10)) for nats in (1.0, 2.0))
    return Question(
        f"A population carries 1 nat and identifies one of 10 with accuracy {one:.3f}. A second population, "
        "independent and just as good, is recorded as well. In high dimension, what is the accuracy of both together?",
        (
            no(f"${2 * one:.3f}$", "Accuracy does not add; it could not, since it ends at 1. Information does."),
            no(
                f"${1 - (1 - one) ** 2:.3f}$",
                "This is the chance that at least one of two independent decoders is right. When they disagree, "
                "nobody tells you which; and the decoder of both also uses the many cases in which each alone is wrong "
                "by little.",
            ),
            yes(
                f"${two:.3f}$",
                "Independent populations add their information, to 2 nats, and the curve gives the accuracy.",
            ),
        ),
    )


def _width() -> Question:
    mean = 3.0
    spread = sqrt(2 * mean)
    return Question(
        "In a model of high dimension the log likelihood ratio has mean 3 over true pairs. What are its mean and its "
        "standard deviation over unrelated pairs?",
        (
            yes(
                f"$-3$ and ${spread:.3f}$",
                r"True pairs are the unrelated ones tilted by $e^u$. For a normal law this moves the mean by the "
                r"variance and leaves the variance, so the means are $\mp s^2/2$, and $s = \sqrt{2 \cdot 3}$.",
            ),
            no(
                f"$0$ and ${spread:.3f}$",
                "A mean of 0 over unrelated pairs is impossible unless the ratio is constant: by Jensen's inequality "
                r"$\mathbb{E}\,u < \log \mathbb{E}\,e^u = 0$.",
            ),
            no(f"$-3$ and ${sqrt(mean):.3f}$", r"The variance is twice the information, not equal to it: $I = s^2/2$."),
            no(
                "That depends on the model.",
                "In low dimension it does. When both laws are normal, one number fixes everything.",
            ),
        ),
    )


def _flat() -> Question:
    return Question(
        r"`curve_test` finds $\hat\nu = 1.7$ with $p = 0.0003$ for an experiment with 150 photographs. Which of these "
        "could be the reason?",
        (
            no(
                "The decoder is poor and uses only part of the information.",
                r"A poor decoder in high dimension has a lower curve of the same family. It lowers $\mu$, and not "
                r"necessarily changes $\nu$.",
            ),
            yes(
                "The subject slept through a third of the session.",
                "Responses of very different quality make a mixture of a high and a low curve, which is flatter than "
                r"any curve with $\nu = 1$.",
            ),
            no(
                "There are too few photographs.",
                r"Few stimuli make $\hat\nu$ uncertain, and the test takes that into account: it then rejects rarely.",
            ),
            no(
                "There are too many voxels.",
                "Many voxels with independent small contributions are what the theorem asks for.",
            ),
        ),
    )


def _perfect() -> Question:
    result = implied_information(correct_ranks(np.eye(60), np.arange(60)))
    return Question(
        "All of 60 test stimuli are identified among the 60. What can be said about the implied information?",
        (
            no("It is infinite.", "Sixty successes are also to be expected of large finite information."),
            no(
                f"It is at most $\\log 60 = {log(60):.2f}$ nats.",
                "That is what the *answer* can tell about which of 60 stimuli was shown. The information of the "
                "response about a stimulus from a continuum is not limited by the number of candidates.",
            ),
            yes(
                f"There is a lower end of a 95 % interval, {result.interval.low:.1f} nats, and no upper one.",
                "More information would have given the same data, so nothing bounds it from above. More test stimuli "
                "would help, more digits would not.",
            ),
        ),
    )


def _bound() -> Question:
    implied = float(identification_information(0.9, 100))
    bound = float(information_bound(0.9, 100))
    return Question(
        f"An average Bayes accuracy of 0.9 with 100 classes corresponds to {implied:.2f} nats on the curve of this "
        f"chapter, while the bound of the chapter before gives {bound:.2f} nats. Why do the two differ?",
        (
            no(
                "One of them must be wrong.",
                "They answer different questions, and both answers are right.",
            ),
            yes(
                f"Every law needs at least {bound:.2f} nats; laws of high dimension use {implied:.2f}.",
                "The bound belongs to the law that gets the most accuracy out of its information. Sums of many small "
                "contributions use theirs less well, so for the same accuracy they need more.",
            ),
            no(
                "The bound is for finite samples and loses something to confidence.",
                "Here the accuracy is taken as known exactly. The gap is between laws, not between samples.",
            ),
            no(
                f"The information is between {bound:.2f} and {implied:.2f} nats.",
                "The lower end is right, the upper is not: if nine responses in ten name their stimulus exactly, and "
                "the tenth says nothing, the accuracy is about 0.9 and the information has no bound.",
            ),
        ),
    )


def _neighbours() -> Question:
    two = 0.5 * (1 + erf(1.0))
    return Question(
        "Two hundred pairs of stimulus and response with 100 coordinates each carry 2 nats. The nearest-neighbour "
        "estimate of information is near 0; implied information, with a decoder that knows the likelihood, is near 2. "
        "How can it see what the other does not?",
        (
            no(
                "It uses more data.",
                "Both use the same pairs.",
            ),
            no(
                "It corrects the bias of nearest neighbours.",
                "It has nothing to do with distances between neighbours, and such a correction would have nothing to "
                "start from: in 100 dimensions all points are about equally far apart.",
            ),
            yes(
                "It is told more: the decoder, and that the ratio is a sum of many small terms.",
                "The estimate translates accuracies through a known curve. One pays with assumptions: where the "
                "contributions are few and large it goes wrong, and the neighbours do better.",
            ),
            no(
                "It only looks at the accuracy with two candidates.",
                f"That alone ($\\Phi(\\sqrt2) = {two:.3f}$ here) would do in theory, with much less precision. The "
                "estimate uses the ranks among all 200.",
            ),
        ),
    )
