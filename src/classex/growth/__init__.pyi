from .near_far import NearFarComparisons as NearFarComparisons
from .process import near_far_comparisons as near_far_comparisons
from .process import predict_growth as predict_growth
