"""The journal version's Table 3 on this project's glyphs, over random subsets of the classes."""
