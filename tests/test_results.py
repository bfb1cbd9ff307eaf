"""Every result prints, exports and reports, through one base; results are found, not listed."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
import re
import sys
import types

import numpy as np
import pytest

import classex as cx
from classex import Result
from classex._result import number
from classex_book.encoding import EncodingFit
from classex_book.misspecification import misspecification_bound

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(24, 12)) + 2 * np.eye(12)[np.arange(24) // 2]
RANKS = cx.correct_ranks(SCORES, np.arange(24) // 2)
TRUE, GUESSED = [0] * 60 + [1] * 40, [0] * 55 + [1] * 39 + [0] * 6
CONFUSION = [[40, 10], [12, 38]]
FITTED = cx.Extrapolator("regression").fit_ranks(RANKS)
MATED, NONMATED = RNG.normal(size=(12, 12)) + 4 * np.eye(12), RNG.normal(size=(9, 12))

# one small result of each class, and a column or two that its table must have
EXAMPLES = {
    "AccuracyCurve": (lambda: cx.accuracy_curve(RANKS, [2, 12], metric="recall@5"), ["n_classes", "recall@5", "low"]),
    "AccuracySurface": (
        lambda: cx.curves.accuracy_surface(
            np.eye(6, 12) + np.eye(6, 12, 1), range(6), np.arange(12) // 2, [2, 6], [1, 2]
        ),
        ["n_classes", "n_examples", "accuracy", "low"],
    ),
    "AdvantageInterval": (
        lambda: cx.prediction_advantage_interval(TRUE, GUESSED, method="bootstrap", n_resamples=100, rng=7),
        ["value", "low", "seed"],
    ),
    "Capacity": (
        lambda: cx.Capacity(0.5, 80.0, 40.0, np.inf, 0.95, 12, "regression"),
        ["accuracy", "n_classes", "n_classes_high"],
    ),
    "Growth": (
        lambda: cx.extrapolate(np.eye(12), range(12), n_classes=40, groups=[0, 1] * 6).growth,
        ["near_share", "accuracy", "low"],
    ),
    "UnitSpread": (
        lambda: cx.accuracy_curve(RANKS, [2, 12], units=np.arange(RANKS.n_points) % 3).units,
        ["between", "between_low", "between_high"],
    ),
    "SetSize": (lambda: cx.set_size(RANKS, [12, 40]), ["n_classes", "size", "low"]),
    "PublishedRates": (
        lambda: cx.open_set.extrapolate_published_rates(
            [10**6, 10**7], [0.02, 0.03], n_enrolled=[10**7, 10**8], n_searches=10**5
        ),
        ["algorithm", "N", "FNIR", "FNIR_high"],
    ),
    "PopulationRisk": (
        lambda: cx.reidentification.population_risk([1, 1, 2, 5], n_people=[4, 9]),
        ["n_people", "quantity", "value", "low"],
    ),
    "Restatement": (
        lambda: cx.restate([(20, 1, 0.5, 0.05)], n_classes=[10, 40]),
        ["n_classes", "limits_low", "accuracy", "high"],
    ),
    "ConfusionInformation": (lambda: cx.information.confusion_information(CONFUSION), ["nats", "bits", "plug_in"]),
    "CorrectRanks": (lambda: RANKS, ["wins", "ties", "labels"]),
    "CurveTest": (lambda: cx.information.curve_test(RANKS), ["mu", "nu", "p_value"]),
    "EncodingFit": (
        lambda: EncodingFit(np.ones((2, 3)), np.ones(3), np.zeros(3)),
        ["intercept", "penalties"],
    ),
    "Estimate": (lambda: cx.Estimate(0.731, 0.022), ["value", "standard_error"]),
    "ExchangeabilityTest": (
        lambda: cx.curves.exchangeability_test(
            SCORES, np.arange(24) // 2, np.arange(12) % 2, 3, n_permutations=9, rng=7
        ),
        ["groups", "within_accuracy", "nearness_error"],
    ),
    "ExperimentDesign": (
        lambda: cx.bayes.cheapest_design(0.1, accuracy=0.9, class_cost=25.0),
        ["n_classes", "n_repeats", "cost"],
    ),
    "ExtrapolationResult": (
        lambda: cx.extrapolate(RANKS, n_classes=[12, 10**6], method="beta-binomial", top=2),
        ["n_classes", "top-2 accuracy", "standard_error", "low", "high"],
    ),
    "ExtrapolationTrials": (
        lambda: cx.ExtrapolationTrials(("a", "b"), np.array([6]), 12, 0.6, np.full((2, 1, 3), 0.5), 7),
        ["n_classes", "method", "bias", "rmse"],
    ),
    "GroupEstimate": (
        lambda: cx.identification.random_effects([2.0, 2.6, 1.7, 2.5], [0.2] * 4),
        ["value", "standard_error", "low", "between"],
    ),
    "ImpliedInformation": (lambda: cx.implied_information(RANKS), ["nats", "standard_error", "low", "bits"]),
    "CurveInformationBound": (
        lambda: cx.information.curve_information_bound([0.9, 0.6], [2, 12]),
        ["n_classes", "accuracy", "multipliers"],
    ),
    "InformationConfidenceBound": (
        lambda: cx.information_confidence_bound(RANKS),
        ["n_classes", "classifier", "average_bayes_accuracy_bound", "information_bound_nats", "multiplier"],
    ),
    "InformationDifference": (
        lambda: cx.information.compare_implied_information(RANKS, RANKS),
        ["nats", "bits", "p_value"],
    ),
    "Interval": (lambda: cx.Interval(-np.inf, 0.5, 0.9), ["low", "high", "confidence_level"]),
    "KernelFavourability": (
        lambda: cx.methods.kernel_favourability(SCORES, np.arange(24) // 2, 0.5),
        ["beaten", "bandwidth"],
    ),
    "LackOfFit": (lambda: FITTED.lack_of_fit_, ["n_classes", "predicted", "observed", "z"]),
    "LinearFit": (
        lambda: cx.methods.sources.calibrated_regression([[1, 0], [1, 1], [1, 2]], [1.0, 3.0, 5.5]),
        ["coefficient", "standard_error"],
    ),
    "MisspecificationBound": (
        lambda: misspecification_bound(cx.distributions.PolynomialBasis(1), [2, 3, 4], [10, 20], 0.01),
        ["sharp", "simple"],
    ),
    "RelevantRanks": (
        lambda: cx.retrieval.relevant_ranks(SCORES, (np.arange(12) % 5 == 0) * np.ones((24, 1), dtype=int)),
        ["query", "losses", "gain"],
    ),
    "RetrievalCurve": (
        lambda: cx.retrieval.retrieval_curve(
            cx.retrieval.relevant_ranks(SCORES, (np.arange(12) % 5 == 0) * np.ones((24, 1), dtype=int)),
            [8, 12],
            metric="recall@2",
        ),
        ["n_items", "recall@2", "low"],
    ),
    "OpenSetCurve": (
        lambda: cx.open_set.open_set_curve(MATED, range(12), NONMATED, [1.0, 2.0]),
        ["N", "R", "T", "FPIR", "FPIR_low", "FNIR_error"],
    ),
    "OpenSetPrediction": (
        lambda: cx.open_set.extrapolate_open_set(MATED, range(12), NONMATED, 2.0, n_enrolled=[12, 100]),
        ["N", "R", "T", "FPIR", "FNIR_high"],
    ),
    "OpenSetRates": (
        lambda: cx.open_set.open_set_curve(MATED, range(12), NONMATED).fnir_at_fpir([0.2, 0.5]),
        ["N", "R", "T", "FPIR", "FNIR_low"],
    ),
    "VerificationCurve": (
        lambda: cx.open_set.verification_curve([2.0, 1.0, 0.5], [0.7, 0.1, -1.0], thresholds=[0.5, 0.6]),
        ["T", "FMR", "FNMR", "FMR_low", "FNMR_high"],
    ),
    "VerificationRate": (
        lambda: cx.open_set.verification_curve([2.0, 1.0, 0.5], [0.7, 0.1, -1.0]).equal_error_rate(),
        ["measure", "value", "threshold", "n_genuine"],
    ),
    "PassAtK": (
        lambda: cx.pass_at_k([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 100]),
        ["k", "pass@k", "low", "limits_high", "extrapolated"],
    ),
    "PairedDifference": (
        lambda: cx.attempts.pass_at_k_difference(([3, 5, 1], [5, 5, 5]), ([1, 4, 0], [5, 5, 5]), 1),
        ["k", "difference", "standard_error", "low", "high"],
    ),
    "PassHatK": (
        lambda: cx.attempts.pass_hat_k([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 100]),
        ["k", "pass^k", "low", "limits_high", "extrapolated"],
    ),
    "AboveChance": (
        lambda: cx.decoding.above_chance([0, 1, 0, 1] * 3, [0, 1, 0, 0] * 3, units=[1, 2, 3] * 4),
        ["unit", "n_points", "accuracy", "low", "p_value", "p_of_guesses"],
    ),
    "DecoderDifference": (
        lambda: cx.decoding.compare_decoders(np.linspace(0.5, 0.8, 8), np.full(8, 0.5)),
        ["value", "low", "high", "p_value"],
    ),
    "ScoreAtK": (
        lambda: cx.attempts.best_at_k([[0.2, 0.9, 0.4], [0.1, 0.1, 0.3]], [1, 2]),
        ["k", "value", "standard_error", "low", "high"],
    ),
    "TimeCourse": (
        lambda: cx.decoding.time_course(0.5 + 0.1 * np.eye(8, 3), chance=0.5),
        ["time", "accuracy", "low", "high", "p_value"],
    ),
    "TransferRate": (
        lambda: cx.decoding.transfer_rate(RANKS, seconds=3, n_classes=50),
        ["n_classes", "bits", "bits_low", "bits_per_minute", "bits_per_minute_high"],
    ),
    "AttemptsToReach": (
        lambda: cx.attempts.attempts_to_reach([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, 0.5),
        ["coverage", "attempts", "attempts_low", "n_unsolved"],
    ),
    "PermutationTest": (
        lambda: cx.identification.permutation_test(SCORES[::2], n_permutations=9, rng=7),
        ["n_classes", "accuracy", "p_value", "n_permutations"],
    ),
    "RankBounds": (lambda: cx.ranks.RankBounds(RANKS, RANKS), ["least_wins", "most_wins", "exact"]),
    "RelatedMeasures": (lambda: cx.advantage.confusion_measures(CONFUSION), ["accuracy", "balanced_accuracy"]),
    "Reliance": (
        lambda: cx.extrapolate(RANKS, n_classes=[12, 50]).reliance,
        ["n_classes", "unseen", "low", "high"],
    ),
    "SelectiveCurve": (
        lambda: cx.advantage.selective_curve([0, 0, 0, 1], [0, 0, 1, 1], [0.9, 0.8, 0.6, 0.7]),
        ["coverage", "risk", "advantage"],
    ),
}
# Records that functions return and that are no results: data, options, distributions, and parts of other objects
NO_RESULTS = {
    "Contents",
    "BasisChoice",
    "Evidence",
    "DistractorTable",
    "Discriminability",
    "ExtremalChannel",
}
NO_RESULTS |= {"Embeddings", "ReferenceSplit", "Sample", "CurvePrior", "DiscreteDistribution", "WinCounts"}
NO_RESULTS |= {"RankMetric", "SubsetMean", "Resampling", "CheckedScores"}
NO_RESULTS |= {"File", "Head", "Log", "Asked", "Format"}
NO_RESULTS |= {"CheckedAttempts", "Forecast", "ContinuedForecast", "ResampledForecast", "Continuation"}
NO_RESULTS |= {"Beta", "Gains", "Posterior", "Related", "Straight"}
NO_RESULTS |= {"Case", "Problems", "Searches", "Tail", "Mixing"}
# Results of the course, with an example here
COURSE = {"EncodingFit", "MisspecificationBound"}


def records():
    """All public dataclasses of the package that are no methods, distributions, models or figures."""
    for module in pkgutil.walk_packages(cx.__path__, "classex."):
        if module.name == "classex.__main__":
            continue
        for name, found in vars(importlib.import_module(module.name)).items():
            if not (isinstance(found, type) and dataclasses.is_dataclass(found) and found.__module__ == module.name):
                continue
            kinds = (cx.methods.Method, cx.distributions.Distribution, cx.models.Model)
            if name[0] != "_" and not name.endswith("Display") and not issubclass(found, kinds):
                yield name, found


def test_every_record_is_a_result_with_an_example_or_is_named_as_none():
    found = dict(records())
    bases = {"Result", "DrawnResult", "InformationResult"}
    assert {name for name, one in found.items() if issubclass(one, Result)} - bases == set(EXAMPLES) - COURSE
    assert {name for name, one in found.items() if not issubclass(one, Result)} == NO_RESULTS


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request):
    make, columns = EXAMPLES[request.param]
    result = make()
    assert type(result).__name__ == request.param
    return result, columns


def test_it_reads(example):
    """A sentence of its own, not the fields, and no number of more than four digits."""
    result, _ = example
    text = str(result)
    assert text[0].isupper() or text[0].isdigit() or text.startswith(("pass@k", "pass^k", "nu = 1"))
    assert "array(" not in text
    assert type(result).__name__ + "(" not in text
    assert not re.search(r"\b0\.0*[1-9]\d{4}", text)


def test_html(example):
    result, _ = example
    text = result._repr_html_()
    assert text.startswith("<p>")
    assert text.count("<tr>") == 1 + min(len(result._displayed()[1]), 31)
    assert text.count("<td>") % text.count("<th>") == 0


def test_json(example):
    result, _ = example
    stored = result.to_dict()
    assert json.loads(json.dumps(stored, allow_nan=False)) == stored
    named = {field.name for field in dataclasses.fields(result) if field.repr} | set(result._later)
    assert set(stored) == named


def test_frame(example, monkeypatch):
    """What is handed to pandas, which need not be installed: columns of one length, named for what they hold."""
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=dict))
    result, columns = example
    frame = result.to_frame()
    assert set(columns) <= set(frame)
    assert len({len(column) for column in frame.values()}) == 1


def test_tables(example):
    result, _ = example
    names, rows = result._displayed()
    lines = result.to_markdown().splitlines()
    assert len(lines) == 2 + len(rows)
    assert {line.count("|") - line.count(r"\|") for line in lines} == {len(names) + 1}
    latex = result.to_latex()
    assert latex.startswith(r"\begin{tabular}{" + "r" * len(names) + "}")
    assert latex.count(r" \\") == 1 + len(rows)
    assert not re.search(r"(?<!\\)[%_#]", latex)
    assert latex.count(" & ") == (len(names) - 1) * (1 + len(rows))


def test_report(example):
    result, _ = example
    text = result.report()
    assert text.endswith(
        (
            f"Computed with ClassEx {cx.__version__}.",
            f"{cx.__version__}, with the seed {getattr(result, 'seed', None)}.",
        )
    )
    assert "\n" not in text
    assert ("the seed" in text) == (getattr(result, "seed", None) is not None)


def test_a_report_names_method_data_level_and_seed():
    """The interval of the regression rests on resampling, which extrapolate seeds with 0; the default's does not."""
    result = cx.extrapolate(RANKS, n_classes=[50], method="regression")
    text = result.report()
    for part in ("12 classes", "24 test points", "class-balanced", "'regression'", "95 %", "the seed 0", "50 classes"):
        assert part in text
    assert "seed" not in cx.extrapolate(RANKS, n_classes=[50]).report()
    assert "seed" not in cx.extrapolate(RANKS, n_classes=[50], method="regression", target=None).report()


