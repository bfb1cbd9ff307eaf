"""Bounds from classes drawn without replacement from a finite population."""
