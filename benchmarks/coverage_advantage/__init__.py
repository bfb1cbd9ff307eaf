"""Coverage of the intervals for the prediction advantage, in populations with a known truth."""
