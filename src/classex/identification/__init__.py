"""Identification: encoding models, decoding of stimuli from responses, and tests and intervals for the result."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
