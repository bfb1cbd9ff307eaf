"""From the variance of a prediction to an interval, and how much of a prediction is assumed."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
