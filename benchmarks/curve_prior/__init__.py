"""The prior of accuracy curves, learnt from the worlds of the suite, with and without each of them."""
