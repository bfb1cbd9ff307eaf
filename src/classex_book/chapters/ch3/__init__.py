"""Chapter 3: Extrapolation."""
