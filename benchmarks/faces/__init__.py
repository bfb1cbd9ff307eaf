"""The protocol of the journal version's Table 2 (faces) on simulated embeddings of the same accuracy."""
