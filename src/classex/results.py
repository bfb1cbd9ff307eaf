"""What the functions of this package return: frozen dataclasses, each estimate with its standard error."""

from __future__ import annotations

from classex._estimates import AccuracyCurve as AccuracyCurve
from classex._estimates import Estimate as Estimate
from classex._estimates import Interval as Interval
from classex._estimates import LackOfFit as LackOfFit
from classex._estimates import UnitSpread as UnitSpread
from classex._result import Result as Result
from classex.advantage._results import AdvantageInterval as AdvantageInterval
from classex.advantage._results import RelatedMeasures as RelatedMeasures
from classex.advantage._results import SelectiveCurve as SelectiveCurve
from classex.attempts._results import AttemptsToReach as AttemptsToReach
from classex.attempts._results import PassAtK as PassAtK
from classex.attempts._results import PassHatK as PassHatK
from classex.attempts.compared import PairedDifference as PairedDifference
from classex.bayes.design import ExperimentDesign as ExperimentDesign
from classex.curves.examples import AccuracySurface as AccuracySurface
from classex.distributions.moment_problem import Extreme as Extreme
from classex.embeddings.neighbours import RankBounds as RankBounds
from classex.extrapolation import ExtrapolationResult as ExtrapolationResult
from classex.growth._result import Growth as Growth
from classex.identification._results import EncodingFit as EncodingFit
from classex.identification._results import GroupEstimate as GroupEstimate
from classex.identification._results import PermutationTest as PermutationTest
from classex.information._bound_results import CurveInformationBound as CurveInformationBound
from classex.information._bound_results import InformationConfidenceBound as InformationConfidenceBound
from classex.information._results import ConfusionInformation as ConfusionInformation
from classex.information._results import CurveTest as CurveTest
from classex.information._results import ImpliedInformation as ImpliedInformation
from classex.information._results import InformationDifference as InformationDifference
from classex.information._results import InformationResult as InformationResult
from classex.methods.kernel_density import KernelFavourability as KernelFavourability
from classex.methods.sources.measurement_error import LinearFit as LinearFit
from classex.methods.sources.misspecification import MisspecificationBound as MisspecificationBound
from classex.open_set._results import OpenSetCurve as OpenSetCurve
from classex.open_set._results import OpenSetPrediction as OpenSetPrediction
from classex.open_set._results import OpenSetRates as OpenSetRates
from classex.open_set.published import PublishedRates as PublishedRates
from classex.predict.capacity import Capacity as Capacity
from classex.predict.capacity import SetSize as SetSize
from classex.predict.trials import ExtrapolationTrials as ExtrapolationTrials
from classex.ranks._ranks import CorrectRanks as CorrectRanks
from classex.ranks._ranks import DistractorTable as DistractorTable
from classex.reidentification.risk import PopulationRisk as PopulationRisk
from classex.restating import Restatement as Restatement
from classex.retrieval._results import RelevantRanks as RelevantRanks
from classex.retrieval._results import RetrievalCurve as RetrievalCurve

__all__ = [name for name, value in list(globals().items()) if isinstance(value, type)]
