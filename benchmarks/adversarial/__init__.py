"""Coverage of every interval of the package under truths that it does not assume."""
