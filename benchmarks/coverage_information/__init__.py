"""Coverage and sharpness of the lower confidence bound for mutual information, on models that know it."""