def test_a_report_gives_each_quantity_its_own_interval():
    mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    nonmated = [[0.1, 0.3, 0.2], [0.6, 0.1, 0.2], [0.2, 0.3, 0.4], [0, 0, 0.1]]
    text = cx.open_set.open_set_curve(mated, [0, 1, 2], nonmated, [0.35]).report()
    assert re.search(
        r"N = 3, R 1, T 0\.35, FPIR 0\.\d+ \(95 % interval [\d.]+ to [\d.]+\),"
        r" FNIR 0\.\d+ \(95 % interval [\d.]+ to [\d.]+\) and FMR 0\.\d+\. Computed",
        text,
    )
    text = cx.pass_at_k([0, 3, 7, 10], 10, [1, 100]).report()
    assert ": k = 1, pass@k 0.50 (standard error" in text
    assert text.count("not extrapolated") == text.count(", extrapolated") == 1


def test_a_capacity_is_rounded_and_its_accuracy_is_not():
    found = cx.Capacity(0.3, 37_835.2, 4_461.0, 1_495_790.0, 0.95, 60, "regression")
    assert "37,800 classes (95 % interval 4,460 to 1,500,000)" in str(found)
    assert "times the 60 observed, by the method 'regression'. Computed with ClassEx" in found.report()
    assert found.to_markdown().splitlines()[-1].startswith("| 0.3 | 37,835 |")


