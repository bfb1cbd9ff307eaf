"""Answers on their way between the process of a student's notebook and the marker.

Numbers, arrays and results of the library travel as they are. A function stays where it is and is called from afar.
The marker builds nothing that is not on this short list, whatever a student's process sends.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import is_dataclass
from decimal import Decimal
from fractions import Fraction
from types import EllipsisType, SimpleNamespace
from typing import Any

import numpy as np

_AS_THEY_ARE = (type(None), EllipsisType, bool, int, float, complex, str, bytes, list, tuple, dict, set, range)
_AS_THEY_ARE += (Fraction, Decimal, SimpleNamespace, np.ndarray)
# what pickles of these call
_BUILDERS = {(kind.__module__, kind.__qualname__) for kind in (*_AS_THEY_ARE, np.dtype)} | {
    ("builtins", "Ellipsis"),
    *(("numpy._core.multiarray", name) for name in ("_reconstruct", "scalar")),
    ("numpy._core.numeric", "_frombuffer"),
}


class Other:
    """Stands for a value that does not travel; it has the numbers and arrays among its attributes."""

    def __init__(self, words: str, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        self._words = words

    def __repr__(self) -> str:
        return self._words


def pack(value: object, functions: list[Callable[..., Any]]) -> bytes:
    """Return the value as bytes; functions in it are appended to the list, and a call names their place in it."""
    target = io.BytesIO()
    _Pickler(target, functions).dump(value)
    return target.getvalue()


def unpack(data: bytes, function: Callable[[int, str], Callable[..., Any]]) -> Any:
    """Return the value; `function` makes the stand-in for a function from its place and its description.

    Raises
    ------
    Exception
        Of any kind, if the bytes do not come from `pack`.
    """
    return _Unpickler(io.BytesIO(data), function).load()


class _Pickler(pickle.Pickler):
    def __init__(self, target: io.BytesIO, functions: list[Callable[..., Any]]) -> None:
        super().__init__(target, protocol=4)
        self.functions = functions

    def persistent_id(self, value: Any) -> tuple[Any, ...] | None:
        builder = (getattr(value, "__module__", ""), getattr(value, "__qualname__", ""))
        kind = type(value)
        if kind in _AS_THEY_ARE or isinstance(value, np.generic | np.dtype) or _of_library(kind):
            return None
        if builder in _BUILDERS or _of_library(value):
            return None
        for base in (list, tuple, dict):
            if isinstance(value, base):
                return ("value", base(value))
        if callable(value):
            self.functions.append(value)
            return ("function", len(self.functions) - 1, repr(value))
        if hasattr(value, "__array__") or isinstance(value, memoryview):
            return ("value", np.asarray(value))
        if hasattr(value, "__float__"):
            return ("value", float(value))
        own = {name: one for name, one in getattr(value, "__dict__", {}).items() if not name.startswith("_")}
        return ("other", repr(value), own)


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, function: Callable[[int, str], Callable[..., Any]]) -> None:
        super().__init__(source)
        self.function = function

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _BUILDERS:
            return super().find_class(module, name)
        found = super().find_class(module, name) if module.startswith("classex.") else None
        if not _of_library(found):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return found

    def persistent_load(self, pid: Any) -> Any:
        kind, *rest = pid
        if kind == "function":
            return self.function(int(rest[0]), str(rest[1]))
        return rest[0] if kind == "value" else Other(str(rest[0]), dict(rest[1]))


def _of_library(kind: object) -> bool:
    """Whether it is the type of a result of the library."""
    return isinstance(kind, type) and is_dataclass(kind) and kind.__module__.startswith("classex.")
