"""The one way in: scores, labels and embeddings from arrays, data frames and files, checked once."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
