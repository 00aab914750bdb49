"""Finds what looks like a secret, and masks it."""
