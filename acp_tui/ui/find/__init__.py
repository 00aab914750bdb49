"""The app of `acp-tui find`, which searches all recordings."""
