"""Implied information and its rivals on models whose mutual information is known."""
