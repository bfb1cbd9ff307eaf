"""Say which judged constants may move by 30 %, and which lines of the core may be wrong, without a failing test.

Run as ``python -m tools.mutate_constants [name ...]`` from the root of the repository, with the package on the path;
a name is a module, a constant or a function. Each constant of `JUDGED` is multiplied by 0.7 and by 1.3, whole numbers
rounded away from their value, and each function of `WRONG` gets one wrong expression: a comparison, a sign, a constant
or a number that is off by one. The nearest tests run in this process. One line for each; the exit status is 1 if one
survives.

`JUDGED` holds the constants that were set by judgement or learnt from data. It leaves out what mathematics, a source, a
format or a convention fixes, tolerances of rounding, bounds, steps and nodes of numerical methods whose accuracy has a
test of its own, and what only costs time or memory.
"""

from __future__ import annotations

import inspect
import math
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from io import StringIO
from typing import Any

import numpy as np
import pytest

#: constants by module, and the tests that fail when one of them moves
JUDGED: dict[str, tuple[str, str]] = {
    "classex._checks": ("tests/test_validation.py -k few_clusters", "_FEW_CLUSTERS"),
    "classex.advantage.intervals": ("tests/advantage/test_intervals.py -k rival", "_RIVAL_STANDARD_ERRORS"),
    "classex.curves.metrics": ("tests/curves/test_metrics.py -k stay_accurate", "_RATIO"),
    "classex.curves.accuracy": ("tests/predict/test_published.py -k rise", "_LARGEST_RISE"),
    "classex.curves.accuracy": ("tests/curves/test_weighted.py -k fewest", "_FEWEST_CLASSES"),
    "classex.forecast.posterior": ("tests/forecast/test_components.py", "_LEVEL_SD"),
    "classex.forecast.posterior": ("tests/forecast/test_posterior.py -k likely", "_LIKELY"),
    # the explorer's stored settings hold every number of the prior
    "classex.forecast.posterior": (
        "tests/book/test_explorer.py -k constants",
        "ACCURACY_CURVES.components ACCURACY_CURVES.temper",
    ),
    "classex_book.encoding.fitting": ("tests/course/test_encoding.py -k fewest", "_FEWEST_PAIRS"),
    "classex.information.confusion": (
        "tests/information/test_confusion.py -k warning or least_variance",
        "_MOST_UNSEEN _LARGEST_SHARE _EXTRA_TESTS",
    ),
    "classex.information.implied": ("tests/information/test_implied.py -k checked_fewest", "_FEWEST_CLASSES"),
    "classex.fields.growth": ("tests/growth/test_growth.py -k prior", "_MISFIT _BETWEEN _PRIOR_GROUPS"),
    "classex.forecast.forecast": ("tests/predict/test_reliance.py -k reach", "_FIXED"),
    "classex.forecast.forecast": ("tests/methods/test_resampling.py", "_FEWEST_CLASSES"),
    "classex.ranks.scores": ("tests/io/test_confusion.py -k few_tests", "_FEWEST_TESTS _MOST_TESTS _MORE_THAN_CHANCE"),
    "classex.methods.protocol": ("tests/methods/test_resampling.py", "DELETE_D.share HALVES.share HALVES.most"),
    "classex.methods.beta_binomial": ("tests/numbers -k beta_binomial", "_CENTRE _WIDTH"),
    "classex.methods.beta_binomial": ("tests/methods/test_learnt.py", "_LEAST_FLAT"),
    "classex.methods.regression": ("tests/methods/test_learnt.py", "COVARIANCE_SHRINKAGE"),
    "classex.methods.probit_normal": ("tests/numbers -k probit_normal", "_LOG_NU_PRIOR"),
    "classex.methods.regression": ("tests/methods/test_regression.py -k fewest", "_FEWEST_TO_SPLIT"),
    "classex.fields.open_set.prediction": (
        "tests/open_set/test_judged.py",
        "_ENOUGH _ENOUGH_PER_SEARCH _SHARE _AT_START _LEAST_MEAN _CONTRADICTED _UNLIKELY _BEYOND",
    ),
    "classex.fields.open_set.prediction": ("tests/open_set/test_judged.py", "_FORM_ERROR _FEWEST _FEWEST_DISTINCT _MOST_ERRORS"),
    "classex.fields.open_set.prediction": ("tests/open_set/test_judged.py", "_FEWEST _THRESHOLDS"),
    "classex.ranks.ranks": ("tests/ranks/test_inputs.py -k look_like", "_LOWEST_SHARE _LOW_SHARE _STANDARD_ERRORS"),
    "classex._estimates": ("tests/test_results.py -k refuted", "_LARGEST_MISS"),
    "classex.fields.retrieval": ("tests/retrieval/test_retrieval.py -k rare", "_RARE"),
    "classex.fields.retrieval": (
        "tests/retrieval/test_larger_corpora.py -k missing or below_the",
        "_UNKNOWN _DEEP",
    ),
}
#: judged, but so far without a test that fails when they move
UNGUARDED = {
    "classex.fields.open_set.prediction": "_COMPARED _SPREADS _COMMON",
}
FACTORS = (0.7, 1.3)
_PROCESS = "tests/methods/test_gaussian_process.py"
_COMPONENTS = "tests/forecast/test_components.py"
_POSTERIOR = "tests/forecast/test_posterior.py"
#: functions of the core by module, an expression of theirs, a wrong one in its place, and tests that then fail
WRONG: dict[str, list[tuple[str, str, str, str]]] = {
    "classex.ranks.ranks": [
        ("tie_nodes", "count[point] - 1", "count[point]", "tests/curves/test_accuracy.py"),
        ("tie_quadrature", "ties // 2 + 1", "ties // 4 + 1", "tests/curves/test_weighted.py"),
    ],
    "classex.ranks.ranks": [
        ("point_weights", "ranks.n_tested / ranks", "ranks.n_classes / ranks", "tests/curves/test_average.py"),
    ],
    "classex.ranks.scores": [
        ("_count_few", "block < truth", "block <= truth", "tests/ranks/test_ranks.py"),
        ("Tally.add", "np.maximum(ties[part], 1)", "np.maximum(ties[part], 2)", "tests/curves/test_accuracy.py"),
    ],
    "classex.curves.accuracy": [
        ("_expected_accuracy", "(n_classes / sizes)", "((n_classes - 1) / sizes)", "tests/curves/test_accuracy.py"),
        ("SubsetMean.expected", "+ ties[many] + 1", "+ ties[many]", "tests/curves/test_metrics.py"),
    ],
    "classex.curves.accuracy": [
        ("win_distribution", "ranks.ties + 1, weights", "ranks.ties, weights", "tests/curves tests/information"),
        ("centred", "1 - 1 / n_units", "1 + 1 / n_units", "tests/curves/test_accuracy.py"),
        ("jackknife_deviations", "beaten - rate * met", "beaten - met", "tests/curves/test_accuracy.py"),
        ("beyond_half", "np.minimum(1.0,", "np.minimum(2.0,", "tests/curves"),
        ("most_trials", "np.log(last / half)", "np.log(last)", "tests/curves"),
        ("_jackknife", "table.wins[rows] - 1", "table.wins[rows]", "tests/curves/test_accuracy.py"),
        ("sums_by_group", "* wins.size + pair", "+ pair", "tests/curves/test_accuracy.py"),
    ],
    "classex.curves.accuracy": [
        ("_own_and_whole", "(n - 1) / np", "n / np", "tests/curves/test_weighted.py"),
    ],
    "classex.forecast.posterior": [
        ("wandering", "2 * np.minimum", "np.minimum", _COMPONENTS),
        ("normal_maximum", "sizes - 1", "sizes", _COMPONENTS),
        ("Straight.processes", "- self.early", "+ self.early", _COMPONENTS),
        ("Beta.processes", "n_seen - 1", "0", _COMPONENTS),
        ("_beta_probit", "a + sizes - 1", "a + sizes", _COMPONENTS),
    ],
    "classex.forecast.posterior": [
        ("Posterior.cdf", "- side * special", "+ side * special", _POSTERIOR),
        ("Posterior.spread", "0.5 * (high", "0.6 * (high", _POSTERIOR),
        ("CurvePrior._fit", "self.temper * evidence", "evidence", _POSTERIOR),
        ("CurvePrior.posterior", "(last - centre", "(last + centre", _POSTERIOR),
        ("CurvePrior.posterior", "own[:, 1:] - gain", "own[:, 1:] + gain", _POSTERIOR),
    ],
    "classex.methods.gaussian_process": [
        ("from_curve", "+ _nested(added)", "- _nested(added)", _PROCESS),
        ("from_curve", "1 - 0.5", "1 - 0.65", _PROCESS),
        ("probit_of_last", "n_points, 0.5", "n_points, 0.65", _PROCESS),
        ("spread_of_losses", "errors * np.log", "np.log", "tests/book/test_moving_curves.py -k first_page"),
    ],
    "classex.forecast.forecast": [
        ("reliance_of", "1 - 1 / k1", "1 - 2 / k1", "tests/predict/test_reliance.py"),
        ("_reach", "high - low > _FIXED", "high - low > 2 * _FIXED", "tests/predict/test_reliance.py -k no_reach"),
    ],
    "classex.distributions.distribution": [
        ("DiscreteDistribution.cdf", "- weight / 2", "- weight", "tests/distributions tests/methods"),
    ],
    "classex.distributions.distribution": [
        ("beta_weights", "k - top - 1", "k - top", "tests/test_contributing.py -k to_add_a_method"),
    ],
    "classex.distributions.wins": [
        ("subset_success", "wrong - top + 1", "wrong - top", "tests/distributions"),
        ("_collapse", "first + more + 1", "first + more", "tests/distributions"),
    ],
    "classex.distributions.limits": [
        ("_extremes", "dual[1:] > 0", "dual[1:] < 0", "tests/distributions/test_limits.py -k attained"),
    ],
    "classex.distributions.limits": [
        ("_above_chord", "np.log(x) - np.log(y)", "np.log(y) - np.log(x)", "tests/distributions/test_limits.py"),
    ],
}


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


