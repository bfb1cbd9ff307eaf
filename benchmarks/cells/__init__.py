"""Populations of finitely many cells: who is unique, and which links are right."""
