"""The one way in: scores, labels and embeddings from arrays, data frames and files, checked once."""

import lazy_loader

from classex._moved import or_moved

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = or_moved(__name__, _public)
