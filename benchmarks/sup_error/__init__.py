"""The largest error over all numbers of classes at once, as the number of observed classes grows."""
