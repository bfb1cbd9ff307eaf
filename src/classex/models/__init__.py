"""Generative models of classes and test points that know their own truth.

Each model draws experiments (``sample``), scores test points by its rule (and by the Bayes rule), and knows
its discriminability function D(u), its average accuracy with any number of classes, and its mutual
information in nats.
"""

import lazy_loader

from classex._moved import or_moved

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = or_moved(__name__, _public)
