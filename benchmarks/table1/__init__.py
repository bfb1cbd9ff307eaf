"""The journal version's simulation study (Table 1, Figures 7 and 8), with exact truth."""
