"""ClassEx: how accurate will a recogniser be on many more classes, and what does its accuracy say?

The public names below load their modules when first used, so that ``import classex`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AccuracyCurve": "results",
    "CorrectRanks": "results",
    "Estimate": "results",
    "Interval": "results",
    "ProbitNormalExtrapolator": "extrapolation",
    "accuracy_curve": "accuracy",
    "correct_ranks": "ranks",
    "correct_ranks_from_embeddings": "ranks",
}

_MODULES = ("accuracy", "extrapolation", "likelihood", "models", "ranks", "results")

__all__ = [*sorted(_HOME), "__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"classex.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"classex.{name}")
    raise AttributeError(f"module 'classex' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
