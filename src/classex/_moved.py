"""Names of earlier versions that moved or are gone: asking for one says where it is now, for one version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["MOVED", "or_moved"]

_GONE = "gone: "
_DATA = "classex_book.data."
_ENCODING = "classex_book.encoding."
_RECORDINGS = "classex_book.recordings."
_MISSPECIFICATION = "classex_book.misspecification."
#: the new place of a name, or what to use instead of one that is gone, by its old place
MOVED: dict[str, str] = {
    "classex.datasets": "classex_book.data (classex.io.example_file for the example files)",
    "classex.results": "the part of the library whose function returns the type, such as classex.retrieval; types that"
    " many functions return, such as Estimate and Interval, to classex",
    "classex.embeddings": "classex.ranks",
    "classex.predict": "classex and classex.forecast",
    "classex.identification.EncodingFit": f"{_ENCODING}EncodingFit",
    "classex.identification.IdentificationModel": f"{_ENCODING}IdentificationModel",
    "classex.identification.fit_encoding": f"{_ENCODING}fit_encoding",
    "classex.identification.noise_covariance": f"{_ENCODING}noise_covariance",
    "classex.identification.predict_responses": f"{_ENCODING}predict_responses",
    "classex.identification.split_pairs": f"{_ENCODING}split_pairs",
    "classex.identification.delay_features": f"{_RECORDINGS}delay_features",
    "classex.identification.detrend": f"{_RECORDINGS}detrend",
    "classex.identification.noise_ceiling": f"{_RECORDINGS}noise_ceiling",
    "classex.identification.out_of_run_r2": f"{_RECORDINGS}out_of_run_r2",
    "classex.identification.segment_scores": f"{_RECORDINGS}segment_scores",
    "classex.information.error_floor": f"{_GONE}use 1 - classex.accuracy_ceiling(...)",
    "classex.information.identification_error": f"{_GONE}use 1 - classex.identification_accuracy(...)",
    "classex.io.load_columns": f"{_GONE}use pandas.read_csv, or numpy.load",
    "classex.methods.CurvePrior": "classex.forecast.CurvePrior",
    "classex.methods.ProbitNormalDistribution": "classex.distributions.ProbitNormalDistribution",
    "classex.methods.Mixture": f"{_GONE}use the default, or classex.methods.ProbitNormal for Gaussian classes",
    "classex.methods.MixtureDistribution": f"{_GONE}it was what Mixture returned",
    "classex.methods.score_probits": f"{_GONE}it was a part of Mixture",
    "classex.methods.kernel_bandwidth": f"{_GONE}use classex.methods.kernel_favourability(...).bandwidth",
    "classex.methods.pitman_yor_accuracy": f"{_GONE}use classex.methods.PitmanYorDistribution(d, a).accuracy(sizes)",
    "classex.methods.pitman_yor_uniqueness": f"{_GONE}it is Gamma(1+a) Gamma(n+d+a-1) / (Gamma(d+a) Gamma(n+a))",
    "classex.methods.sources.misspecification_bias": f"{_MISSPECIFICATION}misspecification_bias",
    "classex.methods.sources.misspecification_bound": f"{_MISSPECIFICATION}misspecification_bound",
    "classex.methods.sources.uniform_error": f"{_MISSPECIFICATION}uniform_error",
    "classex.models.MultivariateLogistic": "classex_book.models.MultivariateLogistic",
    "classex.models.VonMisesFisherClasses": "classex_book.models.VonMisesFisherClasses",
    "classex.ranks.class_totals": f"{_GONE}use numpy.bincount with classex.ranks.point_weights",
}


def or_moved(module: str, public: Callable[[str], Any] | None = None) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module: a public name, or an error that says where it is now."""

    def find(name: str) -> Any:
        place = MOVED.get(f"{module}.{name}")
        if place is None and public is not None:
            return public(name)
        if place is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        now = f"is {place}" if place.startswith(_GONE) else f"moved to {place}"
        raise AttributeError(f"{module}.{name} {now}")

    return find
