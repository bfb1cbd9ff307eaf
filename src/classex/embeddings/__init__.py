"""Ranks streamed from embeddings, without a matrix of scores: the integers of exact arithmetic."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
