import numpy as np

from classex.models import (
    BivariateNormal,
    GaussianClasses,
    GaussianSequence,
    PartlyIdentifiable,
    RandomCode,
)


def refused_models():
    yield from [
        (lambda: BivariateNormal(rho=1.0), "rho must be a number strictly between 0 and 1, not 1.0"),
        (lambda: GaussianClasses(n_features=0), "n_features must be an integer of at least 1"),
        (lambda: GaussianClasses(noise=-0.1), "noise must be a finite number greater than 0"),
        (lambda: GaussianClasses(stored="photo"), "stored must be one of 'example', 'centroid', not 'photo'"),
        (lambda: GaussianSequence(signal=0.0), "signal must be a finite number greater than 0"),
        (lambda: RandomCode(crossover=0.5), "crossover must be a number strictly between 0 and 1/2, not 0.5"),
        (lambda: PartlyIdentifiable(share=0.0), "share must be a number strictly between 0 and 1"),
        (lambda: BivariateNormal(0.5).sample(1), "n_classes must be an integer of at least 2"),
        (lambda: BivariateNormal(0.5).sample(2, n_repeats=0), "n_repeats must be an integer of at least 1"),
        (lambda: BivariateNormal(0.5).average_accuracy(0), "n_classes must hold whole numbers of at least 1"),
        (lambda: BivariateNormal(0.5).discriminability(1.5), "u must be in \\[0, 1\\], not 1.5"),
        (lambda: BivariateNormal(0.5).scores([[1.0, 2.0]], [[1.0]]), "points must have 1 columns"),
        (lambda: RandomCode(30, 0.1).class_accuracies(np.zeros((2, 30))), "length must be at most 20"),
        (lambda: RandomCode(3, 0.1).class_accuracies([[0, 1, 2]]), "references must hold 0 and 1 in 3 columns"),
        (lambda: RandomCode(3, 0.1).average_accuracy_at_rate(-0.1), "rate must be at least 0 nats, not -0.1"),
    ]
    yield lambda: GaussianSequence().bayes_accuracy(np.zeros((2, 100))), "GaussianSequence has no", NotImplementedError
