"""Coverage of intervals and bounds, and the largest error, on models whose truth is known."""
