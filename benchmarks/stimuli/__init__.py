"""Power of the permutation test of identification."""
