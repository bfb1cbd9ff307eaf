"""Metrics on the full catalogue from a hundred sampled negatives."""
