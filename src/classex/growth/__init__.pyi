from . import process as process
from .near_far import NearFarComparisons as NearFarComparisons
