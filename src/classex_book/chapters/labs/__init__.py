"""The tasks of the labs."""
