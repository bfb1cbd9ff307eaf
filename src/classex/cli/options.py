"""Option values of the command line, read by our own hand so that an error is one line."""

from __future__ import annotations

__all__ = ["number", "whole_number"]


def number(text: str, name: str) -> float:
    """Return the number an option holds; the error names the option."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, not {text!r}") from None


def whole_number(text: str, name: str) -> int:
    """Return the whole number an option holds; the error names the option."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{name} must be a whole number, not {text!r}") from None
