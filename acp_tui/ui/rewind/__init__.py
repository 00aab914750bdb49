"""Rewinding to before a turn: the list of turns, their changes, and the dialog."""
