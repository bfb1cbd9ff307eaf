"""Coverage of the intervals for open sets and for pass@k."""
