"""Curves of average accuracy and risk over all subsets of the observed classes, with standard errors."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
