"""What is no prior is refused, by name."""

from __future__ import annotations

import pytest

from classex.laws import CurvePrior


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("level", float("nan")),
        ("normal", float("inf")),
        ("level_sd", -1.0),
        ("wander", -0.5),
        ("reach", 0.0),
        ("spread", float("nan")),
        ("scores", 1.0),
        ("scores", -0.1),
    ],
)
def test_what_is_no_prior_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be .*not {value!r}"):
        CurvePrior(**{name: value})


def test_deviations_may_be_zero() -> None:
    prior = CurvePrior(level_sd=0.0, wander=0.0, spread=0.0, scores=0.0)
    assert (prior.level_sd, prior.wander, prior.spread, prior.scores) == (0.0, 0.0, 0.0, 0.0)
