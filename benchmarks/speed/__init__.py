"""Speed and memory of the package against plain peers, each pair measured in one run."""
