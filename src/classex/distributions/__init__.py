"""The distribution of the favourability of the correct label: what is known of it, and bases for D(u)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
