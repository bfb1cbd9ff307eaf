"""Curves that go on beyond what was observed: what is known of one, its posterior, and how intervals come about."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
