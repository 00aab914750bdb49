"""The screen of `acp-tui matrix`."""
