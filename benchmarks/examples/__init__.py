"""More classes, or more examples of each: predictions for nearest neighbours on real data."""
