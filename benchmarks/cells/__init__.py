"""Growth that is not random: classes that come in groups."""
