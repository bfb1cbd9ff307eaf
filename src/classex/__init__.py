"""ClassEx: how accurate will a classifier be on many more classes, and what does its accuracy say?"""

import lazy_loader

from classex._version import __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
