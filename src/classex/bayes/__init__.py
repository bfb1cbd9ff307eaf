"""Average Bayes accuracy, its variability over random class sets, and confidence bounds for it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
