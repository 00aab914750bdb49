"""Compares recordings: new, gone, changed or slower steps, ignoring values that differ every run."""
