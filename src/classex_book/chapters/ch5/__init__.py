"""Chapter 5: High-dimensional mutual information."""
