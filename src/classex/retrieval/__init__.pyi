from .curve import retrieval_curve as retrieval_curve
from .prediction import extrapolate_retrieval as extrapolate_retrieval
from .relevant import relevant_ranks as relevant_ranks
