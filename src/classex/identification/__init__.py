"""Identification: from stimulus-response pairs to the identification curve and the information it implies."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
