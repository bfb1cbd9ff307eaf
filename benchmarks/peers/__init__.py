"""What other packages make of the same scores: where they agree with this one, and where their definition differs."""
