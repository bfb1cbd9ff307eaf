"""Chapter 2: Variance bounds."""
