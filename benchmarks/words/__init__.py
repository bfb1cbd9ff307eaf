"""Extrapolation to 32,923 real classes: identification of word senses from 100, 500 and 2,000 of them."""
