"""Open-set identification: galleries searched by people who may not be enrolled.

`open_set_curve` gives the false positive and false negative identification rates at gallery sizes up to the one that
was searched, exactly over all sub-galleries; `extrapolate_open_set` carries both on to larger galleries. The terms are
those of ISO/IEC 19795: a search returns an enrolled identity if its score reaches the threshold.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
