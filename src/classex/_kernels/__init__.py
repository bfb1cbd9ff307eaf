"""Compiled loops: no validation, no randomness; callers pass checked arrays of the stated dtype."""
