"""The command palette, which searches all actions."""