def test_reports_say_how_many_points_there_were():
    curve = cx.open_set.open_set_curve(MATED, range(12), NONMATED, [1.0, 2.0])
    assert "from 12 mated and 9 non-mated searches" in curve.report()
    assert "Prediction advantage of 100 predictions" in cx.prediction_advantage_interval(TRUE, GUESSED).report()
    bound = cx.information_confidence_bound(RANKS)
    assert f"{RANKS.n_points} test points" in bound.report()
    assert "by the method 'chernoff'" in bound.report()


def test_a_value_stands_before_its_interval():
    names, _ = cx.prediction_advantage_interval([0, 1, 1, 0, 1, 0], [0, 1, 1, 0, 0, 0])._displayed()
    assert names[:3] == ["value", "standard error", "95 % interval"]


def test_digits_follow_the_uncertainty():
    assert number(0.870123, 0.0472) == "0.870"
    assert number(0.870123, 0.34) == "0.87"
    assert number(12345.678, 1234.0) == "12,346"
    assert number(-0.0001, 0.05) == "-0.0001"
    assert number(0.0, 0.05) == "0.000"
    assert number(6e-66, 0.1) == "0.00"
    assert number(3e-9, 2e-9) == "3e-09"
    assert (number(np.nan), number(np.inf), number(-np.inf)) == ("unknown", "infinite", "minus infinity")
    assert (number(np.True_), number(None), number(np.int64(12345))) == ("yes", "unknown", "12,345")


