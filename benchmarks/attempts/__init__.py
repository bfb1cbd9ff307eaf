"""Repeated attempts with known counts, and a league of methods that predict pass@k."""
