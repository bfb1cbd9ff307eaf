"""One recogniser, measured on classes that its features were learnt from, and on others."""
