"""What each part of the default, and each remaining rule of the other methods, is worth."""
