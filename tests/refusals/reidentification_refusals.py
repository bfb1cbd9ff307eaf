# ruff: noqa: B023 - each call is made before the loop goes on
from classex.fields.reidentification import population_risk


def refused_risk():
    for sizes, options, error, message in [
        ([], {}, TypeError, "sizes must hold whole numbers of people"),
        ([1], {}, ValueError, "at least 2 in all"),
        ([[1, 2]], {}, ValueError, "the number of people in each cell"),
        ([1.5, 2], {}, TypeError, "whole numbers of people, not values of dtype float64"),
        ([3, 0], {}, ValueError, "sizes must be at least 1, but hold 0"),
        ([3, 1], {"n_people": 1}, ValueError, "n_people must hold whole numbers of at least 2"),
        ([3, 1], {"n_people": 2e10}, ValueError, "at most 10000000000"),
        ([3, 1], {"confidence_level": 1}, ValueError, "confidence_level"),
        ([3, 1], {"clusters": [0]}, ValueError, r"clusters must have shape \(2,\), one entry per person"),
        ([3, 1], {"clusters": [0, 0]}, ValueError, "clusters must name at least 2"),
        (
            [3, 1, 1],
            {"clusters": [0, 0, 1], "n_people": 3},
            ValueError,
            "n_people must hold whole numbers of at least 4",
        ),
    ]:
        yield lambda: population_risk(sizes, **{"n_people": 10, **options}), message, error
