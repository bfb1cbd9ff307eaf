"""Fields that ask the question of this package: each a file, or a small room."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
