"""What the functions of this package return: frozen dataclasses, each estimate with its standard error."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
