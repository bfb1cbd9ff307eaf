"""Arrays of other libraries: torch, cupy, jax and whatever else follows the array API standard.

None of them is imported here: a library that made an array is loaded already.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArrayLibrary", "in_main_memory", "is_foreign", "library_of", "on_host"]

# DLPack's numbers for the processor's memory, and for the part of it that a GPU reads
_MAIN_MEMORY = (1, 3)


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of another library than numpy; Dask's, which computes nothing yet, is not meant."""
    if isinstance(value, np.ndarray | np.generic):
        return False
    return _is_torch(value) or (hasattr(value, "__array_namespace__") and hasattr(value, "__dlpack_device__"))


def in_main_memory(value: Any) -> bool:
    """Whether the processor reads the array where it is, or it is spread over devices and must be brought together."""
    if _is_torch(value):
        return bool(value.device.type == "cpu")
    try:
        return int(value.__dlpack_device__()[0]) in _MAIN_MEMORY
    except (BufferError, TypeError, ValueError, RuntimeError):
        return True


def on_host(value: Any) -> NDArray[Any]:
    """Return the array's numbers as numpy has them, without a copy where it shares the processor's memory."""
    if str(value.dtype).endswith("bfloat16"):
        # numpy has no such numbers; single precision holds them all
        library = ArrayLibrary(value)
        value = library.xp.astype(value, library.xp.float32)
    if _is_torch(value):
        return np.asarray(value.detach().cpu().resolve_conj().resolve_neg())
    if hasattr(value, "get"):  # cupy
        return np.asarray(value.get())
    try:
        return np.from_dlpack(value, device="cpu")
    except (BufferError, TypeError, ValueError, RuntimeError):
        # older libraries share only what is in main memory, or no truth values, and convert the rest themselves
        return np.asarray(value)


def library_of(*values: Any) -> ArrayLibrary | None:
    """Return the library and device of the first array that is not in main memory; None where all are."""
    for value in values:
        if is_foreign(value) and not in_main_memory(value):
            return ArrayLibrary(value)
    return None


class ArrayLibrary:
    """The library that made an array, and the device the array is on.

    Parameters
    ----------
    array : array of another library
        The array.

    Attributes
    ----------
    xp : namespace
        Functions under the names, and with the arguments, that the array API standard gives them.
    array : array
        The array, which gathers no gradients.
    """

    def __init__(self, array: Any) -> None:
        torch = _is_torch(array)
        self.array = array.detach() if torch else array
        self.xp: Any = _Torch(sys.modules["torch"]) if torch else array.__array_namespace__()
        self._device = self.array.device

    def dtype(self, kind: Any) -> Any:
        """Return the library's type of numbers that numpy calls so."""
        return getattr(self.xp, np.dtype(kind).name)

    def send(self, array: NDArray[Any]) -> Any:
        """Return a copy of a numpy array on the device."""
        array = np.require(array, requirements=["C", "W"])
        if self.xp.__name__.startswith("cupy"):
            with self._device:
                return self.xp.asarray(array)
        return self.xp.asarray(array, device=self._device)

    def has(self, kind: Any) -> bool:
        """Whether the device knows a type of numbers."""
        try:
            return bool(self.send(np.ones(1, dtype=kind)).dtype == self.dtype(kind))
        except (TypeError, ValueError, RuntimeError):
            return False


class _Torch:
    """Torch's functions by the standard's names, where they differ."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self.__name__ = "torch"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._torch, name)

    def astype(self, x: Any, dtype: Any) -> Any:
        return x.to(dtype)

    def take(self, x: Any, indices: Any, *, axis: int) -> Any:
        return self._torch.index_select(x, axis, indices)

    def concat(self, arrays: list[Any], *, axis: int) -> Any:
        return self._torch.cat(arrays, dim=axis)

    def nonzero(self, x: Any) -> Any:
        return self._torch.nonzero(x, as_tuple=True)
