"""The estimator, its intervals and how far they rest on an assumption, and what follows from one fit."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
