"""The quiz of Chapter 6."""

from __future__ import annotations

from math import log

import numpy as np

from classex.advantage import advantage_of_accuracy, confusion_measures, prediction_advantage, related_measures
from classex_book.course.questions import Question, no, yes

__all__ = ["questions"]


def questions() -> list[Question]:
    """Return the questions, their numbers computed."""
    return [_rare(), _dice(), _never(), _thousand(), _declining(), _shifted(), _objective()]


def _rare() -> Question:
    true = np.repeat([0, 1], [980, 20])
    predicted = np.where(np.arange(1000) < 10, 1 - true, true)
    value = prediction_advantage(true, predicted)
    return Question(
        "Two per cent of the rows belong to the rarer of two classes, and a classifier has accuracy 0.99. What is its "
        "prediction advantage under zero-one loss?",
        (
            no("$0.99$", "This is the accuracy. The constant answer alone has 0.98 of it."),
            no("$0.01$", "This is the gain in accuracy over the constant, 0.99 - 0.98, not divided by what was left."),
            yes(f"${value:.2f}$", "The constant errs in 2 % of the rows, the classifier in 1 %: half is removed."),
            no(
                "That depends on which rows are wrong.",
                "Recall and precision do. The advantage under zero-one loss counts errors of both kinds alike.",
            ),
        ),
    )


def _dice() -> Question:
    shares = np.array([0.7, 0.2, 0.1])
    dice = 1 - float(shares @ shares)
    return Question(
        "Three classes have shares 0.7, 0.2 and 0.1. What is the smallest error of a predictor that does not look?",
        (
            no(
                f"${dice:.2f}$, by rolling dice with these shares.",
                "This guesser matches the frequencies and errs more than it must: whenever it says one of the rare "
                "classes it is probably wrong. The error of dice is what kappa compares with.",
            ),
            yes(
                f"${1 - shares.max():.2f}$, by always naming the largest class.",
                "The expected loss of a random guess is a mean of the losses of constants, and a mean is never below "
                "the least of its terms.",
            ),
            no(
                f"${1 - 1 / 3:.2f}$, by guessing evenly.",
                "Even guessing is best only when the shares are equal, and then a constant does as well.",
            ),
        ),
    )


def _never() -> Question:
    rare = confusion_measures([[500, 0, 0], [0, 490, 0], [10, 0, 0]])
    worse = confusion_measures([[0, 12], [2, 10]])
    return Question(
        "Under zero-one loss, with the constant taken from the same labels, which of these can *not* happen?",
        (
            yes(
                "The advantage exceeds Cohen's kappa.",
                r"Both divide the error; the advantage by $1 - \max_i p_i$, kappa by $1 - \sum_i p_i q_i$, which is at "
                "least as large, whatever the number of classes.",
            ),
            no(
                "The advantage exceeds balanced accuracy.",
                f"With three classes it can: {float(rare.prediction_advantage):.2f} against "
                f"{float(rare.balanced_accuracy):.2f} when a class of 1 % is always missed. With two it cannot.",
            ),
            no(
                "The advantage exceeds Matthews' coefficient.",
                f"It can where it is negative: {float(worse.prediction_advantage):.2f} against "
                f"{float(worse.matthews):.2f} for a classifier worse than blind. Where it is not negative it cannot.",
            ),
            no("The advantage is negative.", "A predictor may do worse than the best constant, and many do."),
        ),
    )


def _thousand() -> Question:
    ten, hundred, thousand = (0.7 + 0.3 / k for k in (10, 100, 1000))
    linear = 2 * hundred - ten
    share = float(advantage_of_accuracy(hundred, 100))
    return Question(
        f"A recogniser has accuracy {ten:.3f} with 10 classes and {hundred:.3f} with 100. Its advantage is {share:.2f} "
        "both times. If the advantage stays what it is, what is the accuracy with 1,000?",
        (
            no(
                f"${linear:.3f}$",
                "This continues the fall by equal steps for every tenfold. Here the fall was only luck running out, "
                "and there is little luck left to lose.",
            ),
            yes(
                f"${thousand:.4f}$",
                r"A constant advantage $p$ means $p + (1 - p)/k$: the recogniser knows 70 % of the answers and guesses "
                "the others.",
            ),
            no(f"${hundred:.3f}$, as with 100.", "The advantage stays; the accuracy still loses the lucky guesses."),
            no("Close to $0$.", "Guessing comes close to 0. What is known stays known."),
        ),
    )


def _declining() -> Question:
    kept = np.repeat([0, 1], [90, 10])
    answers = np.where(np.arange(100) < 5, 1, 0)
    risk = float(np.mean(kept != answers))
    value = prediction_advantage(kept, answers)
    return Question(
        f"A classifier answers only where it is confident. On the rows it accepts, {risk:.0%} of its answers are "
        f"wrong, less than on all rows; yet its advantage there is ${value:.2f}$. How can that be?",
        (
            no(
                "There is a mistake: if the risk falls, the advantage rises.",
                "That holds on one set of rows. Declining changes the rows, and with them the blind guesser's risk.",
            ),
            yes(
                "It kept mostly the easy majority, on which a constant is wrong even less often.",
                "Only 10 % of the accepted rows belong to the other class. Confidence selects rows that need no "
                "classifier.",
            ),
            no(
                "Too few rows were accepted for a reliable figure.",
                "Few rows make any figure uncertain, but do not push the advantage below zero in particular.",
            ),
        ),
    )


def _shifted() -> Question:
    true, predicted = np.repeat([0, 1], [10, 90]), np.ones(100)
    value = prediction_advantage(true, predicted, marginal_prediction=0)
    kappa = float(related_measures(true, predicted).kappa)
    return Question(
        "The constant is learnt on training labels, where class 0 is the larger. In the test set 90 % of the labels "
        f"are 1. A predictor has advantage {value:.2f} over that constant. What do you conclude?",
        (
            no(
                "It uses its input well.",
                f"The predictor that always says 1 reaches this number, with kappa {kappa:.0f}.",
            ),
            yes(
                "Nothing about its use of the input: the constant is not the best one for these labels.",
                "The theorems about related measures hold for the marginal of the evaluated labels. Over an outdated "
                "constant one may win by knowing the new shares.",
            ),
            no(
                "The number is invalid, since an advantage must use the test labels.",
                "It answers a question one may ask: how much better is this than what we did before? It must be "
                "reported as such.",
            ),
        ),
    )


def _objective() -> Question:
    bits = log(2)
    return Question(
        "You have one data set and want the classifier with the largest prediction advantage under cross-entropy. What "
        "should you minimise in training?",
        (
            yes(
                "Cross-entropy, as ever.",
                "On fixed data the blind risk does not depend on the classifier, so the smallest risk has the largest "
                "advantage.",
            ),
            no(
                "The ratio of the two risks, which needs a method for fractional programs.",
                "That is needed when the rows are chosen along with the predictor. Here the denominator is a constant.",
            ),
            no(
                "Cross-entropy with classes reweighted to equal totals.",
                "That changes the task, and maximises the advantage of the reweighted one, whose blind risk with two "
                rf"classes is $\log 2 = {bits:.3f}$.",
            ),
        ),
    )
