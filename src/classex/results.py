"""What the functions of this package return: frozen dataclasses, each estimate with its standard error."""

from __future__ import annotations

from classex._estimates import AccuracyCurve as AccuracyCurve
from classex._estimates import Estimate as Estimate
from classex._estimates import Interval as Interval
from classex._estimates import LackOfFit as LackOfFit
from classex._estimates import UnitSpread as UnitSpread
from classex._result import Result as Result
from classex.advantage.measure import AdvantageInterval as AdvantageInterval
from classex.advantage.measure import RelatedMeasures as RelatedMeasures
from classex.advantage.measure import SelectiveCurve as SelectiveCurve
from classex.bayes import ExperimentDesign as ExperimentDesign
from classex.capacity import Capacity as Capacity
from classex.capacity import SetSize as SetSize
from classex.curves.examples import AccuracySurface as AccuracySurface
from classex.distributions.limits import Extreme as Extreme
from classex.extrapolation import ExtrapolationResult as ExtrapolationResult
from classex.fields.attempts import AttemptsToReach as AttemptsToReach
from classex.fields.attempts import PairedDifference as PairedDifference
from classex.fields.attempts import PassAtK as PassAtK
from classex.fields.attempts import PassHatK as PassHatK
from classex.fields.growth import Growth as Growth
from classex.fields.identification import EncodingFit as EncodingFit
from classex.fields.identification import GroupEstimate as GroupEstimate
from classex.fields.identification import PermutationTest as PermutationTest
from classex.fields.open_set.curve import OpenSetCurve as OpenSetCurve
from classex.fields.open_set.curve import OpenSetPrediction as OpenSetPrediction
from classex.fields.open_set.curve import OpenSetRates as OpenSetRates
from classex.fields.open_set.prediction import PublishedRates as PublishedRates
from classex.fields.reidentification import PopulationRisk as PopulationRisk
from classex.fields.restating import Restatement as Restatement
from classex.fields.retrieval import RelevantRanks as RelevantRanks
from classex.fields.retrieval import RetrievalCurve as RetrievalCurve
from classex.information.ceiling import ConfusionInformation as ConfusionInformation
from classex.information.ceiling import CurveInformationBound as CurveInformationBound
from classex.information.ceiling import CurveTest as CurveTest
from classex.information.ceiling import ImpliedInformation as ImpliedInformation
from classex.information.ceiling import InformationConfidenceBound as InformationConfidenceBound
from classex.information.ceiling import InformationDifference as InformationDifference
from classex.information.ceiling import InformationResult as InformationResult
from classex.methods.kernel_density import KernelFavourability as KernelFavourability
from classex.methods.sources.misspecification import MisspecificationBound as MisspecificationBound
from classex.methods.sources.published_regression import LinearFit as LinearFit
from classex.ranks.neighbours import RankBounds as RankBounds
from classex.ranks.ranks import CorrectRanks as CorrectRanks
from classex.ranks.ranks import DistractorTable as DistractorTable
from classex.trials import ExtrapolationTrials as ExtrapolationTrials

__all__ = [name for name, value in list(globals().items()) if isinstance(value, type)]
