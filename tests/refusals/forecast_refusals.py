# ruff: noqa: B023 - each call is made before the loop goes on
from classex.forecast import related_curve


def refused_components():
    for like, error in [
        ("wisdom", ValueError),
        (3, TypeError),
        (([10], [0.5]), ValueError),
        (([10, 20], [0.5, 1.2]), ValueError),
    ]:
        yield lambda: related_curve(like), "like", error
