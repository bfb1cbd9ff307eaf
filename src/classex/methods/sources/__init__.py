"""The sources' own methods that the book teaches; none is a first choice for data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
