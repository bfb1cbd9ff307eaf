"""Coverage of the intervals for average accuracy."""
