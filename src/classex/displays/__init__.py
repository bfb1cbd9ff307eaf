"""Displays draw what estimators computed; matplotlib is imported inside their methods."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "AccuracyCurveDisplay": "accuracy_curve",
    "SelectiveDisplay": "selective",
    "markdown_table": "table",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"classex.displays.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'classex.displays' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
