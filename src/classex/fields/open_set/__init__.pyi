from .curve import binomial_fpir as binomial_fpir
from .curve import open_set_curve as open_set_curve
from .curve import verification_curve as verification_curve
from .prediction import extrapolate_open_set as extrapolate_open_set
from .prediction import extrapolate_published_rates as extrapolate_published_rates
