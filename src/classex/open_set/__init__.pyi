from .curve import binomial_fpir as binomial_fpir
from .curve import open_set_curve as open_set_curve
from .extrapolation import extrapolate_open_set as extrapolate_open_set
from .published import extrapolate_published_rates as extrapolate_published_rates
from .verification import verification_curve as verification_curve
