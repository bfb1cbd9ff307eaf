"""The default on curves of every shape, with exact truth."""
