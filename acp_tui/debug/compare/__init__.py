"""Compares recordings: what is new, gone, changed or slower, beside what differs each time anyway."""
