"""The suite: real and exactly known recognisers, every method, one leaderboard."""
