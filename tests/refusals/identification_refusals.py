# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

from classex.fields.identification import (
    detectable_information,
    identification_power,
    permutation_test,
)
from classex_book.encoding import IdentificationModel


def refused_design():
    for arguments, options, message in [
        ((-1.0, 10, 1), {}, "information"),
        (
            (0.1, 5, 20),
            {},
            "n_repeats must give at least 6 stimuli and 18 responses in all, not 5 and 100",
        ),
        ((0.1, 8, 2), {}, "not 8 and 16: simulate"),
        ((0.1, 6, 20), {"level": 0.001}, "n_stimuli must have at least 5000 orders"),
        ((0.1, 10, 0), {}, "n_repeats"),
        ((0.1, 20, 1), {"level": 1.0}, "level"),
        ((0.1, 10, 2), {"n_classes": 11}, "n_classes"),
    ]:
        yield lambda: identification_power(*arguments, **options), message
    yield lambda: detectable_information(10, 5, power=0.04), "power must be above level"


def refused_model():
    yield lambda: IdentificationModel(covariance="raw"), "covariance must be one of"
    rng = np.random.default_rng(0)
    train, stimuli, x = rng.normal(size=(80, 10)), rng.normal(size=(80, 6)), rng.normal(size=(30, 6))
    model = IdentificationModel().fit(stimuli, train)
    x, y = stimuli[:20], train[:30]
    yield lambda: IdentificationModel().predict(x), "not fitted yet: call fit"
    yield lambda: model.scores(x, y[:, 1:]), "responses must have 10 columns, as in training, but has 9"
    yield lambda: model.scores(x[:, 1:], y), "stimuli must have 6 columns"
    yield lambda: model.identify(x[:20], y), "labels must give the stimulus, one of 20, of each of the 30 responses"
    for bad in ([0, 0], [10], [-1], [], [0.5], [[0, 1]]):
        yield lambda: model.subset(bad), "responses must hold"
    x, y = stimuli[:8], train[:8]
    yield lambda: IdentificationModel().fit(x, np.where(np.arange(10) == 2, 1.0, y)), "column 2 is constant"
    yield lambda: IdentificationModel(covariance="diagonal", shrinkage=0.0).fit(x, y), "cannot be inverted with"


def refused_permutation():
    yield lambda: permutation_test(np.ones((3, 4))), "labels must be given where scores is not square"
    yield lambda: permutation_test(np.ones((3, 2)), labels=[0, 1, 1]), "stimulus 1 has 2 and stimulus 0 has 1"
    yield lambda: permutation_test(np.eye(3), n_classes=4), "n_classes must be an integer of at least 2 and at most 3"
    yield lambda: permutation_test(np.eye(3), n_permutations=0), "n_permutations must be an integer of at least 1"
    yield lambda: permutation_test(np.eye(3), runs=[0, 1]), r"runs must have shape \(3,\), one entry per class"
    yield lambda: permutation_test(np.eye(3), runs=[0, 1, 2]), "runs must hold at least one run with two stimuli"
