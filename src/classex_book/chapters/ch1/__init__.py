"""Chapter 1: Randomized classification."""
