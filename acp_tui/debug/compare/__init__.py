"""Compares recordings: what is new, gone, changed or slower, ignoring what differs each time."""
