"""Coverage and sharpness of the lower confidence bounds, and what ignoring model selection costs."""
