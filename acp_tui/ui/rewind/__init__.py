"""Going back to before a turn: which turns there are, what each changed, and the question."""
