"""Ranks on a GPU against the processor's, where there is a GPU."""
