"""Output to our own terminal: only what changed, and no more than the terminal can take."""
