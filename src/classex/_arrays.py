"""Arrays of other libraries: Dask, torch, cupy, jax and others that follow the array API standard.

None of them is imported here: a library that made an array is loaded already.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArrayLibrary", "in_main_memory", "is_dask", "library_of", "on_host"]

# DLPack's numbers for the processor's memory, and for the part of it that a GPU reads
_MAIN_MEMORY = (1, 3)


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_dask(*values: Any) -> bool:
    """Whether one of the values is a Dask array."""
    module = sys.modules.get("dask.array")
    return module is not None and any(isinstance(value, module.Array) for value in values)


def in_main_memory(value: Any) -> bool:
    """Whether the processor can read the array in place; also for arrays spread over devices, which it gathers."""
    if _is_torch(value):
        return bool(value.device.type == "cpu")
    try:
        return int(value.__dlpack_device__()[0]) in _MAIN_MEMORY
    except (BufferError, TypeError, ValueError, RuntimeError):
        return True


def on_host(value: Any) -> NDArray[Any]:
    """Return the array as one of numpy, without a copy where it is in the processor's memory."""
    if str(value.dtype).endswith("bfloat16"):
        # numpy has no bfloat16; single precision represents it exactly
        library = ArrayLibrary(value)
        value = library.xp.astype(value, library.xp.float32)
    if _is_torch(value):
        return np.asarray(value.detach().cpu().resolve_conj().resolve_neg())
    if hasattr(value, "get"):  # cupy
        return np.asarray(value.get())
    try:
        return np.from_dlpack(value, device="cpu")
    except (BufferError, TypeError, ValueError, RuntimeError):
        # older libraries share only main memory, or no Boolean arrays, and convert the rest themselves
        return np.asarray(value)


def library_of(*values: Any) -> ArrayLibrary | None:
    """Return the library and device of the first array that is not in main memory; None where all are."""
    for value in values:
        if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__") and not in_main_memory(value):
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
        Functions of the array API standard.
    array : array
        The array, without gradients.
    """

    def __init__(self, array: Any) -> None:
        torch = _is_torch(array)
        self.array = array.detach() if torch else array
        self.xp: Any = _Torch(sys.modules["torch"]) if torch else array.__array_namespace__()
        self._device = self.array.device

    def dtype(self, kind: Any) -> Any:
        """Return the library's counterpart of a type of numpy."""
        return getattr(self.xp, np.dtype(kind).name)

    def send(self, array: NDArray[Any]) -> Any:
        """Return a copy of a numpy array on the device."""
        array = np.require(array, requirements=["C", "W"])
        if self.xp.__name__.startswith("cupy"):
            with self._device:
                return self.xp.asarray(array)
        return self.xp.asarray(array, device=self._device)

    def has(self, kind: Any) -> bool:
        """Whether the device supports a type of numbers."""
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
