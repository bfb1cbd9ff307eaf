"""ClassEx: how accurate will a classifier be on many more classes, and what does its accuracy say?"""

import lazy_loader

from classex._moved import or_moved
from classex._version import __version__

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
__getattr__ = or_moved(__name__, _public)
