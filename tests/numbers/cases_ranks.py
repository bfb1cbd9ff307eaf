"""Ranks and curves: integers and averages of integers."""

from __future__ import annotations

import numpy as np

import classex as cx

from .inputs import case, costs, labels, many, sampled, scores, tied, unequal, untied


@case
def ranks_of_scores():
    return (untied().wins,)


@case
def ranks_with_ties():
    return tied().wins, tied().ties


@case
def ranks_of_near_ties():
    base = np.ones((6, 6))
    near = base + np.finfo(float).eps * np.arange(-3, 3)
    ranks = cx.correct_ranks(near, np.arange(6))
    single = cx.correct_ranks(near.astype(np.float32), np.arange(6))
    return ranks.wins, ranks.ties, single.wins, single.ties


@case
def ranks_in_a_gallery():
    return unequal().wins, unequal().n_tested


@case
def ranks_by_name():
    names = ["ant", "bee", "cat", "dog"]
    table = scores(4, 2, 1.0, 6)
    ranks = cx.correct_ranks(table, ["ant", "ant", "bee", "bee", "cat", "cat", "dog", "dog"], classes=names)
    return (ranks.wins,)


def embeddings(n_features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    references = rng.standard_normal((12, n_features))
    return references + 0.8 * rng.standard_normal((12, n_features)), references


@case
def ranks_of_few_features():
    test, references = embeddings(3)
    return (cx.correct_ranks_from_embeddings(test, references, range(12)).wins,)


@case
def ranks_of_inner_products():
    test, references = embeddings(120)
    return (cx.correct_ranks_from_embeddings(test, references, range(12), metric="inner_product").wins,)


@case
def ranks_of_cosines():
    test, references = embeddings(5)
    return (cx.correct_ranks_from_embeddings(test, references, range(12), metric="cosine").wins,)


@case
def ranks_of_the_nearest_reference():
    test, references = embeddings(4)
    return (cx.correct_ranks_from_embeddings(test, references, np.arange(12) % 6, np.arange(12) % 6).wins,)


@case
def ranks_of_the_mean_reference():
    test, references = embeddings(4)
    ranks = cx.correct_ranks_from_embeddings(test, references, np.arange(12) % 6, np.arange(12) % 6, aggregate="mean")
    return (ranks.wins,)


@case
def ranks_of_embeddings_that_tie():
    grid = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    ranks = cx.correct_ranks_from_embeddings(grid + 0.5, grid, range(6))
    return ranks.wins, ranks.ties


@case
def ranks_bounded_by_neighbours():
    bounds = cx.ranks.ranks_from_neighbours(
        [[0.2], [1.4], [6.0]], [[0.0], [1.0], [2.0], [9.0]], [0, 1, 0], [[0, 1], [2, 1], [3, 2]]
    )
    return bounds.least.wins, bounds.most.wins


@case
def weights_of_points():
    return (cx.ranks.point_weights(unequal()),)


@case
def ranks_of_subsets():
    ranks, block = cx.ranks.subset_ranks(scores(25, 2, 2.0), labels(25, 2), [0, 3, 4, 9, 17, 24])
    return ranks.wins, block[0], cx.ranks.thin_ranks(untied(), range(10), rng=0).wins


@case
def ranks_of_sampled_wrong_labels():
    return (sampled().wins[:20],)


@case
def curve():
    found = cx.accuracy_curve(untied())
    return found.accuracy, found.standard_error


@case
def curve_with_ties():
    found = cx.accuracy_curve(tied())
    return found.accuracy, found.standard_error


@case
def curve_of_a_gallery():
    found = cx.accuracy_curve(unequal())
    return found.accuracy, found.standard_error


@case
def curve_of_many_points():
    found = cx.accuracy_curve(many(), [2, 3, 5, 10, 20, 40, 59, 60])
    return found.n_classes, found.accuracy, found.standard_error


@case
def curve_of_sampled_wrong_labels():
    found = cx.accuracy_curve(sampled(), [2, 5, 10, 20])
    return found.accuracy, found.standard_error


@case
def curve_of_the_three_best():
    found = cx.accuracy_curve(many(), [3, 5, 10, 30, 60], top=3)
    return found.accuracy, found.standard_error


@case
def curve_of_the_two_best_with_ties():
    found = cx.accuracy_curve(tied(), [2, 5, 10, 20], top=2)
    return found.accuracy, found.standard_error


@case
def intervals_of_a_curve():
    # with two classes the interval allows for half a class more since version 0.3.0
    return (cx.accuracy_curve(many(), [10, 30, 60]).interval(0.9),)


@case
def covariance_of_a_curve():
    return cx.curves.accuracy_covariance(untied(), [2, 5, 12, 25]), cx.curves.accuracy_covariance(
        tied(), [3, 20], top=2
    )


@case
def recall():
    found = cx.accuracy_curve(many(), [5, 20, 60], metric="recall@5")
    return found.accuracy, found.standard_error


@case
def mean_reciprocal_rank():
    found = cx.accuracy_curve(many(), [5, 20, 60], metric="mrr")
    return found.accuracy, found.standard_error


@case
def mean_reciprocal_rank_with_ties():
    found = cx.accuracy_curve(tied(), [2, 10, 20], metric="mrr@4")
    return found.accuracy, found.standard_error


@case
def discounted_gain():
    found = cx.accuracy_curve(unequal(), [2, 6, 12], metric="ndcg@10")
    return found.accuracy, found.standard_error


@case
def mean_average_precision():
    found = cx.accuracy_curve(untied(), [3, 12, 25], metric="map@3")
    return found.accuracy, found.standard_error


@case
def metric_of_my_own():
    halving = cx.curves.RankMetric("halving", lambda rank: 0.5 ** (rank - 1.0), cutoff=4)
    found = cx.accuracy_curve(untied(), [2, 8, 25], metric=halving)
    return halving.values(np.arange(1.0, 7.0)), found.accuracy, found.standard_error


@case
def metrics_expected_at_chance():
    return (
        cx.curves.expected_metric(lambda sizes, m: m / sizes, [2, 10, 50], "mrr"),
        cx.curves.expected_metric(lambda sizes, m: m / sizes, [2, 10, 50], "ndcg@10"),
    )


@case
def exchangeability():
    test = cx.curves.exchangeability_test(
        scores(25, 2, 2.0), labels(25, 2), [c % 5 for c in range(25)], 3, n_permutations=99, rng=0
    )
    return (
        *(test.accuracy, test.within_accuracy, test.mixed_accuracy, test.nearness_error, test.difficulty_error),
        *(test.nearness, test.nearness_p_value, test.difficulty, test.difficulty_p_value),
    )


@case
def ordered_costs():
    priors = np.arange(1.0, 13.0)
    return (
        cx.curves.mean_ordered_costs(scores(12, 2, 1.0, 8), labels(12, 2), costs(12)),
        cx.curves.mean_ordered_costs(scores(12, 2, 1.0, 8), labels(12, 2), costs(12), priors),
    )


@case
def risks():
    found = cx.risk_curve(scores(12, 2, 1.0, 8), labels(12, 2), costs(12))
    return found.accuracy, found.standard_error


@case
def risks_with_priors():
    found = cx.risk_curve(
        scores(12, 2, 1.0, 8), labels(12, 2), costs(12), np.arange(1.0, 13.0), n_classes=[2, 4, 8, 12]
    )
    return found.accuracy, found.standard_error
