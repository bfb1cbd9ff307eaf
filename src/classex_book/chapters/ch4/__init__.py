"""Chapter 4: Lower bounds on mutual information."""
