"""Reviewing what was changed: files, hunks, comments."""