def test_long_tables_are_cut_in_print_and_whole_in_exports():
    curve = cx.accuracy_curve(cx.ranks_from_wins(np.arange(100), 100))
    assert "..." in str(curve)
    assert len(str(curve).splitlines()) == 3 + 31
    assert len(curve.to_markdown().splitlines()) == 102


def test_units():
    result = cx.implied_information(RANKS)
    assert result.nats == result.value
    assert result.bits == pytest.approx(result.value / np.log(2), rel=1e-15)
    bound = cx.information_confidence_bound(RANKS)
    assert (bound.nats, bound.bits) == (bound.information, cx.information.nats_to_bits(bound.information))


@pytest.mark.parametrize("name", ["AccuracyCurve", "ExtrapolationResult", "OpenSetCurve", "PassAtK", "SelectiveCurve"])
def test_curves_are_drawn(name):
    import matplotlib as mpl

    mpl.use("Agg")
    display = EXAMPLES[name][0]().plot(color="black")
    assert display.lines_
    assert all(line.get_color() == "black" for line in display.lines_[-1:])
    assert display.figure_ is display.lines_[0].figure


@pytest.mark.parametrize(("errors", "refuted"), [(2.5, False), (3.5, True), (-3.5, True)])
def test_a_fit_is_refuted_beyond_three_standard_errors(errors, refuted):
    found = cx.LackOfFit(np.array([10]), np.array([0.5 + errors * 0.01]), np.array([0.5]), np.array([0.01]))
    assert found.refuted == refuted
