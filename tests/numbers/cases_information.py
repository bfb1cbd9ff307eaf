"""Information, Bayes accuracy, and models that are known exactly."""

from __future__ import annotations

import numpy as np

import classex as cx
from classex_book.models import MultivariateLogistic, VonMisesFisherClasses

from .inputs import case, labels, many, scores, tied, untied

NATS = np.array([1e-6, 0.01, 0.3, 1.0, 2.5, 6.0, 15.0])


@case
def ceilings():
    return cx.accuracy_ceiling(NATS, 2), cx.accuracy_ceiling(NATS, 10), cx.accuracy_ceiling(NATS, 10**6)


@case
def bounds_on_information():
    accuracy = [0.52, 0.7, 0.9, 0.99, 0.999999]
    return (
        cx.information_bound(accuracy, 2),
        cx.information_bound(accuracy, 20),
        cx.information_bound(accuracy, 10**5),
        cx.information_bound([1.0, 1.0], 50, error=[1e-9, 1e-40]),
    )


@case
def bounds_by_fano():
    accuracy = [0.52, 0.7, 0.9, 0.99, 0.999999]
    return cx.fano_bound(accuracy, 2), cx.fano_bound(accuracy, 20), cx.fano_bound(accuracy, 10**5)


@case
def accuracy_in_high_dimensions():
    return (
        cx.identification_accuracy(NATS, 2),
        cx.identification_accuracy(NATS, 10),
        cx.identification_accuracy(NATS, 1000),
        cx.identification_accuracy(NATS, 10**7),
    )


@case
def information_in_high_dimensions():
    accuracy = [0.6, 0.75, 0.9, 0.999]
    return (
        cx.information.identification_information(accuracy, 2),
        cx.information.identification_information(accuracy, 30),
        cx.information.identification_information(accuracy, 10**5),
    )


@case
def information_implied():
    one = cx.implied_information(many())
    two = cx.implied_information(untied())
    return (
        *(one.value, one.standard_error, one.interval.low, one.interval.high),
        *(two.value, two.standard_error, two.interval.low, two.interval.high),
    )


@case
def information_implied_with_ties():
    found = cx.implied_information(tied(), confidence_level=0.8)
    return found.value, found.standard_error, found.interval.low, found.interval.high


@case
def information_implied_by_least_squares():
    found = cx.implied_information(many(), method="least_squares")
    return found.value, found.standard_error, found.interval.low, found.interval.high


@case
def information_compared():
    other = cx.correct_ranks(scores(60, 3, 2.0, 9), labels(60, 3))
    found = cx.information.compare_implied_information(many(), other)
    return found.value, found.standard_error, found.interval.low, found.interval.high, found.p_value


@case
def information_with_confidence():
    one = cx.information_confidence_bound(many())
    two = cx.information_confidence_bound(untied(), n_classes=[5, 10, 25], method="joint", confidence_level=0.9)
    return (
        *(one.information_by_class_count.max(), one.n_classes, one.class_counts, one.accuracy, one.accuracy_bound),
        *(two.information_by_class_count.max(), two.n_classes, two.accuracy_bound, two.information_by_class_count),
    )


@case
def units_of_information():
    return cx.information.nats_to_bits([0.5, 8.0])


@case
def the_extremal_channel():
    channel = cx.information.ExtremalChannel(information=2.0, n_classes=100)
    return (
        channel.average_bayes_accuracy,
        channel.density(np.linspace(0, 1, 6)),
        cx.information.extremal_density(np.linspace(0, 1, 6), 1.0, 2),
    )


@case
def numbers_of_classes_by_default():
    return cx.information.default_class_counts(400), cx.information.default_class_counts(37)


@case
def bounds_on_bayes_accuracy():
    return [
        cx.bayes.bayes_accuracy_bound(0.9, n_classes=20, n_repeats=5),
        cx.bayes.bayes_accuracy_bound(0.9, n_classes=20, n_repeats=5, n_classifiers=10),
        cx.bayes.bayes_accuracy_bound(0.9, n_classes=20, n_repeats=5, method="hoeffding"),
        cx.bayes.bayes_accuracy_bound(0.4, n_classes=100, n_repeats=2, confidence_level=0.99),
        cx.bayes.generalisation_accuracy_bound(0.9, n_classes=20, n_repeats=5),
        cx.bayes.generalisation_accuracy_bound(0.75, n_classes=50, n_repeats=8, method="hoeffding"),
        cx.bayes.generalisation_accuracy_bound(0.8, n_classes=4, n_repeats=[5, 6, 7, 8], method="hoeffding"),
    ]


