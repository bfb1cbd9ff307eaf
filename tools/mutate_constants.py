"""Say which judged constants may move by 30 % without a failing test.

Run as ``python -m tools.mutate_constants [name ...]`` from the root of the repository, with the package on the path;
a name is a module or a constant. Each constant of `JUDGED` is multiplied by 0.7 and by 1.3, whole numbers rounded away
from their value. The nearest tests run in this process. One line for each; the exit status is 1 if one
survives.

`JUDGED` holds the constants that were set by judgement or learnt from data. It leaves out what mathematics, a source, a
format or a convention fixes, tolerances of rounding, bounds, steps and nodes of numerical methods whose accuracy has a
test of its own, and what only costs time or memory.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from io import StringIO
from typing import Any

import numpy as np
import pytest

#: constants by module, and the tests that fail when one of them moves
JUDGED: tuple[tuple[str, str, str], ...] = (
    ("classex._checks", "tests/test_validation.py -k few_clusters", "_FEW_CLUSTERS"),
    ("classex.advantage.intervals", "tests/advantage/test_intervals.py -k rival", "_RIVAL_STANDARD_ERRORS"),
    ("classex.curves.metrics", "tests/curves/test_metrics.py -k stay_accurate", "_RATIO"),
    ("classex.curves.accuracy", "tests/predict/test_published.py -k rise", "_LARGEST_RISE"),
    ("classex.curves.accuracy", "tests/curves/test_weighted.py -k fewest", "_FEWEST_CLASSES"),
    ("classex.forecast.posterior", "tests/forecast/test_components.py", "_LEVEL_SD"),
    ("classex.forecast.posterior", "tests/forecast/test_posterior.py -k likely", "_LIKELY"),
    # the explorer's stored settings hold every number of the prior
    (
        "classex.forecast.posterior",
        "tests/book/test_explorer.py -k constants",
        "ACCURACY_CURVES.components ACCURACY_CURVES.temper",
    ),
    ("classex_book.encoding.fitting", "tests/course/test_encoding.py -k fewest", "_FEWEST_PAIRS"),
    (
        "classex.information.confusion",
        "tests/information/test_confusion.py -k warning or least_variance",
        "_MOST_UNSEEN _LARGEST_SHARE _EXTRA_TESTS",
    ),
    ("classex.information.implied", "tests/information/test_implied.py -k checked_fewest", "_FEWEST_CLASSES"),
    ("classex.fields.growth", "tests/growth/test_growth.py -k prior", "_MISFIT _BETWEEN _PRIOR_GROUPS"),
    ("classex.forecast.forecast", "tests/predict/test_reliance.py -k reach", "_FIXED"),
    ("classex.forecast.forecast", "tests/methods/test_resampling.py", "_FEWEST_CLASSES"),
    ("classex.ranks.scores", "tests/io/test_confusion.py -k few_tests", "_FEWEST_TESTS _MOST_TESTS _MORE_THAN_CHANCE"),
    ("classex.methods.protocol", "tests/methods/test_resampling.py", "DELETE_D.share HALVES.share HALVES.most"),
    ("classex.methods.beta_binomial", "tests/numbers -k beta_binomial", "_CENTRE _WIDTH"),
    ("classex.methods.beta_binomial", "tests/methods/test_learnt.py", "_LEAST_FLAT"),
    ("classex.methods.regression", "tests/methods/test_learnt.py", "COVARIANCE_SHRINKAGE"),
    ("classex.distributions.probit_normal", "tests/numbers -k probit_normal", "_LOG_NU_PRIOR"),
    ("classex.methods.regression", "tests/methods/test_regression.py -k fewest", "_FEWEST_TO_SPLIT"),
    (
        "classex.fields.open_set.prediction",
        "tests/open_set/test_judged.py",
        "_ENOUGH _ENOUGH_PER_SEARCH _SHARE _AT_START _LEAST_MEAN _CONTRADICTED _UNLIKELY _BEYOND",
    ),
    (
        "classex.fields.open_set.prediction",
        "tests/open_set/test_judged.py",
        "_FORM_ERROR _FEWEST _FEWEST_DISTINCT _MOST_ERRORS",
    ),
    ("classex.fields.open_set.prediction", "tests/open_set/test_judged.py", "_FEWEST_PEOPLE _THRESHOLDS"),
    ("classex.ranks.ranks", "tests/ranks/test_inputs.py -k look_like", "_LOWEST_SHARE _LOW_SHARE _STANDARD_ERRORS"),
    ("classex._estimates", "tests/test_results.py -k refuted", "_LARGEST_MISS"),
    ("classex.fields.retrieval", "tests/retrieval/test_retrieval.py -k rare", "_RARE"),
    (
        "classex.fields.retrieval",
        "tests/retrieval/test_larger_corpora.py -k missing or below_the",
        "_UNKNOWN _DEEP",
    ),
)
#: judged, but so far without a test that fails when they move
UNGUARDED = {
    "classex.fields.open_set.prediction": "_COMPARED _SPREADS _COMMON",
}
FACTORS = (0.7, 1.3)


def scaled(value: Any, factor: float) -> Any:
    """Return a number, or all of a sequence or a dataclass, times a factor; whole numbers move by one at least."""
    if isinstance(value, int):
        return (math.floor if factor < 1 else math.ceil)(value * factor)
    if isinstance(value, float | np.ndarray):
        return value * factor
    if is_dataclass(value) and not isinstance(value, type):
        numbers = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(value, **{name: scaled(n, factor) for name, n in numbers.items() if not isinstance(n, str)})
    return type(value)(scaled(one, factor) for one in value)


@contextmanager
def moved(module: str, name: str, factor: float) -> Iterator[None]:
    """Replace a constant, or an attribute of one, wherever the package holds it."""
    owner, _, attribute = name.partition(".")
    old = getattr(import_module(module), owner)
    package = [one for key, one in sys.modules.items() if key.startswith("classex")]
    places = [old] if attribute else [one for one in package if vars(one).get(owner) is old]
    value = getattr(old, attribute) if attribute else old
    for one in package:  # what was computed with the old value
        for function in list(vars(one).values()):
            getattr(function, "cache_clear", bool)()
    for place in places:
        object.__setattr__(place, attribute or owner, scaled(value, factor))
    try:
        yield
    finally:
        for place in places:
            object.__setattr__(place, attribute or owner, value)


def passes(tests: str) -> bool:
    """Whether these tests pass; none at all is a mistake."""
    files, _, expression = tests.partition(" -k ")
    options = ["-q", "-x", "-p", "no:cacheprovider", *(["-k", expression] if expression else [])]
    with redirect_stdout(StringIO()) as said:
        status = pytest.main([*options, *files.split()])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"{tests}: {said.getvalue()}")
    return status == pytest.ExitCode.OK


def main(names: list[str]) -> int:
    """Print one line for each constant, and return 1 if one survives."""
    survivors = 0
    for module, tests, constants in JUDGED:
        chosen = [name for name in constants.split() if not names or name in names or module in names]
        if chosen and not passes(tests):
            raise SystemExit(f"{tests} fails before anything is moved")
        for name in chosen:
            alive = []
            for factor in FACTORS:
                with moved(module, name, factor):
                    alive += [factor] * passes(tests)
            survivors += bool(alive)
            print(f"{module}.{name}: {f'SURVIVES {alive}' if alive else 'killed'}", flush=True)
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
