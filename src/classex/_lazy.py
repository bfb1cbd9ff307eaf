"""Public names that load their module when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names live in the given modules.

    Parameters
    ----------
    package : str
        Full name of the package.
    homes : mapping of str to str
        Module, relative to the package, of every public name; a name that is its own home is a subpackage.

    Returns
    -------
    tuple of two functions
        To be bound to ``__getattr__`` and ``__dir__`` in the package.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{homes[name]}")
        return module if homes[name] == name else getattr(module, name)

    def listed() -> list[str]:
        return sorted(homes)

    return get, listed