@case
def bounds_on_average_bayes_accuracy():
    return [
        cx.average_bayes_accuracy_bound(0.9, n_classes=200, n_repeats=50, method="joint"),
        cx.average_bayes_accuracy_bound(0.9, n_classes=200, n_repeats=50, confidence_level=0.8, method="joint"),
        cx.average_bayes_accuracy_bound(0.9, n_classes=200, n_repeats=50, n_classifiers=20, method="joint"),
        cx.average_bayes_accuracy_bound(0.6, n_classes=40, n_repeats=3, method="joint"),
        cx.average_bayes_accuracy_bound(0.6, n_classes=40, n_repeats=3, method="chernoff"),
        cx.average_bayes_accuracy_bound(0.6, n_classes=40, n_repeats=3, method="split"),
        cx.average_bayes_accuracy_bound(0.6, n_classes=40, n_repeats=3, method="cantelli"),
        cx.average_bayes_accuracy_bound(0.6, n_classes=40, n_repeats=3, method="thesis"),
    ]


@case
def variance_of_bayes_accuracy():
    return [
        cx.bayes.bayes_accuracy_variance_bound(200),
        cx.bayes.bayes_accuracy_variance_bound(200, average_accuracy=0.95),
        cx.bayes.bayes_accuracy_variance_bound(200, average_accuracy=0.95, one_fewer=0.951),
        cx.bayes.bayes_accuracy_variance_bound(3, average_accuracy=0.5),
    ]


@case
def designs():
    cheap = cx.bayes.cheapest_design(0.1, accuracy=0.9, class_cost=25.0)
    even = cx.bayes.cheapest_design(0.2, accuracy=0.8)
    return (
        *(cheap.n_classes, cheap.n_repeats, cheap.cost, even.n_classes, even.n_repeats, even.cost),
        cx.bayes.required_classes(0.1, accuracy=0.9, n_repeats=10),
        cx.bayes.required_classes(0.2, accuracy=0.7, n_repeats=3, confidence_level=0.9),
    )


@case
def classes_that_are_distinct():
    return [cx.bayes.distinct_share(10, 468), cx.bayes.distinct_share(100, 468), cx.bayes.distinct_share(300, 468)]


@case
def bayes_accuracy_of_tables():
    likelihood = np.random.default_rng(10).dirichlet(np.ones(5), size=6)
    return (
        cx.bayes.average_bayes_accuracy(likelihood, [2, 3, 4, 10]),
        cx.bayes.average_bayes_accuracy(np.repeat(likelihood, [1, 1, 1, 2, 2, 3], axis=0), [2, 5]),
    )


@case
def bayes_accuracy_by_simulation():
    one = cx.bayes.average_bayes_accuracy_by_simulation(cx.models.BivariateNormal(0.7), 3, n_experiments=50, rng=0)
    two = cx.bayes.bayes_accuracy_variance_by_simulation(cx.models.PartlyIdentifiable(0.5), 10, n_class_sets=50, rng=0)
    return one.value, one.standard_error, two.value, two.standard_error


@case
def curves_of_the_bivariate_normal():
    model = cx.models.BivariateNormal(rho=0.7)
    return (
        model.average_accuracy([2, 3, 10, 100, 1000]),
        model.information(),
        model.discriminability([0.1, 0.5, 0.9]),
        model.favourability([0.3, -1.0], [0.5, 0.2]),
        model.bayes_accuracy([-1.0, 0.2, 1.5]),
    )


@case
def curves_of_gaussian_classes():
    stored = cx.models.GaussianClasses(n_features=10, noise=0.2)
    centred = cx.models.GaussianClasses(n_features=4, noise=0.1, stored="centroid")
    return (
        stored.average_accuracy([2, 20, 200, 2000]),
        centred.average_accuracy([2, 20, 200]),
        stored.discriminability([0.5, 0.95]),
    )


@case
def curves_of_the_gaussian_sequence():
    model = cx.models.GaussianSequence(n_features=100, signal=4.0)
    return model.average_bayes_accuracy([2, 10, 100]), model.information(), model.average_accuracy([2, 50])


@case
def curves_of_vectors_on_a_sphere():
    model = VonMisesFisherClasses(n_features=128, concentration=93.17)
    return model.average_accuracy([2, 100, 1672]), model.information()


@case
def curves_of_random_codes():
    code = cx.models.RandomCode(length=31, crossover=0.1)
    return (
        code.average_accuracy([2, 64, 2**10, 2**20]),
        code.average_accuracy_at_rate([0.2, 0.4]),
        code.information(),
        code.capacity,
    )


@case
def curves_of_partly_identifiable_classes():
    model = cx.models.PartlyIdentifiable(share=0.4)
    return (
        model.average_accuracy([2, 3, 10, 500]),
        model.bayes_accuracy_variance(10),
        model.discriminability([0.2, 0.7]),
    )


@case
def information_of_the_logistic_model():
    return [
        MultivariateLogistic(n_features=50, weight=1.0).information(),
        MultivariateLogistic(n_features=3, weight=2.0).information(),
    ]


@case
def samples_of_models():
    sample = cx.models.GaussianClasses(3, 0.2).sample(6, n_repeats=1, rng=0)
    plain = cx.models.BivariateNormal(0.9).sample(3, rng=1)
    return sample.points[0], sample.references[0], sample.scores[0], plain.scores[0], plain.bayes_scores[0]