def function_with(module: str, name: str, expression: str) -> tuple[Any, str]:
    """Return a function or method, and its source, which must contain the expression."""
    found: Any = import_module(module)
    for part in name.split("."):
        found = inspect.getattr_static(found, part)
    function = inspect.unwrap(getattr(found, "func", found))
    source = textwrap.dedent(inspect.getsource(function))
    if expression not in source:
        raise ValueError(f"{module}.{name} does not contain {expression}")
    return function, source


@contextmanager
def rewritten(module: str, name: str, right: str, wrong: str) -> Iterator[None]:
    """Replace an expression of a function or method, for all who hold the function."""
    function, source = function_with(module, name, right)
    names = dict(vars(import_module(module)))
    exec("from __future__ import annotations\n" + source.replace(right, wrong, 1), names)
    old = function.__code__
    function.__code__ = inspect.unwrap(names[function.__name__]).__code__
    try:
        yield
    finally:
        function.__code__ = old


def passes(tests: str) -> bool:
    """Whether these tests pass; none at all is a mistake."""
    files, _, expression = tests.partition(" -k ")
    options = ["-q", "-x", "-p", "no:cacheprovider", *(["-k", expression] if expression else [])]
    with redirect_stdout(StringIO()) as said:
        status = pytest.main([*options, *files.split()])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"{tests}: {said.getvalue()}")
    return status == pytest.ExitCode.OK


passes_as_it_is = cache(passes)


def main(names: list[str]) -> int:
    """Print one line for each constant and each wrong expression, and return 1 if one survives."""
    survivors = 0
    for module, (tests, constants) in JUDGED.items():
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
    for module, lines in WRONG.items():
        for name, right, wrong, tests in lines:
            if names and name not in names and module not in names:
                continue
            if not passes_as_it_is(tests):
                raise SystemExit(f"{tests} fails before anything is wrong")
            with rewritten(module, name, right, wrong):
                alive = passes(tests)
            survivors += alive
            print(f"{module}.{name}: {wrong} for {right}: {'SURVIVES' if alive else 'killed'}", flush=True)
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
