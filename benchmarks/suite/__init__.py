"""The suite: real classifiers with exactly known accuracies, every method, one leaderboard."""

# 1: thirteen domains. 2: thirteen more. A change of a stored draw, of a measure or of a rule is a new version.
VERSION = "2"
