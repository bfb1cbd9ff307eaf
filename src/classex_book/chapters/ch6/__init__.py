"""Chapter 6: The prediction advantage."""
