"""Figures: displays draw what estimators computed; matplotlib is imported inside their methods."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
