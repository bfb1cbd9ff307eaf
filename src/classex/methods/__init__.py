"""The methods: frozen options whose ``fit`` returns a distribution of the favourability."""

from typing import Any

import lazy_loader

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name; of one that moved, say where it is."""
    if name == "CurvePrior":
        raise AttributeError("classex.methods.CurvePrior moved to classex.forecast.CurvePrior")
    return _public(name)
