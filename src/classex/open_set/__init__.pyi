from .curve import binomial_fpir as binomial_fpir
from .curve import open_set_curve as open_set_curve
from .extrapolation import extrapolate_open_set as extrapolate_open_set
from .verification import verification_curve as verification_curve
