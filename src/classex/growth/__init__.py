"""Classes in groups that do not grow at random: near and far rivals."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
