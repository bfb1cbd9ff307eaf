"""The quiz of Chapter 2."""

from __future__ import annotations

from math import log, sqrt

from classex.bayes import average_bayes_accuracy_bound, bayes_accuracy_variance_bound
from classex.models import BivariateNormal, PartlyIdentifiable
from classex_book.course.questions import Question, no, yes

__all__ = ["questions"]


def questions() -> list[Question]:
    """Return the questions, their numbers computed."""
    return [_whose_accuracy(), _classes_or_points(), _from_above(), _selection(), _other_sizes(), _burst(), _sharp()]


def _bound(accuracy: float, k: int, r: int, n_classifiers: int = 1) -> float:
    return average_bayes_accuracy_bound(accuracy, n_classes=k, n_repeats=r, n_classifiers=n_classifiers, method="joint")


def _whose_accuracy() -> Question:
    bound = _bound(0.9, 200, 50)
    return Question(
        "A recogniser is right in 90 % of the cases, on 200 random classes with 50 test points each. The joint bound "
        f"is {bound:.3f} at level 95 %. Which statement may be made?",
        (
            no(
                f"On the next 200 classes this recogniser is right in {bound:.1%} of the cases at least.",
                "The bound is about the best possible rule. The recogniser at hand may do worse on other classes, and "
                "nothing here bounds by how much.",
            ),
            yes(
                f"Averaged over sets of 200 random classes, the best possible rule reaches {bound:.3f} at least.",
                r"That is $\mathrm{ABA}_{200}$. No rule beats the Bayes rule, so what a rule achieves bounds it from "
                "below.",
            ),
            no(
                f"The best possible rule reaches {bound:.3f} at least on every set of 200 classes.",
                "An average says nothing about every set: a set of near twins may be hopeless.",
            ),
            no(
                f"With probability .95, $\\mathrm{{ABA}}_{{200}}$ lies between {bound:.3f} and .9.",
                "The bound is one-sided. The best rule may be far better than the recogniser, so nothing bounds it "
                "from above.",
            ),
        ),
    )


def _classes_or_points() -> Question:
    now, points, classes = (0.9 - _bound(0.9, k, r) for k, r in ((100, 10), (100, 10**9), (200, 10)))
    return Question(
        f"With 100 classes and 10 test points each the joint bound lies {now:.3f} below the test accuracy. What "
        "brings it closest?",
        (
            no(
                "A million test points for each class.",
                f"The distance becomes {points:.3f}: the factor $1 + 1/r$ falls from 1.1 to 1 and no further, because "
                "the draw of the classes is not observed more often.",
            ),
            yes(
                "Twice as many classes, with 10 test points each.",
                f"The distance becomes {classes:.3f}, that is $1/\\sqrt 2$ of what it was. The number of classes "
                "stands outside the bracket.",
            ),
            no(
                "A better classifier.",
                "It raises test accuracy and bound alike; the distance between them is the same for every accuracy.",
            ),
        ),
    )


def _from_above() -> Question:
    return Question(
        "Why is there no upper confidence bound for the average Bayes accuracy without assumptions?",
        (
            yes(
                "Because a better rule than the one tested may always exist.",
                r"$\mathrm{GA}(f) \le \mathrm{BA}$ points one way only. A failure of the rule in hand may be its own.",
            ),
            no(
                "Because the test points are not identically distributed.",
                "Hoeffding's inequality does not need that, and it bounds $\\mathrm{GA}$ of the rule from both sides.",
            ),
            no(
                "Because the variance of the Bayes accuracy is not known.",
                r"It is at most $1/(4k)$ for every joint density. From an upper bound for $\mathrm{BA}$ one for its "
                "mean would follow; it is the former that does not exist.",
            ),
        ),
    )


def _selection() -> Question:
    one, many = (0.9 - _bound(0.9, 100, 20, tried) for tried in (1, 100))
    factor = log(100 / 0.05) / log(1 / 0.05)
    return Question(
        "You tried 100 classifiers on the same test points and report the best. The level is 95 %. What does the "
        "correction cost?",
        (
            no(
                "The bound lies 100 times farther below the test accuracy.",
                f"The error probability is divided by 100, but it enters through its logarithm: {one:.3f} becomes "
                f"{many:.3f}.",
            ),
            yes(
                f"As much as having {factor:.1f} times fewer classes.",
                rf"$\log(L/\alpha)$ takes the place of $\log(1/\alpha)$, and the classes stand in the denominator: "
                rf"$\log 2000/\log 20 = {factor:.2f}$.",
            ),
            no(
                "Nothing, because all of them were tested on the same points.",
                "That is why a correction is needed: the best was chosen for its luck on just these points.",
            ),
            no(
                "Nothing, if the 100 classifiers are nearly the same.",
                "The correction is cautious then, since their luck is shared. But how nearly they are the same is not "
                "known, and the bound must hold anyway.",
            ),
        ),
    )


def _other_sizes() -> Question:
    ten, hundred = BivariateNormal(0.99).average_bayes_accuracy([10, 100])
    return Question(
        r"An experiment with 100 classes gives a lower bound for $\mathrm{ABA}_{100}$. For which other $k$ is it a "
        r"lower bound for $\mathrm{ABA}_k$?",
        (
            no("For none.", r"$\mathrm{ABA}_k$ decreases in $k$, and that is known without any data."),
            yes(
                "For all smaller $k$.",
                r"Fewer rivals can only help the best rule. In the toy problem with $\rho = .99$, for example, "
                rf"$\mathrm{{ABA}}_{{10}} = {ten:.2f}$ and $\mathrm{{ABA}}_{{100}} = {hundred:.2f}$.",
            ),
            no(
                "For all larger $k$.",
                "The other way round. With more classes accuracy falls, and how fast is what the next chapter asks.",
            ),
        ),
    )


def _burst() -> Question:
    naive, honest = (0.9 - _bound(0.9, 50, r) for r in (40, 1))
    return Question(
        "Each of 50 people was photographed 40 times in one burst, and all 40 photographs were tested. Which number of "
        "repeats $r$ goes into the joint bound?",
        (
            no(
                "40, the number of photographs.",
                "Photographs of one burst share light, pose and expression. Given the person they are not independent, "
                "and Hoeffding's inequality needs that.",
            ),
            yes(
                "1, with one photograph of each person, drawn at random.",
                f"Then the test points are independent given the classes. The price has a limit, a factor of "
                f"$\\sqrt 2$: the bound lies {honest:.3f} below the test accuracy instead of {naive:.3f}.",
            ),
            no(
                "The bound cannot be used at all.",
                "It can, for one photograph of each person. What is left out is only what the burst repeats.",
            ),
        ),
    )


def _sharp() -> Question:
    worst = sqrt(bayes_accuracy_variance_bound(100))
    exact = sqrt(PartlyIdentifiable(share=0.5).bayes_accuracy_variance(100))
    return Question(
        f"The Bayes accuracy of 100 random classes has a standard deviation of at most {worst:.3f}. Is that ever "
        "attained?",
        (
            no(
                "Yes, by most models: the inequality of Efron and Stein is an equality.",
                "It is an equality for sums of independent terms. The envelope of overlapping curves is no sum, and "
                "ordinary models stay far below the bound.",
            ),
            no(
                "No, the bound is an artefact of its proof.",
                f"Classes that are unmistakable with probability 1/2, and all alike otherwise, have {exact:.4f}.",
            ),
            yes(
                "Nearly, by classes that are either unmistakable or all alike.",
                f"Then the Bayes accuracy counts coin tosses, and its standard deviation is {exact:.4f}. A bound for "
                "all models has to allow for this one.",
            ),
        ),
    )
