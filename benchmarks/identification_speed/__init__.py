"""Time and memory of identification with many voxels."""
