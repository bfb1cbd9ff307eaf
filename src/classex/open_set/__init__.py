"""Open-set identification: searches among enrolled identities by people who may not be enrolled.

`open_set_curve` gives the false positive and false negative identification rates (FPIR, FNIR), up to the number of
enrolled identities in the data, exactly over all subsets. `extrapolate_open_set` predicts both for larger numbers.
The terms are those of ISO/IEC 19795-1: a search returns an enrolled identity if its score reaches the threshold.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
