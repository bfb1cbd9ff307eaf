"""The prediction advantage and its relatives.

`MarginalPredictor` is a scikit-learn estimator and loads with it, when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
