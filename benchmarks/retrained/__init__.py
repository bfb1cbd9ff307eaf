"""Accuracy curves of recognisers that are trained anew on fewer classes, and where they lead."""
