"""Re-identification: how many people of a population are alone in their cell, from a sample of it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
