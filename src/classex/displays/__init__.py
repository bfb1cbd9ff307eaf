"""Displays draw what estimators computed; matplotlib is imported inside their methods."""
