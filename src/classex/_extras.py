"""Optional libraries: an error names the one to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["data_file", "needed_for"]

#: name of the library and what to install, by the module that is missing
_OFFERED = {
    "classex_book": ("classex-book", "classex-book"),
    "h5py": ("h5py", "classex[course]"),
    "matplotlib": ("matplotlib", "classex[plot]"),
    "pandas": ("pandas", "pandas"),
    "psutil": ("psutil", "classex[course]"),
    "sklearn": ("scikit-learn", "classex[sklearn]"),
}


@contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Import optional libraries in this context; `what` needs them.

    Raises
    ------
    ImportError
        If one of them is not installed: one line that says what to install. A library that is installed but does
        not load keeps its own error.

    Examples
    --------
    >>> with needed_for("a figure"):
    ...     from matplotlib import pyplot as plt
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _OFFERED:
            raise
        library, offered = _OFFERED[error.name]
        message = f"{what} needs {library}, which is not installed: pip install '{offered}'"
        raise ImportError(message, name=error.name) from None


def data_file(name: str) -> Traversable:
    """Return a file of the data of the examples, which the wheel of the course contains and the library's does not."""
    with needed_for(f"the data set {name.partition('.')[0]}"):
        return files("classex_book.data") / name
