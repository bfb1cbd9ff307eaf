"""Answers that students give: for each exercise three wrong ones and two right ones, written differently."""
