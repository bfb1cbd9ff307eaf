"""Arrays of other libraries: Dask, torch, cupy, jax and others that share their memory.

None of them is imported here: a library that made an array is loaded already.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_dask", "on_host"]


def is_dask(*values: Any) -> bool:
    """Whether one of the values is a Dask array."""
    module = sys.modules.get("dask.array")
    return module is not None and any(isinstance(value, module.Array) for value in values)


def on_host(value: Any) -> NDArray[Any]:
    """Return the array as one of numpy, without a copy where it is in the processor's memory."""
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(value, torch.Tensor)
    if str(value.dtype).endswith("bfloat16"):
        # numpy has no bfloat16; single precision represents it exactly
        value = value.float() if is_tensor else value.astype("float32")
    if is_tensor:
        return np.asarray(value.detach().cpu().resolve_conj().resolve_neg())
    if hasattr(value, "get"):  # cupy
        return np.asarray(value.get())
    try:
        return np.from_dlpack(value, device="cpu")
    except (BufferError, TypeError, ValueError, RuntimeError):
        # older libraries share only main memory, or no Boolean arrays, and convert the rest themselves
        return np.asarray(value)
