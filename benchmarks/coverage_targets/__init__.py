"""Coverage of the three kinds of interval: for the average, for a fresh set of classes, for a superset."""
